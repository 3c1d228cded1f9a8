#include "runtime/caches.h"

#include <unistd.h>

#include "runtime/sysfs.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace gatefold {
namespace {

constexpr int kInstructionCache = 2;

uint32_t field(uint32_t word, int from, int to) {
  return (word >> from) & ((uint32_t{1} << (to - from + 1)) - 1);
}

#if defined(__x86_64__)

constexpr uint32_t kIntelCaches = 4;
constexpr uint32_t kAmdCaches = 0x8000001d;
constexpr int kTopologyExtensions = 22;  // of 0x80000001 ecx: leaf 0x8000001d is there

uint32_t cache_leaf() {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0x80000001, &a, &b, &c, &d) && field(c, kTopologyExtensions, kTopologyExtensions))
    return kAmdCaches;
  return kIntelCaches;
}

std::vector<CacheLeaf> read_leaves() {
  std::vector<CacheLeaf> leaves;
  const uint32_t leaf = cache_leaf();
  for (uint32_t i = 0; i < 16; ++i) {
    uint32_t a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid_count(leaf, i, &a, &b, &c, &d) || field(a, 0, 4) == 0) break;
    leaves.push_back({a, b, c});
  }
  return leaves;
}

#else

std::vector<CacheLeaf> read_leaves() { return {}; }

#endif

struct SysconfCache {
  int level;
  int size, ways, line;
};

std::vector<Cache> caches_from_sysconf() {
  constexpr SysconfCache kKnown[] = {
      {1, _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_ASSOC, _SC_LEVEL1_DCACHE_LINESIZE},
      {2, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_ASSOC, _SC_LEVEL2_CACHE_LINESIZE},
      {3, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL3_CACHE_ASSOC, _SC_LEVEL3_CACHE_LINESIZE},
  };
  std::vector<Cache> caches;
  for (const SysconfCache& known : kKnown) {
    const long bytes = sysconf(known.size);
    if (bytes <= 0) continue;
    caches.push_back({known.level, bytes, static_cast<int>(sysconf(known.ways)),
                      static_cast<int>(sysconf(known.line)), 1});
  }
  return caches;
}

/// One folder index*; level 0: not there, of instructions, or without its size.
Cache listed_cache(const std::filesystem::path& folder) {
  if (first_line(folder / "type") == "Instruction") return {};
  Cache cache;
  cache.bytes = parse_size(first_line(folder / "size"));
  if (cache.bytes <= 0) return {};
  cache.level = parse_count(first_line(folder / "level"));
  cache.ways = parse_count(first_line(folder / "ways_of_associativity"));
  cache.line_bytes = parse_count(first_line(folder / "coherency_line_size"));
  cache.shared_by = static_cast<int>(parse_cpu_list(first_line(folder / "shared_cpu_list")).size());
  return cache;
}

}  // namespace

std::vector<Cache> listed_caches(const std::filesystem::path& cpu_folder) {
  std::vector<Cache> caches;
  for (int i = 0; i < 16; ++i) {
    const Cache cache = listed_cache(cpu_folder / "cache" / ("index" + std::to_string(i)));
    if (cache.level > 0) caches.push_back(cache);
  }
  return caches;
}

std::vector<Cache> decode_caches(const std::vector<CacheLeaf>& leaves) {
  std::vector<Cache> caches;
  for (const CacheLeaf& leaf : leaves) {
    const uint32_t type = field(leaf.eax, 0, 4);
    if (type == 0) break;
    if (type == kInstructionCache) continue;
    const int64_t line = field(leaf.ebx, 0, 11) + 1;
    const int64_t partitions = field(leaf.ebx, 12, 21) + 1;
    const int64_t ways = field(leaf.ebx, 22, 31) + 1;
    const int64_t sets = int64_t{leaf.ecx} + 1;
    caches.push_back({static_cast<int>(field(leaf.eax, 5, 7)), line * partitions * ways * sets,
                      static_cast<int>(ways), static_cast<int>(line),
                      static_cast<int>(field(leaf.eax, 14, 25)) + 1});
  }
  return caches;
}

std::vector<Cache> read_caches(int cpu) {
  std::vector<Cache> caches = decode_caches(read_leaves());
  if (caches.empty()) caches = listed_caches(cpu_folder(cpu));
  return caches.empty() ? caches_from_sysconf() : caches;
}

}  // namespace gatefold
