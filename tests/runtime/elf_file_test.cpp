// Files that are damaged where the system's loader would believe them: this process would die.
#include "runtime/elf_file.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "gatefold/gatefold.h"
#include "runtime/elf_reader.h"

namespace gatefold::test {
namespace {

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

#if defined(__x86_64__)
constexpr const char *kHere = "x86_64", *kElsewhere = "arm64";
#elif defined(__aarch64__)
constexpr const char *kHere = "arm64", *kElsewhere = "x86_64";
#endif

class ElfFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "elfXXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    whole_ = content(GATEFOLD_FAKE_MODULE);
    ElfReader elf(GATEFOLD_FAKE_MODULE);
    ASSERT_EQ(elf.read_headers(EM_NONE), GF_OK) << gf_last_error();
    header_ = elf.header();
    segments_ = elf.segments();
    sections_ = elf.sections();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Under a new name each time: the loader knows the old ones.
  std::string write(const std::string& bytes) {
    const std::string path = folder_ + "/lib" + std::to_string(++count_) + ".so";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  gf_status open(const std::string& bytes) {
    const std::string path = write(bytes);
    gf_library* library = nullptr;
    const gf_status status = gf_library_open(path.c_str(), &library);
    gf_library_close(library);
    std::filesystem::remove(path);
    return status;
  }
  /// A change of each byte by itself; what is refused of them, of what may not be.
  int refused(uint64_t offset, uint64_t size) {
    int errors = 0;
    for (uint64_t i = offset; i < offset + size; ++i) {
      for (const int flipped : {0xff, 0x10}) {
        std::string bytes = whole_;
        bytes.at(i) = static_cast<char>(bytes[i] ^ flipped);
        const gf_status status = open(bytes);
        EXPECT_TRUE(status == GF_OK || status == GF_BAD_LIBRARY) << i << ": " << gf_last_error();
        if (status == GF_BAD_LIBRARY) ++errors;
      }
    }
    return errors;
  }
  template <typename T, typename Change>
  std::string changed(uint64_t offset, Change change) const {
    std::string bytes = whole_;
    T part;
    std::memcpy(&part, bytes.data() + offset, sizeof part);
    change(part);
    std::memcpy(bytes.data() + offset, &part, sizeof part);
    return bytes;
  }
  uint64_t header_of(uint32_t type, uint32_t flags = 0) const {
    for (size_t i = 0; i < segments_.size(); ++i) {
      if (segments_[i].p_type == type && (segments_[i].p_flags & flags) == flags)
        return header_.e_phoff + i * sizeof(Elf64_Phdr);
    }
    ADD_FAILURE() << "no segment of type " << type;
    return header_.e_phoff;
  }
  const Elf64_Phdr& dynamic() const {
    const uint64_t offset = header_of(PT_DYNAMIC);
    return segments_.at((offset - header_.e_phoff) / sizeof(Elf64_Phdr));
  }
  void expect_refused_entry(int64_t tag, uint64_t value) {
    for (uint64_t at = dynamic().p_offset;; at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry;
      std::memcpy(&entry, whole_.data() + at, sizeof entry);
      ASSERT_NE(entry.d_tag, DT_NULL) << "no entry " << tag;
      if (entry.d_tag != tag) continue;
      const auto change = [&](Elf64_Dyn& e) { e.d_un.d_val = value; };
      EXPECT_EQ(open(changed<Elf64_Dyn>(at, change)), GF_BAD_LIBRARY) << tag;
      return;
    }
  }

  std::string folder_, whole_;
  Elf64_Ehdr header_;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
  int count_ = 0;
};

TEST_F(ElfFile, AnyByteOfTheHeadersMayBeWrong) {
  ASSERT_EQ(open(whole_), GF_OK) << gf_last_error();
  EXPECT_GT(refused(0, sizeof header_), 20);
  EXPECT_GT(refused(header_.e_phoff, segments_.size() * sizeof(Elf64_Phdr)), 100);
}

/// All but the addresses of functions that are called at once: code is not looked at.
TEST_F(ElfFile, AnyByteOfTheDynamicSectionMayBeWrong) {
  int errors = 0;
  for (uint64_t at = 0; at < dynamic().p_filesz; at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    std::memcpy(&entry, whole_.data() + dynamic().p_offset + at, sizeof entry);
    const bool function = entry.d_tag == DT_INIT || entry.d_tag == DT_FINI;
    errors += refused(dynamic().p_offset + at, function ? sizeof entry.d_tag : sizeof entry);
  }
  EXPECT_GT(errors, 100);
}

TEST_F(ElfFile, SegmentsThatOverlapOrLieNowhereAreErrors) {
  using Phdr = Elf64_Phdr;
  const uint64_t code = header_of(PT_LOAD, PF_X), data = header_of(PT_LOAD, PF_W);
  EXPECT_EQ(open(changed<Phdr>(data, [](Phdr& s) { s.p_vaddr = 0; })), GF_BAD_LIBRARY);
  EXPECT_EQ(open(changed<Phdr>(code, [](Phdr& s) { s.p_vaddr += 4096; })), GF_BAD_LIBRARY);
  EXPECT_EQ(open(changed<Phdr>(code, [](Phdr& s) { s.p_flags = PF_R; })), GF_BAD_LIBRARY);
  EXPECT_EQ(open(changed<Phdr>(code, [](Phdr& s) { s.p_type = PT_NULL; })), GF_BAD_LIBRARY);
  EXPECT_EQ(open(changed<Phdr>(data, [](Phdr& s) { s.p_flags = PF_R; })), GF_BAD_LIBRARY);
  EXPECT_EQ(open(changed<Phdr>(data, [](Phdr& s) { s.p_memsz = 8; })), GF_BAD_LIBRARY);
  EXPECT_EQ(open(changed<Phdr>(data, [](Phdr& s) { s.p_memsz = uint64_t{1} << 36; })),
            GF_BAD_LIBRARY);
  EXPECT_EQ(open(changed<Phdr>(data, [](Phdr& s) { s.p_offset = 0; })), GF_BAD_LIBRARY);
  const uint64_t table = header_of(PT_DYNAMIC);
  EXPECT_EQ(open(changed<Phdr>(table, [](Phdr& s) { s.p_vaddr = 1 << 30; })), GF_BAD_LIBRARY);
  EXPECT_EQ(open(changed<Phdr>(table, [](Phdr& s) { s.p_filesz = 16; })), GF_BAD_LIBRARY);
  EXPECT_EQ(open(changed<Phdr>(table, [](Phdr& s) { s.p_type = PT_NULL; })), GF_BAD_LIBRARY);
}

TEST_F(ElfFile, TablesThatLieNowhereAreErrors) {
  for (const int64_t tag : {DT_STRTAB, DT_SYMTAB, DT_RELA, DT_INIT_ARRAY, DT_FINI_ARRAY, DT_INIT}) {
    expect_refused_entry(tag, uint64_t{1} << 39);
  }
  for (const int64_t tag : {DT_STRSZ, DT_RELASZ, DT_INIT_ARRAYSZ, DT_FINI_ARRAYSZ}) {
    expect_refused_entry(tag, ~uint64_t{0} - 64);
  }
  for (const int64_t tag : {DT_SYMENT, DT_RELAENT}) expect_refused_entry(tag, 23);
}

TEST_F(ElfFile, SectionsElsewhereThanTheirSegmentsAreErrors) {
  for (size_t i = 0; i < sections_.size(); ++i) {
    if (!(sections_[i].sh_flags & SHF_ALLOC) || sections_[i].sh_type == SHT_NOBITS) continue;
    const uint64_t at = header_.e_shoff + i * sizeof(Elf64_Shdr);
    const auto change = [](Elf64_Shdr& s) { s.sh_offset += 64; };
    EXPECT_EQ(open(changed<Elf64_Shdr>(at, change)), GF_BAD_LIBRARY) << i;
  }
}

TEST_F(ElfFile, AProgramIsWholeAndForItsArchitecture) {
  const std::string self = "/proc/self/exe";
  EXPECT_EQ(check_elf_program(self.c_str(), kHere), GF_OK) << gf_last_error();
  EXPECT_EQ(check_elf_program(self.c_str(), nullptr), GF_OK) << gf_last_error();
  EXPECT_EQ(check_elf_program(self.c_str(), kElsewhere), GF_BAD_LIBRARY);
  EXPECT_EQ(gf_last_error(), self + ": made for " + kHere + ", wanted " + kElsewhere);
  EXPECT_EQ(check_elf_program(GATEFOLD_FAKE_MODULE, kHere), GF_BAD_LIBRARY) << "a library";
  const std::string program = content(self);
  for (const size_t size : {size_t{0}, size_t{100}, program.size() / 2, program.size() - 1}) {
    const std::string path = write(program.substr(0, size));
    EXPECT_EQ(check_elf_program(path.c_str(), kHere), GF_BAD_LIBRARY) << size;
    EXPECT_NE(std::string(gf_last_error()).find(path), std::string::npos);
  }
}

}  // namespace
}  // namespace gatefold::test
