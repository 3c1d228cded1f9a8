#include "runtime/elf_image.h"

#include <algorithm>
#include <utility>

namespace gatefold {
namespace {

/// Of addresses. Code reaches its data within 4 GiB, and the loader reserves all that segments
/// span, for which an emulator keeps a note of every page: at 1 TiB those alone took 6.7 GB.
constexpr uint64_t kMostBytes = uint64_t{1} << 32;

#if defined(__x86_64__)
constexpr uint32_t kRelative = R_X86_64_RELATIVE;
#elif defined(__aarch64__)
constexpr uint32_t kRelative = R_AARCH64_RELATIVE;
#endif

/// A table in the dynamic section: its address, and its bytes.
struct Table {
  int64_t address, bytes;
};
constexpr Table kTables[] = {{DT_STRTAB, DT_STRSZ},
                             {DT_RELA, DT_RELASZ},
                             {DT_JMPREL, DT_PLTRELSZ},
                             {DT_INIT_ARRAY, DT_INIT_ARRAYSZ},
                             {DT_FINI_ARRAY, DT_FINI_ARRAYSZ}};

/// Tables without a size: the least that one holds.
constexpr std::pair<int64_t, uint64_t> kSymbolTables[] = {{DT_SYMTAB, sizeof(Elf64_Sym)},
                                                          {DT_VERSYM, sizeof(Elf64_Half)},
                                                          {DT_VERNEED, sizeof(Elf64_Verneed)},
                                                          {DT_VERDEF, sizeof(Elf64_Verdef)},
                                                          {DT_HASH, 2 * sizeof(Elf64_Word)}};

/// Bytes of a part that the loader reads, or makes read-only, where it is loaded; 0: none. Of the
/// variables of threads only values are there.
uint64_t bytes_in_memory(const Elf64_Phdr& s) {
  switch (s.p_type) {
    case PT_NOTE:
    case PT_PHDR:
    case PT_GNU_PROPERTY:
    case PT_GNU_RELRO:
      return s.p_memsz;
    case PT_TLS:
      return s.p_filesz;
    default:
      return 0;
  }
}

bool is_name(int64_t tag) {
  return tag == DT_NEEDED || tag == DT_SONAME || tag == DT_RPATH || tag == DT_RUNPATH ||
         tag == DT_AUXILIARY || tag == DT_FILTER;
}

}  // namespace

ElfImage::ElfImage(const ElfReader& elf) : elf_(elf) {
  for (const Elf64_Phdr& s : elf.segments()) {
    if (s.p_type == PT_LOAD) loaded_.push_back(s);
  }
}

const char* ElfImage::complaint() {
  const char* wrong = wrong_segments();
  if (!wrong) wrong = wrong_sections();
  if (!wrong) wrong = wrong_dynamic();
  if (!wrong) wrong = wrong_tables();
  if (!wrong) wrong = wrong_names();
  if (!wrong) wrong = wrong_symbols();
  if (!wrong) wrong = wrong_functions();
  return wrong ? wrong : wrong_relocations();
}

bool ElfImage::says_program() {
  return !wrong_segments() && !wrong_dynamic() && (value(DT_FLAGS_1) & DF_1_PIE) != 0;
}

/// The loaded segment that a range of addresses lies in, or what the file holds of one; null: none.
const Elf64_Phdr* ElfImage::segment_of(uint64_t address, uint64_t bytes, bool in_file) const {
  for (const Elf64_Phdr& s : loaded_) {
    const uint64_t size = in_file ? s.p_filesz : s.p_memsz;
    if (address >= s.p_vaddr && is_inside(address - s.p_vaddr, bytes, size)) return &s;
  }
  return nullptr;
}

bool ElfImage::holds(uint64_t address, uint64_t bytes, uint32_t flags) const {
  const Elf64_Phdr* segment = segment_of(address, bytes, false);
  return segment && (segment->p_flags & flags) == flags;
}

bool ElfImage::read(void* to, uint64_t bytes, uint64_t address) const {
  const Elf64_Phdr* s = segment_of(address, bytes, true);
  return s && elf_.read(to, bytes, s->p_offset + (address - s->p_vaddr));
}

uint64_t ElfImage::value(int64_t tag) const {
  const auto found = dynamic_.find(tag);
  return found == dynamic_.end() ? 0 : found->second;
}

/// The loader reserves memory from the first one's begin to the last one's end, and maps each where
/// it says, whatever is there.
const char* ElfImage::wrong_segments() const {
  uint64_t end = 0;
  uint32_t flags = 0;
  for (const Elf64_Phdr& s : loaded_) {
    if (s.p_vaddr > kMostBytes || s.p_memsz > kMostBytes || s.p_filesz > s.p_memsz ||
        s.p_vaddr < end)
      return "damaged: its segments overlap, span over 4 GiB, or are larger in the file than in "
             "memory";
    if (!(s.p_flags & PF_R)) return "damaged: a segment cannot be read";
    end = s.p_vaddr + s.p_memsz;
    flags |= s.p_flags;
  }
  if (!(flags & PF_X)) return "damaged: it has no code";
  for (const Elf64_Phdr& s : elf_.segments()) {
    const uint64_t bytes = bytes_in_memory(s);
    if (bytes > 0 && !segment_of(s.p_vaddr, bytes, false))
      return "damaged: a part of it lies outside its segments";
  }
  return nullptr;
}

/// Section and program headers say the same of one file, so damage to either shows.
const char* ElfImage::wrong_sections() const {
  for (const Elf64_Shdr& s : elf_.sections()) {
    const bool in_file = s.sh_type != SHT_NOBITS;
    const bool per_thread = !in_file && (s.sh_flags & SHF_TLS);  // takes no place among the others
    if (!(s.sh_flags & SHF_ALLOC) || s.sh_size == 0 || per_thread) continue;
    const Elf64_Phdr* in = segment_of(s.sh_addr, s.sh_size, in_file);
    const uint32_t flags =
        (s.sh_flags & SHF_WRITE ? PF_W : 0u) | (s.sh_flags & SHF_EXECINSTR ? PF_X : 0u);
    if (!in || (in->p_flags & flags) != flags ||
        (in_file && s.sh_offset - in->p_offset != s.sh_addr - in->p_vaddr))
      return "damaged: its sections are not where its segments are";
  }
  return nullptr;
}

/// The loader writes into it, and reads on until its end whatever its size is.
const char* ElfImage::wrong_dynamic() {
  const auto& segments = elf_.segments();
  const auto found = std::find_if(segments.begin(), segments.end(),
                                  [](const Elf64_Phdr& s) { return s.p_type == PT_DYNAMIC; });
  if (found == segments.end()) return "has no dynamic section";
  std::vector<Elf64_Dyn> entries(found->p_filesz / sizeof(Elf64_Dyn));
  if (!holds(found->p_vaddr, found->p_filesz, PF_W) ||
      !read(entries.data(), entries.size() * sizeof(Elf64_Dyn), found->p_vaddr))
    return "damaged: its dynamic section lies outside its segments";
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag == DT_NULL) return nullptr;
    dynamic_[entry.d_tag] = entry.d_un.d_val;
    if (is_name(entry.d_tag)) names_.push_back(entry.d_un.d_val);
  }
  return "damaged: its dynamic section has no end";
}

/// Whether a table begins where a section does, and, if its size is known, ends where one does; so
/// it is said where a file has no sections.
bool ElfImage::fits_sections(uint64_t address, uint64_t bytes) const {
  bool begins = false, ends = bytes == 0;
  for (const Elf64_Shdr& s : elf_.sections()) {
    if (!(s.sh_flags & SHF_ALLOC)) continue;
    begins |= s.sh_addr == address;
    ends |= s.sh_addr + s.sh_size == address + bytes;
  }
  return elf_.sections().empty() || (begins && ends);
}

/// Without them pointers are left as the linker wrote them.
bool ElfImage::loses_relocations() const {
  const auto is_in = [&](const Elf64_Shdr& s, const Table& table) {
    return has(table.address) && s.sh_addr >= value(table.address) &&
           is_inside(s.sh_addr - value(table.address), s.sh_size, value(table.bytes));
  };
  const auto is_lost = [&](const Elf64_Shdr& s) {
    return s.sh_type == SHT_RELA && (s.sh_flags & SHF_ALLOC) && s.sh_size > 0 &&
           !is_in(s, {DT_RELA, DT_RELASZ}) && !is_in(s, {DT_JMPREL, DT_PLTRELSZ});
  };
  return std::any_of(elf_.sections().begin(), elf_.sections().end(), is_lost);
}

/// The loader looks symbols' versions up by number in what these say, and they say it or nothing.
bool ElfImage::loses_versions() const {
  const auto is_lost = [&](const Elf64_Shdr& s) {
    return (s.sh_type == SHT_GNU_verneed && value(DT_VERNEED) != s.sh_addr) ||
           (s.sh_type == SHT_GNU_verdef && value(DT_VERDEF) != s.sh_addr) ||
           (s.sh_type == SHT_GNU_versym && value(DT_VERSYM) != s.sh_addr);
  };
  const auto& sections = elf_.sections();
  if (std::any_of(sections.begin(), sections.end(), is_lost)) return true;
  return has(DT_VERSYM) && !has(DT_VERNEED) && !has(DT_VERDEF);
}

const char* ElfImage::wrong_tables() const {
  for (const Table& table : kTables) {
    const uint64_t address = value(table.address), bytes = value(table.bytes);
    if (has(table.address) != has(table.bytes) ||
        (has(table.address) &&
         (!segment_of(address, bytes, true) || !fits_sections(address, bytes))))
      return "damaged: a table of its dynamic section lies outside its segments or sections";
  }
  if (loses_relocations()) return "damaged: its dynamic section has not all of its relocations";
  if (loses_versions()) return "damaged: its dynamic section has not all of its symbols' versions";
  // What the loader takes for granted: it ends the process where it is not so.
  const bool sound = (!has(DT_RELA) || value(DT_RELAENT) == sizeof(Elf64_Rela)) &&
                     (!has(DT_JMPREL) || value(DT_PLTREL) == DT_RELA) && has(DT_SYMTAB) &&
                     value(DT_SYMENT) == sizeof(Elf64_Sym);
  return sound ? nullptr : "damaged: its dynamic section has sizes of another format";
}

const char* ElfImage::wrong_names() const {
  const uint64_t bytes = value(DT_STRSZ);
  char last = 1;
  const bool ends = bytes > 0 && read(&last, 1, value(DT_STRTAB) + bytes - 1) && last == 0;
  const auto past = [&](uint64_t name) { return name >= bytes; };
  const bool sound = ends && std::none_of(names_.begin(), names_.end(), past);
  return sound ? nullptr : "damaged: its names have no end";
}

/// The loader divides by the number of buckets, and wants a power of two of the other.
const char* ElfImage::wrong_symbols() const {
  constexpr const char* kWrong = "damaged: its table of symbols lies outside its segments";
  for (const auto& [tag, bytes] : kSymbolTables) {
    if (!has(tag)) continue;
    if (!segment_of(value(tag), bytes, true) || !fits_sections(value(tag), 0)) return kWrong;
  }
  if (!has(DT_GNU_HASH)) return nullptr;
  uint32_t header[4];  // buckets, first symbol, words of the filter, its shift
  if (!read(header, sizeof header, value(DT_GNU_HASH))) return kWrong;
  const uint64_t buckets = header[0], words = header[2];
  const bool sound = buckets > 0 && words > 0 && (words & (words - 1)) == 0 &&
                     fits_sections(value(DT_GNU_HASH), 0) &&
                     segment_of(value(DT_GNU_HASH), sizeof header + 8 * words + 4 * buckets, true);
  return sound ? nullptr : kWrong;
}

const char* ElfImage::wrong_functions() const {
  for (const int64_t tag : {int64_t{DT_INIT}, int64_t{DT_FINI}}) {
    if (has(tag) && !holds(value(tag), 1, PF_X))
      return "damaged: it begins or ends with what is no code";
  }
  return nullptr;
}

const char* ElfImage::wrong_relocations() const {
  for (const Table& table : {Table{DT_RELA, DT_RELASZ}, Table{DT_JMPREL, DT_PLTRELSZ}}) {
    std::vector<Elf64_Rela> entries(value(table.bytes) / sizeof(Elf64_Rela));
    if (entries.empty()) continue;
    if (!read(entries.data(), entries.size() * sizeof(Elf64_Rela), value(table.address)))
      return "damaged: its relocations cannot be read";
    const uint64_t relative = table.address == DT_RELA ? value(DT_RELACOUNT) : 0;
    for (size_t i = 0; i < entries.size(); ++i) {
      if (const char* wrong = wrong_relocation(entries[i], i < relative)) return wrong;
    }
  }
  return nullptr;
}

/// The first ones are taken for relative whatever they are.
const char* ElfImage::wrong_relocation(const Elf64_Rela& entry, bool relative) const {
  const uint32_t type = ELF64_R_TYPE(entry.r_info);
  if (relative && type != kRelative) return "damaged: relocations of a wrong type";
  if (type == 0) return nullptr;  // none
  const uint32_t flags = has(DT_TEXTREL) || (value(DT_FLAGS) & DF_TEXTREL) ? 0 : PF_W;
  if (!holds(entry.r_offset, sizeof(uint64_t), flags))
    return "damaged: a relocation outside its data";
  if (type == kRelative) {
    const bool known = segment_of(static_cast<uint64_t>(entry.r_addend), 0, false);
    return known ? nullptr : "damaged: a relocation to what is not there";
  }
  const uint64_t symbol = value(DT_SYMTAB) + ELF64_R_SYM(entry.r_info) * sizeof(Elf64_Sym);
  const bool known = segment_of(symbol, sizeof(Elf64_Sym), true);
  return known ? nullptr : "damaged: a relocation by a symbol that is not there";
}

}  // namespace gatefold
