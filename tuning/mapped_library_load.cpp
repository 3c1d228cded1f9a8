#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <vector>

#include "gatefold/gatefold.h"
#include "runtime/elf_file.h"
#include "spec/error.h"
#include "tuning/mapped_library.h"

namespace gatefold {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 30;

#if defined(__x86_64__)
constexpr uint32_t kRelative = R_X86_64_RELATIVE, kAbsolute = R_X86_64_64;
constexpr uint32_t kGlobal = R_X86_64_GLOB_DAT, kCall = R_X86_64_JUMP_SLOT;
#elif defined(__aarch64__)
constexpr uint32_t kRelative = R_AARCH64_RELATIVE, kAbsolute = R_AARCH64_ABS64;
constexpr uint32_t kGlobal = R_AARCH64_GLOB_DAT, kCall = R_AARCH64_JUMP_SLOT;
#endif

/// What code generators call without being asked to. Null: not one of them.
uint64_t c_library_function(std::string_view name) {
  if (name == "memcpy") return reinterpret_cast<uint64_t>(&memcpy);
  if (name == "memmove") return reinterpret_cast<uint64_t>(&memmove);
  if (name == "memset") return reinterpret_cast<uint64_t>(&memset);
  return 0;
}

uint64_t page_size() {
  static const uint64_t size = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return size;
}

uint64_t page_down(uint64_t offset) { return offset / page_size() * page_size(); }
uint64_t page_up(uint64_t offset) { return page_down(offset + page_size() - 1); }

int protection_of(const Elf64_Phdr& segment) {
  return (segment.p_flags & PF_R ? PROT_READ : 0) | (segment.p_flags & PF_W ? PROT_WRITE : 0) |
         (segment.p_flags & PF_X ? PROT_EXEC : 0);
}

}  // namespace

/// One after the other; what any of them refuses is an error that names the file.
class MappedLibrary::Loader {
 public:
  explicit Loader(MappedLibrary& library) : lib_(library) {}

  void load() {
    read_file();
    place();
    read_dynamic();
    relocate(relocations_, relocation_bytes_);
    relocate(calls_, call_bytes_);
    protect();
    initialise();
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { fail(lib_.path_ + ": " + what); }

  void read_file() {
    if (check_elf_file(lib_.path_.c_str()) != GF_OK) fail(gf_last_error());
    std::ifstream file(lib_.path_, std::ios::binary);
    file_.assign(std::istreambuf_iterator<char>(file), {});
    Elf64_Ehdr header;
    if (!file || file_.size() < sizeof header) refuse("cannot be read");
    memcpy(&header, file_.data(), sizeof header);
    std::vector<Elf64_Phdr> all(header.e_phnum);
    if (file_.size() < header.e_phoff + all.size() * sizeof(Elf64_Phdr))
      refuse("changed meanwhile");
    memcpy(all.data(), file_.data() + header.e_phoff, all.size() * sizeof(Elf64_Phdr));
    for (const Elf64_Phdr& segment : all) {
      if (segment.p_type == PT_LOAD) segments_.push_back(segment);
      if (segment.p_type == PT_DYNAMIC) dynamic_ = segment;
      if (segment.p_type == PT_TLS) refuse("has variables of threads");
    }
    if (segments_.empty() || dynamic_.p_type != PT_DYNAMIC) refuse("has nothing to load");
  }

  void place() {
    uint64_t end = 0;
    for (const Elf64_Phdr& s : segments_) {
      const bool sound = s.p_filesz <= s.p_memsz && s.p_vaddr <= kMostBytes &&
                         s.p_memsz <= kMostBytes && s.p_offset <= file_.size() &&
                         s.p_filesz <= file_.size() - s.p_offset;
      if (!sound) refuse("a segment is past the file's end, or of more than 1 GiB");
      if (page_down(s.p_vaddr) < end) {
        refuse("its segments share pages of " + std::to_string(page_size()) + " bytes");
      }
      end = page_up(s.p_vaddr + s.p_memsz);
    }
    void* memory = mmap(nullptr, end, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) refuse(std::string("no memory for it: ") + strerror(errno));
    lib_.image_ = static_cast<uint8_t*>(memory);
    lib_.bytes_ = end;
    for (const Elf64_Phdr& s : segments_) {
      memcpy(lib_.image_ + s.p_vaddr, file_.data() + s.p_offset, s.p_filesz);
    }
  }

  void read_dynamic() {
    const uint64_t count = dynamic_.p_memsz / sizeof(Elf64_Dyn);
    const auto* entry = lib_.at<const Elf64_Dyn>(dynamic_.p_vaddr, count);
    for (const auto* end = entry + count; entry != end && entry->d_tag != DT_NULL; ++entry) {
      read_entry(*entry);
    }
    if (lib_.hash_ == 0 || lib_.symbols_ == 0 || lib_.strings_ == 0) {
      refuse("has no table of symbols with GNU hashes");
    }
  }

  void read_entry(const Elf64_Dyn& entry) {
    const uint64_t value = entry.d_un.d_val;
    switch (entry.d_tag) {
      case DT_SYMTAB:
        lib_.symbols_ = value;
        break;
      case DT_STRTAB:
        lib_.strings_ = value;
        break;
      case DT_STRSZ:
        lib_.string_bytes_ = value;
        break;
      case DT_GNU_HASH:
        lib_.hash_ = value;
        break;
      case DT_RELA:
        relocations_ = value;
        break;
      case DT_RELASZ:
        relocation_bytes_ = value;
        break;
      case DT_JMPREL:
        calls_ = value;
        break;
      case DT_PLTRELSZ:
        call_bytes_ = value;
        break;
      case DT_INIT_ARRAY:
        initialisers_ = value;
        break;
      case DT_INIT_ARRAYSZ:
        initialiser_bytes_ = value;
        break;
      case DT_REL:
      case kPackedRelocations:
        refuse("has relocations of another form than RELA");
      default:
        break;  // needed libraries, versions, debugging: nothing that is looked up here
    }
  }

  void relocate(uint64_t table, uint64_t bytes) {
    const uint64_t count = bytes / sizeof(Elf64_Rela);
    const auto* entry = lib_.at<const Elf64_Rela>(table, count);
    for (const auto* end = entry + count; entry != end; ++entry) {
      const uint64_t value = value_of(*entry);
      memcpy(lib_.at<uint8_t>(entry->r_offset, sizeof value), &value, sizeof value);
    }
  }

  uint64_t value_of(const Elf64_Rela& entry) const {
    const uint32_t type = ELF64_R_TYPE(entry.r_info);
    const auto addend = static_cast<uint64_t>(entry.r_addend);
    if (type == kRelative) return reinterpret_cast<uint64_t>(lib_.image_) + addend;
    if (type != kAbsolute && type != kGlobal && type != kCall) {
      refuse("has a relocation of type " + std::to_string(type));
    }
    const uint64_t index = ELF64_R_SYM(entry.r_info);
    return address_of(*lib_.at<const Elf64_Sym>(lib_.symbols_ + index * sizeof(Elf64_Sym))) +
           addend;
  }

  /// A weak symbol that nobody has is null, which who uses it asks for.
  uint64_t address_of(const Elf64_Sym& symbol) const {
    if (ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC) refuse("has functions to be chosen from");
    if (symbol.st_shndx != SHN_UNDEF) {
      return reinterpret_cast<uint64_t>(lib_.at<uint8_t>(symbol.st_value));
    }
    const std::string_view name = lib_.name_of(symbol);
    const uint64_t address = c_library_function(name);
    if (address == 0 && ELF64_ST_BIND(symbol.st_info) != STB_WEAK) {
      refuse("needs '" + std::string(name) + "', which kernels never call");
    }
    return address;
  }

  void protect() {
    for (const Elf64_Phdr& s : segments_) {
      uint8_t* const begin = lib_.image_ + page_down(s.p_vaddr);
      const uint64_t bytes = page_up(s.p_vaddr + s.p_memsz) - page_down(s.p_vaddr);
      // What was written as data must be seen as instructions: x86 does that by itself, arm64 not.
      if (s.p_flags & PF_X) {
        __builtin___clear_cache(reinterpret_cast<char*>(begin),
                                reinterpret_cast<char*>(begin + bytes));
      }
      if (mprotect(begin, bytes, protection_of(s)) != 0) {
        refuse(std::string("cannot be made executable: ") + strerror(errno));
      }
    }
  }

  void initialise() {
    const uint64_t count = initialiser_bytes_ / sizeof(uint64_t);
    const auto* entry = lib_.at<const uint64_t>(initialisers_, count);
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t offset = entry[i] - reinterpret_cast<uint64_t>(lib_.image_);
      reinterpret_cast<void (*)()>(lib_.at<uint8_t>(offset))();
    }
  }

  static constexpr int64_t kPackedRelocations = 36;  // DT_RELR, which elf.h of 2022 begins to know

  MappedLibrary& lib_;
  std::string file_;
  std::vector<Elf64_Phdr> segments_;
  Elf64_Phdr dynamic_ = {};
  uint64_t relocations_ = 0, relocation_bytes_ = 0, calls_ = 0, call_bytes_ = 0;
  uint64_t initialisers_ = 0, initialiser_bytes_ = 0;
};

MappedLibrary::MappedLibrary(const std::string& path) : path_(path) {
  try {
    Loader(*this).load();
  } catch (...) {
    unmap();
    throw;
  }
}

}  // namespace gatefold
