#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <elf.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "gatefold/gatefold.hpp"
#include "tests/runtime/block.h"

namespace gatefold::test {
namespace {

using Change = std::function<void(FakeLibrary&)>;

gf_status link_changed(const Change& change) {
  FakeLibrary fake;
  change(fake);
  gf_library* library = nullptr;
  const gf_status status = gf_library_link(&fake.table, &library);
  EXPECT_EQ(library != nullptr, status == GF_OK);
  gf_library_close(library);
  return status;
}

TEST(LinkLibrary, GivesTheTableBack) {
  FakeLibrary fake;
  const Library library = Library::link(&fake.table);
  EXPECT_EQ(gf_library_table(library.get()), &fake.table);
  EXPECT_EQ(gf_library_table(nullptr), nullptr);
}

TEST(LinkLibrary, RefusesWhatItCannotRead) {
  const std::vector<Change> changes = {
      [](FakeLibrary& f) { f.table.magic = 1; },
      [](FakeLibrary& f) { f.table.version = GF_KERNEL_TABLE_VERSION + 1; },
      [](FakeLibrary& f) { f.table.struct_size = 8; },
      [](FakeLibrary& f) { f.table.kernel_size = 8; },
      [](FakeLibrary& f) { f.table.kernel_size += 1; },
      [](FakeLibrary& f) { f.table.library = nullptr; },
      [](FakeLibrary& f) { f.table.variant = nullptr; },
      [](FakeLibrary& f) { f.table.dtype = nullptr; },
      [](FakeLibrary& f) { f.table.dtype = "f64"; },
      [](FakeLibrary& f) { f.table.act_dtype = nullptr; },
      [](FakeLibrary& f) { f.table.act_dtype = "bf16"; },
      [](FakeLibrary& f) { f.table.accumulate = nullptr; },
      [](FakeLibrary& f) { f.table.accumulate = "bf16"; },
      [](FakeLibrary& f) { f.table.accumulate = "f16"; },  // beside f32 weights
      [](FakeLibrary& f) { f.table.kernels = nullptr; },
      [](FakeLibrary& f) { f.table.kernel_count = 0; },
      [](FakeLibrary& f) { f.table.kernel_count = -1; },
      [](FakeLibrary& f) { f.table.d_model = -1; },
      [](FakeLibrary& f) { f.table.d_ff = INT64_MAX; },
      [](FakeLibrary& f) { f.table.gated = 2; },
      [](FakeLibrary& f) { f.table.has_bias = -1; },
      [](FakeLibrary& f) { f.table.has_residual = 2; },
      [](FakeLibrary& f) { f.table.version = 2; },  // of before there were residuals
      [](FakeLibrary& f) { f.table.version = 4; },  // of before there were devices
      [](FakeLibrary& f) { f.kernels[1].name = nullptr; },
      [](FakeLibrary& f) { f.kernels[1].target = nullptr; },
      [](FakeLibrary& f) { f.kernels[1].point = nullptr; },
      [](FakeLibrary& f) { f.kernels[1].origin = nullptr; },
      [](FakeLibrary& f) { f.kernels[1].call = nullptr; },
      [](FakeLibrary& f) { f.kernels[1].rows_min = 0; },
      [](FakeLibrary& f) { f.kernels[1].rows_max = 1; },
      [](FakeLibrary& f) { f.kernels[1].packing.panel = 0; },
      [](FakeLibrary& f) { f.kernels[1].packing.panel = 1 << 20; },
      [](FakeLibrary& f) { f.kernels[1].packing.pair = 3; },
      [](FakeLibrary& f) { f.kernels[1].packing.k_step = -4; },
      [](FakeLibrary& f) { f.kernels[1].packing.group = 0; },
      [](FakeLibrary& f) { f.kernels[1].packing.panel = 8; },
      [](FakeLibrary& f) { f.kernels[1].word_bits = 16; },
      [](FakeLibrary& f) { f.kernels[1].word_code = 9; },
      [](FakeLibrary& f) { f.kernels[1].stream_count = 0; },
      [](FakeLibrary& f) { f.kernels[1].stream_count = 1000; },
      [](FakeLibrary& f) { f.kernels[1].streams = nullptr; },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    EXPECT_EQ(link_changed(changes[i]), GF_BAD_LIBRARY) << i << ": " << gf_last_error();
    EXPECT_NE(std::string(gf_last_error()), "");
  }
  EXPECT_EQ(link_changed([](FakeLibrary&) {}), GF_OK);
}

TEST(LinkLibrary, RefusesBadStreams) {
  const std::vector<gf_weight_stream> bad = {
      {3, 0, 1, 0}, {GF_MATRIX_UP, 0, 0, 0}, {GF_MATRIX_UP, 1, 1, 0}, {GF_MATRIX_UP, 0, 3, 0}};
  for (const gf_weight_stream& stream : bad) {
    FakeLibrary fake;
    fake.kernels[0].streams = &stream;
    fake.kernels[0].stream_count = 1;
    gf_library* library = nullptr;
    EXPECT_EQ(gf_library_link(&fake.table, &library), GF_BAD_LIBRARY);
  }
  FakeLibrary dense({.variant = "relu"});
  const gf_weight_stream gate = {GF_MATRIX_GATE, 0, 1, 0};
  dense.kernels[0].streams = &gate;
  dense.kernels[0].stream_count = 1;
  gf_library* library = nullptr;
  EXPECT_EQ(gf_library_link(&dense.table, &library), GF_BAD_LIBRARY) << "dense blocks have no gate";
}

/// A newer generator's kernels are longer: the stride is the table's.
TEST(LinkLibrary, ReadsLongerKernels) {
  struct Longer {
    gf_kernel kernel;
    uint64_t added;
  };
  Block block({.rows = {1, 8}});
  std::vector<Longer> longer;
  for (const gf_kernel& k : block.fake.kernels) longer.push_back({k, ~uint64_t{0}});
  block.fake.table.kernels = &longer[0].kernel;
  block.fake.table.kernel_size = sizeof(Longer);
  const Library library = block.link();
  Ffn ffn(library, 37, 21, block.weights(), options(1));
  EXPECT_LE(block.run_and_compare(ffn, 9).worst, 1);
}

TEST(LinkLibrary, NullPointersAreErrors) {
  gf_library* library = nullptr;
  FakeLibrary fake;
  EXPECT_EQ(gf_library_link(nullptr, &library), GF_INVALID_ARGUMENT);
  EXPECT_EQ(gf_library_link(&fake.table, nullptr), GF_INVALID_ARGUMENT);
  EXPECT_EQ(gf_library_open(nullptr, &library), GF_INVALID_ARGUMENT);
  gf_library_close(nullptr);
}

class OpenLibrary : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "openXXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ifstream file(GATEFOLD_FAKE_MODULE, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    ASSERT_GT(bytes_.size(), sizeof(Elf64_Ehdr));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  gf_status open_bytes(const std::string& bytes) {
    const std::string path = folder_ + "/lib" + std::to_string(++count_) + ".so";
    std::ofstream(path, std::ios::binary) << bytes;
    return open_path(path);
  }
  gf_status open_path(const std::string& path) {
    gf_library* library = nullptr;
    const gf_status status = gf_library_open(path.c_str(), &library);
    gf_library_close(library);
    return status;
  }

  std::string folder_, bytes_;
  int count_ = 0;
};

TEST_F(OpenLibrary, OpensAndRuns) {
  const Library library = Library::open(GATEFOLD_FAKE_MODULE);
  EXPECT_STREQ(library.table().library, "fake_module");
  const float one = 1;
  gf_ffn_weights w = weights();
  w.up = tensor(&one, 1, 1);
  w.down = tensor(&one, 1, 1);
  Ffn ffn(library, 1, 1, w, options(1));
  const float x = 3;
  float y = 0;
  ffn.run(&x, &y, 1);
  EXPECT_EQ(y, 42) << "what the module's kernel writes";
}

TEST_F(OpenLibrary, TruncationAtAnyPlaceIsAnError) {
  for (size_t size = 0; size + 1 < bytes_.size(); size += 1 + bytes_.size() / 97)
    EXPECT_EQ(open_bytes(bytes_.substr(0, size)), GF_BAD_LIBRARY) << size;
  EXPECT_EQ(open_bytes(bytes_), GF_OK);
}

TEST_F(OpenLibrary, HostileHeadersAreErrors) {
  const auto changed = [&](auto change) {
    std::string bytes = bytes_;
    change(*reinterpret_cast<Elf64_Ehdr*>(bytes.data()));
    return open_bytes(bytes);
  };
  EXPECT_EQ(changed([](Elf64_Ehdr& h) { h.e_phoff = ~0ull - 8; }), GF_BAD_LIBRARY);
  EXPECT_EQ(changed([](Elf64_Ehdr& h) { h.e_phnum = 0xffff; }), GF_BAD_LIBRARY);
  EXPECT_EQ(changed([](Elf64_Ehdr& h) { h.e_phentsize = 3; }), GF_BAD_LIBRARY);
  EXPECT_EQ(changed([](Elf64_Ehdr& h) { h.e_shoff = 1ull << 60; }), GF_BAD_LIBRARY);
  EXPECT_EQ(changed([](Elf64_Ehdr& h) { h.e_machine = EM_SPARC; }), GF_BAD_LIBRARY);
  EXPECT_EQ(changed([](Elf64_Ehdr& h) { h.e_type = ET_REL; }), GF_BAD_LIBRARY);
  EXPECT_EQ(changed([](Elf64_Ehdr& h) { h.e_ident[0] = 0; }), GF_BAD_LIBRARY);
}

TEST_F(OpenLibrary, LibrariesOfAnotherArchitectureAreNamed) {
  const auto made_for = [&](int machine) {
    std::string bytes = bytes_;
    reinterpret_cast<Elf64_Ehdr*>(bytes.data())->e_machine = static_cast<Elf64_Half>(machine);
    EXPECT_EQ(open_bytes(bytes), GF_BAD_LIBRARY);
    return std::string(gf_last_error());
  };
#if defined(__x86_64__)
  EXPECT_NE(made_for(EM_AARCH64).find("made for arm64, wanted x86_64"), std::string::npos);
#elif defined(__aarch64__)
  EXPECT_NE(made_for(EM_X86_64).find("made for x86_64, wanted arm64"), std::string::npos);
#endif
  EXPECT_NE(made_for(EM_SPARC).find("made for ELF machine 2, wanted "), std::string::npos);
}

TEST_F(OpenLibrary, OtherThingsAreErrors) {
  EXPECT_EQ(open_path(folder_ + "/none.so"), GF_BAD_LIBRARY);
  EXPECT_NE(std::string(gf_last_error()).find("none.so"), std::string::npos);
  EXPECT_EQ(open_path(folder_), GF_BAD_LIBRARY);
  EXPECT_EQ(open_path("/dev/zero"), GF_BAD_LIBRARY);
  const std::string fifo = folder_ + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(open_path(fifo), GF_BAD_LIBRARY);
  EXPECT_EQ(open_bytes("#!/bin/sh\n"), GF_BAD_LIBRARY);
}

TEST_F(OpenLibrary, AnotherSharedLibraryIsAnError) {
  EXPECT_EQ(open_path(GATEFOLD_OTHER_MODULE), GF_BAD_LIBRARY);
  EXPECT_NE(std::string(gf_last_error()).find("gatefold_kernels"), std::string::npos);
}

}  // namespace
}  // namespace gatefold::test
