#include "tests/emulation/guest_memory.h"

#include <sys/mman.h>

#include <cstring>

#include "tests/emulation/code_regions.h"
#include "tests/emulation/core.h"

namespace gatefold::emulation {
namespace {

constexpr int kPageBits = 12, kChunkBits = 21, kIndexBits = 9;
constexpr uint64_t kEntries = 1 << kIndexBits;
constexpr uint64_t kMostTables = 65536;
constexpr uint64_t kFirstChunk = kMostTables << kPageBits >> kChunkBits;
constexpr uint64_t kChunks = uint64_t{1} << (40 - kChunkBits);
constexpr uint64_t kApicChunk = 0xfee00000ull >> kChunkBits;  // the core has its APIC there
constexpr uint64_t kPhysicalMask = (uint64_t{1} << 40) - 1;

// Entry bits: present, writable, user, accessed; a last-level entry is dirty too.
constexpr uint64_t kTableBits = 0x27, kPageEntryBits = 0x67, kNoExecute = uint64_t{1} << 63;

struct Table {
  uint64_t entry[kEntries];  ///< 0: not asked for yet
  uint64_t begin;            ///< first virtual address that it maps
  uint64_t chunk;            ///< of a last-level table
  int level;                 ///< 4 to 1
};

Table* tables;
uint64_t table_count;
uint64_t* chunk_begin;  // virtual address of each chunk
uint64_t chunk_count = kFirstChunk;

template <class T>
T* reserve(uint64_t count) {
  void* p = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) give_up("cannot reserve memory for page tables", "");
  return static_cast<T*>(p);
}

uint64_t new_chunk(uint64_t begin) {
  if (chunk_count == kApicChunk) ++chunk_count;
  if (chunk_count == kChunks) give_up("out of guest memory", "");
  chunk_begin[chunk_count] = begin;
  return chunk_count++;
}

uint64_t new_table(int level, uint64_t begin) {
  if (table_count == kMostTables) give_up("out of page tables", "");
  Table& table = tables[table_count];
  table.level = level;
  table.begin = begin;
  if (level == 1) table.chunk = new_chunk(begin);
  return table_count++;
}

uint64_t make_entry(const Table& table, uint64_t index) {
  const uint64_t va = table.begin + (index << (kPageBits + kIndexBits * (table.level - 1)));
  if (table.level > 1) return new_table(table.level - 1, va) << kPageBits | kTableBits;
  const uint64_t page = table.chunk << kChunkBits | index << kPageBits | kPageEntryBits;
  return page | (is_emulated(va) ? 0 : kNoExecute);
}

}  // namespace

void make_guest_memory() {
  tables = reserve<Table>(kMostTables);
  chunk_begin = reserve<uint64_t>(kChunks);
  new_table(4, 0);  // the first one: at kRootTable
}

bool names_page_table(uint64_t gpa) { return (gpa & kPhysicalMask) >> kChunkBits < kFirstChunk; }

uint64_t page_table_entry(uint64_t gpa) {
  Table& table = tables[(gpa & kPhysicalMask) >> kPageBits];
  const uint64_t index = gpa >> 3 & (kEntries - 1);
  if (!table.entry[index]) table.entry[index] = make_entry(table, index);
  return table.entry[index];
}

uint8_t* host_address(uint64_t gpa) {
  const uint64_t begin = chunk_begin[(gpa & kPhysicalMask) >> kChunkBits];
  return reinterpret_cast<uint8_t*>(begin) + (gpa & ((uint64_t{1} << kChunkBits) - 1));
}

void forget_translations() {
  for (uint64_t i = 0; i < table_count; ++i) {
    if (tables[i].level == 1) memset(tables[i].entry, 0, sizeof tables[i].entry);
  }
  core.set_mode(0);
}

uint64_t touched_mib() { return (chunk_count - kFirstChunk) << kChunkBits >> 20; }

}  // namespace gatefold::emulation
