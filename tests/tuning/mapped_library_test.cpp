// Libraries that are loaded without the system's loader.
#include "tuning/mapped_library.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>

#include "spec/error.h"
#include "tests/tuning/fake_candidate.h"

namespace gatefold::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Data with addresses in it, calls that a compiler makes of itself, a weak symbol that nobody has,
/// and something to be done before anything is called.
constexpr const char* kSource = R"(
#include <stddef.h>
#include <string.h>
static const char* const words[] = {"gate", "up", "down"};
const char* const* more = words + 1;
extern int nobody(void) __attribute__((weak));
static int made;
__attribute__((constructor)) static void make(void) { made += 7; }
static int hidden(int x) { return x + 1; }
int (*pointer)(int) = hidden;
int run(size_t n) {
  char a[64], b[64];
  memset(a, 5, n);
  memcpy(b, a, n);
  memmove(b + 1, b, n - 1);
  return made + b[n - 1] + pointer(40) + (nobody ? nobody() : 0);
}
const char* word(int i) { return more[i]; }
)";

class Mapped : public testing::Test {
 protected:
  std::string compiled(const std::string& source, const std::string& flags = "") {
    const std::string file = folder_ / "l.so", text = folder_ / "l.c";
    std::ofstream(text) << source;
    const std::string command = "cc -O1 -fPIC -shared -o '" + file + "' '" + text + "' " + flags;
    EXPECT_EQ(system(command.c_str()), 0) << command;
    return file;
  }
  std::string error_of(const std::string& file) {
    try {
      MappedLibrary library(file);
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), HasSubstr(file));
      return e.what();
    }
    return "no error";
  }
  /// The compiled source with a part of its bytes replaced.
  std::string edited(const std::function<void(std::string& bytes)>& edit) {
    const std::string file = folder_ / "l.so";
    if (whole_.empty()) {
      std::ifstream in(compiled(kSource), std::ios::binary);
      whole_.assign(std::istreambuf_iterator<char>(in), {});
    }
    std::string bytes = whole_;
    edit(bytes);
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }
  ScratchFolder folder_;
  std::string whole_;
};

TEST_F(Mapped, RunsWithItsDataInitialisersAndMemoryFunctions) {
  const MappedLibrary library(compiled(kSource));
  const auto run = reinterpret_cast<int (*)(size_t)>(library.symbol("run"));
  const auto word = reinterpret_cast<const char* (*)(int)>(library.symbol("word"));
  ASSERT_TRUE(run && word);
  EXPECT_EQ(run(32), 7 + 5 + 41);
  EXPECT_STREQ(word(0), "up");
  EXPECT_STREQ(word(1), "down");
}

TEST_F(Mapped, TwoOfThemAreApart) {
  const std::string file = compiled(kSource);
  const MappedLibrary one(file), two(file);
  EXPECT_NE(one.symbol("run"), two.symbol("run"));
  EXPECT_EQ(reinterpret_cast<int (*)(size_t)>(one.symbol("run"))(8), 53);
  EXPECT_EQ(reinterpret_cast<int (*)(size_t)>(two.symbol("run"))(8), 53);
}

TEST_F(Mapped, OnlyWhatItExportsHasAnAddress) {
  const MappedLibrary library(compiled(kSource));
  for (const char* name : {"hidden", "nobody", "memcpy", "", "ru", "run2"}) {
    EXPECT_EQ(library.symbol(name), nullptr) << name;
  }
}

TEST_F(Mapped, WhatItCannotLoadIsNamed) {
  EXPECT_THAT(error_of(compiled("#include <stdio.h>\nint f(void) { return puts(\"x\"); }")),
              HasSubstr("needs 'puts'"));
  EXPECT_THAT(error_of(compiled("__thread int x; int f(void) { return x; }")),
              HasSubstr("variables of threads"));
  EXPECT_THAT(error_of(compiled(kSource, "-Wl,--hash-style=sysv")), HasSubstr("GNU hashes"));
  const std::string chosen =
      "static int a(void) { return 1; }\n"
      "static int (*choose(void))(void) { return a; }\n"
      "int f(void) __attribute__((ifunc(\"choose\")));\n"
      "int (*g)(void) = f;";
  EXPECT_THAT(error_of(compiled(chosen)), HasSubstr("functions to be chosen from"));
  std::string hidden = chosen;
  hidden.replace(hidden.find("int f"), 3, "static int");
  EXPECT_THAT(error_of(compiled(hidden)), HasSubstr("relocation of type"));
}

TEST_F(Mapped, WhatIsNoLibraryIsNamed) {
  std::ofstream(folder_ / "text") << "these are no instructions, but a text of some length, which "
                                     "is longer than the header of a library";
  EXPECT_THAT(error_of(folder_ / "text"), HasSubstr("not an ELF file"));
  EXPECT_THAT(error_of(folder_ / "none"), HasSubstr("No such file"));
  EXPECT_THAT(error_of(edited([](std::string& bytes) {
                bytes[offsetof(Elf64_Ehdr, e_machine)] = static_cast<char>(EM_RISCV);
              })),
              HasSubstr("ELF machine"));
}

TEST_F(Mapped, AFileThatEndsTooEarlyIsRefusedWhereverItEnds) {
  edited([](std::string&) {});
  const auto header = *reinterpret_cast<const Elf64_Ehdr*>(whole_.data());
  for (size_t size = 0; size < header.e_shoff; size += 97) {
    const std::string file = edited([&](std::string& bytes) { bytes.resize(size); });
    EXPECT_NE(error_of(file), "no error") << size;
  }
}

/// The first program header of a type.
Elf64_Phdr& program_header(std::string& bytes, uint32_t type) {
  const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(bytes.data());
  auto* segment = reinterpret_cast<Elf64_Phdr*>(bytes.data() + header.e_phoff);
  while (segment->p_type != type) ++segment;
  return *segment;
}

Elf64_Dyn& dynamic_entry(std::string& bytes, int64_t tag) {
  auto* entry =
      reinterpret_cast<Elf64_Dyn*>(bytes.data() + program_header(bytes, PT_DYNAMIC).p_offset);
  while (entry->d_tag != tag) ++entry;
  return *entry;
}

TEST_F(Mapped, OffsetsPastTheEndAreRefused) {
  constexpr uint64_t kFar = uint64_t{1} << 40;
  const auto relocation = [](std::string& bytes) {
    // The tables before the code lie in the file as they do in memory.
    return reinterpret_cast<Elf64_Rela*>(bytes.data() + dynamic_entry(bytes, DT_RELA).d_un.d_val);
  };
  const std::pair<const char*, std::function<void(std::string&)>> kEdits[] = {
      {"segment", [](auto& b) { program_header(b, PT_LOAD).p_memsz = kFar; }},
      {"overlap", [](auto& b) { (&program_header(b, PT_LOAD))[1].p_vaddr = 0; }},
      {"dynamic", [](auto& b) { program_header(b, PT_DYNAMIC).p_vaddr = kFar; }},
      {"relocations", [](auto& b) { dynamic_entry(b, DT_RELA).d_un.d_val = kFar; }},
      {"their number", [](auto& b) { dynamic_entry(b, DT_RELASZ).d_un.d_val = kFar; }},
      {"place", [&](auto& b) { relocation(b)->r_offset = kFar; }},
      {"symbol", [&](auto& b) { relocation(b)->r_info = ELF64_R_INFO(1 << 30, 1); }},
      {"symbols", [](auto& b) { dynamic_entry(b, DT_SYMTAB).d_un.d_val = kFar; }},
      {"initialisers", [](auto& b) { dynamic_entry(b, DT_INIT_ARRAYSZ).d_un.d_val = kFar; }},
      {"hash table", [](auto& b) { dynamic_entry(b, DT_GNU_HASH).d_un.d_val = kFar; }},
  };
  for (const auto& [what, edit] : kEdits) EXPECT_NE(error_of(edited(edit)), "no error") << what;
}

TEST_F(Mapped, AHashTableThatLeadsNowhereIsAnError) {
  const MappedLibrary library(edited([](std::string& b) {
    auto* hash = reinterpret_cast<uint32_t*>(b.data() + dynamic_entry(b, DT_GNU_HASH).d_un.d_val);
    const uint32_t buckets = hash[0], bloom_words = hash[2];
    std::fill_n(hash + 4 + 2 * bloom_words, buckets, uint32_t{1} << 30);
  }));
  EXPECT_THROW(library.symbol("run"), Error);
}

}  // namespace
}  // namespace gatefold::test
