// Packed weights that the caller owns.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "accuracy/guarded_memory.h"
#include "runtime/packed_header.h"
#include "tests/runtime/block.h"
#include "tests/runtime/resident_bytes.h"

namespace gatefold::test {
namespace {

constexpr int64_t kRows = 5;

FakeOptions pairs_with_bias() {
  FakeOptions o;
  o.dtype = GF_BF16;
  o.bias = true;
  o.packing = {16, 2, 8, 2};
  o.steps = 2;
  o.word_code = 1;
  return o;
}

/// A block's weights as gf_ffn_pack writes them.
struct PackedBlock {
  Block block;
  std::vector<uint8_t> memory;
  uint8_t* data = nullptr;
  int64_t bytes = 0;

  explicit PackedBlock(const FakeOptions& o, int threads = 2) : block(o) {
    bytes = packed_bytes(block.library, o.d_model, o.d_ff);
    memory.resize(static_cast<size_t>(bytes) + 64, 0xee);
    data = memory.data() + (-reinterpret_cast<uintptr_t>(memory.data()) & 63);
    pack(block.library, o.d_model, o.d_ff, block.weights(), data, bytes, options(threads));
  }

  Ffn make(const void* from, int64_t size) const {
    return Ffn(block.library, block.fake.options.d_model, block.fake.options.d_ff, from, size,
               options(2));
  }
  gf_status create(const void* from, int64_t size) const {
    const FakeOptions& o = block.fake.options;
    const gf_ffn_desc desc = {sizeof desc, o.d_model, o.d_ff, nullptr};
    gf_ffn* ffn = nullptr;
    const gf_status status =
        gf_ffn_create_packed(block.library.get(), &desc, from, size, nullptr, &ffn);
    EXPECT_EQ(ffn != nullptr, status == GF_OK);
    gf_ffn_destroy(ffn);
    return status;
  }
  std::vector<uint8_t> wanted() const {
    Ffn own = block.make();
    return block.run(own, block.input(kRows), kRows);
  }
};

TEST(Packed, RunsLikeABlockThatPacksItself) {
  for (const FakeOptions& o : {FakeOptions{}, FakeOptions{.variant = "relu", .bias = true},
                               FakeOptions{.any = true}, pairs_with_bias()}) {
    const PackedBlock packed(o);
    Ffn ffn = packed.make(packed.data, packed.bytes);
    EXPECT_EQ(packed.block.run(ffn, packed.block.input(kRows), kRows), packed.wanted());
    EXPECT_EQ(ffn.report().packed_weight_bytes, packed.bytes);
    EXPECT_EQ(packed.memory.back(), 0xee) << "nothing is written behind the end";
  }
}

TEST(Packed, SameBytesForAnyThreadCount) {
  const PackedBlock one(pairs_with_bias(), 1), four(pairs_with_bias(), 4);
  ASSERT_EQ(one.bytes, four.bytes);
  EXPECT_EQ(std::memcmp(one.data, four.data, static_cast<size_t>(one.bytes)), 0);
}

TEST(Packed, IsNotCopied) {
  const PackedBlock packed({});
  Ffn ffn = packed.make(packed.data, packed.bytes);
  const Values x = packed.block.input(kRows);
  const std::vector<uint8_t> with_weights = packed.block.run(ffn, x, kRows);
  std::memset(packed.data + kPackedHeaderBytes, 0,
              static_cast<size_t>(packed.bytes - kPackedHeaderBytes));
  EXPECT_NE(packed.block.run(ffn, x, kRows), with_weights);
}

TEST(Packed, ABlockOccupiesLittleMoreThanItsWeights) {
  const Block block({.variant = "relu", .d_model = 512, .d_ff = 1100});
  const int64_t weights = int64_t{2} * 512 * 1100 * 4, before = resident_bytes();
  Ffn ffn = block.make(2);
  const int64_t grown = resident_bytes() - before, reported = ffn.report().packed_weight_bytes;
  EXPECT_GE(reported, weights);
  EXPECT_LE(static_cast<double>(reported), 1.02 * static_cast<double>(weights));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // their own books grow
  EXPECT_LE(grown, reported + (int64_t{1} << 20)) << "what is reported is what is resident";
#endif
}

/// A file that is mapped for reading only.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY);
    bytes_ = lseek(file, 0, SEEK_END);
    data_ = mmap(nullptr, static_cast<size_t>(bytes_), PROT_READ, MAP_SHARED, file, 0);
    close(file);
  }
  ~MappedFile() { munmap(data_, static_cast<size_t>(bytes_)); }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  const void* data() const { return data_; }
  int64_t bytes() const { return bytes_; }

 private:
  int64_t bytes_ = 0;
  void* data_ = MAP_FAILED;
};

TEST(Packed, OneReadOnlyFileServesTwoProcesses) {
  const PackedBlock packed(pairs_with_bias());
  const std::string path = testing::TempDir() + "packed_" + std::to_string(getpid());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(packed.data), packed.bytes);
  const Values x = packed.block.input(kRows);
  const std::vector<uint8_t> wanted = packed.wanted();
  const auto runs_from_file = [&] {
    const MappedFile file(path);
    Ffn first = packed.make(file.data(), file.bytes());
    Ffn second = packed.make(file.data(), file.bytes());
    return packed.block.run(first, x, kRows) == wanted &&
           packed.block.run(second, x, kRows) == wanted;
  };
#if !defined(__SANITIZE_THREAD__)  // it allows no threads after fork
  const pid_t child = fork();
  if (child == 0) _exit(runs_from_file() ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
#endif
  EXPECT_TRUE(runs_from_file());
  std::remove(path.c_str());
}

TEST(Packed, NothingBehindTheEndIsRead) {
  const PackedBlock packed(pairs_with_bias());
  const GuardedMemory guarded(static_cast<size_t>(packed.bytes), GuardedMemory::At::end);
  std::memcpy(guarded.data(), packed.data, static_cast<size_t>(packed.bytes));
  Ffn ffn = packed.make(guarded.data(), packed.bytes);
  EXPECT_EQ(packed.block.run(ffn, packed.block.input(kRows), kRows), packed.wanted());
}

TEST(Packed, TruncatedBuffersAreRefusedUnread) {
  const PackedBlock packed(pairs_with_bias());
  for (int64_t bytes : {int64_t{-1}, int64_t{0}, int64_t{1}, int64_t{511}, int64_t{512},
                        packed.bytes / 2, packed.bytes - 1}) {
    const GuardedMemory guarded(bytes > 0 ? static_cast<size_t>(bytes + 63) / 64 * 64 : 64,
                                GuardedMemory::At::end);
    if (bytes > 0) std::memcpy(guarded.data(), packed.data, static_cast<size_t>(bytes));
    EXPECT_STATUS(packed.create(guarded.data(), bytes), GF_INVALID_ARGUMENT);
    EXPECT_EQ(std::string(gf_last_error()), "packed weights: " + std::to_string(bytes) +
                                                " bytes, wanted " + std::to_string(packed.bytes));
  }
  EXPECT_STATUS(packed.create(nullptr, packed.bytes), GF_INVALID_ARGUMENT);
}

TEST(Packed, EveryByteOfTheHeaderCounts) {
  const PackedBlock packed(pairs_with_bias());
  for (int64_t i = 0; i < kPackedHeaderBytes; ++i) {
    packed.data[i] ^= 0x41;
    EXPECT_STATUS(packed.create(packed.data, packed.bytes), GF_BAD_PACKED_WEIGHTS) << "byte " << i;
    packed.data[i] ^= 0x41;
  }
  EXPECT_STATUS(packed.create(packed.data, packed.bytes), GF_OK);
}

TEST(Packed, MisalignedBuffersAreRefused) {
  const PackedBlock packed({});
  std::vector<uint8_t> memory(static_cast<size_t>(packed.bytes) + 128);
  uint8_t* aligned = memory.data() + (-reinterpret_cast<uintptr_t>(memory.data()) & 63);
  for (int64_t shift : {1, 4, 16, 32, 63}) {
    std::memcpy(aligned + shift, packed.data, static_cast<size_t>(packed.bytes));
    EXPECT_STATUS(packed.create(aligned + shift, packed.bytes), GF_INVALID_ARGUMENT);
    EXPECT_NE(std::string(gf_last_error()).find("aligned to 64 bytes"), std::string::npos);
    const gf_ffn_desc desc = {sizeof desc, 37, 21, nullptr};
    const gf_ffn_weights weights = packed.block.weights();
    EXPECT_STATUS(gf_ffn_pack(packed.block.library.get(), &desc, &weights, nullptr, aligned + shift,
                              packed.bytes),
                  GF_INVALID_ARGUMENT);
  }
}

struct Foreign {
  std::string message;
  std::function<void(FakeOptions&)> change;
};

TEST(Packed, ForeignBuffersAreNamedWithBothValues) {
  const Foreign foreigns[] = {
      {"variant 'geglu', wanted 'swiglu'", [](auto& o) { o.variant = "geglu"; }},
      {"variant 'relu', wanted 'swiglu'", [](auto& o) { o.variant = "relu"; }},
      {"dtype 'bf16', wanted 'f32'",
       [](auto& o) {
         o.dtype = GF_BF16;
         o.word_bits = 16;
       }},
      {"d_model 38, wanted 37", [](auto& o) { o.d_model = 38; }},
      {"d_ff 22, wanted 21", [](auto& o) { o.d_ff = 22; }},
      {"has_bias 1, wanted 0", [](auto& o) { o.bias = true; }},
      {"target '" + std::string(kSecondTarget) + "', wanted '" + kLowestTarget + "'",
       [](auto& o) { o.targets = {kSecondTarget}; }},
      {"packing panel 8, wanted 16", [](auto& o) { o.packing.panel = 8; }},
      {"packing k_step 4, wanted 1", [](auto& o) { o.packing.k_step = 4; }},
      {"packing group 4, wanted 2", [](auto& o) { o.packing.group = 4; }},
  };
  const PackedBlock here({});
  for (const Foreign& foreign : foreigns) {
    FakeOptions o;
    foreign.change(o);
    if (!gf_isa_usable(o.targets[0])) continue;
    const PackedBlock other(o);
    EXPECT_STATUS(here.create(other.data, other.bytes), GF_BAD_PACKED_WEIGHTS);
    EXPECT_EQ(std::string(gf_last_error()), "packed weights: " + foreign.message);
  }
}

TEST(Packed, OtherParametersAreNamed) {
  PackedBlock packed({.variant = "leaky_relu"});
  packed.block.fake.table.slope = 0.25f;
  EXPECT_STATUS(packed.create(packed.data, packed.bytes), GF_BAD_PACKED_WEIGHTS);
  EXPECT_EQ(std::string(gf_last_error()), "packed weights: slope 0.00999999978, wanted 0.25");
}

TEST(Packed, WhatIsNotPackedWeightsIsShownSafely) {
  const PackedBlock packed({});
  std::memcpy(packed.data, "\x1b[2J\n%s\xff", 8);
  EXPECT_STATUS(packed.create(packed.data, packed.bytes), GF_BAD_PACKED_WEIGHTS);
  EXPECT_STREQ(gf_last_error(), "packed weights: first bytes '?[2J?%s?', wanted 'gfpacked'");
}

TEST(Packed, APoolThatFailsLeavesNothingThatPassesForPacked) {
  const PackedBlock packed({.d_ff = 600});
  gf_options options = gatefold::options(4);
  options.parallel_for = [](void*, int, gf_task, void*) { return 1; };
  const gf_ffn_desc desc = {sizeof desc, 37, 600, nullptr};
  const gf_ffn_weights weights = packed.block.weights();
  EXPECT_STATUS(
      gf_ffn_pack(packed.block.library.get(), &desc, &weights, &options, packed.data, packed.bytes),
      GF_PARALLEL_FOR_FAILED);
  EXPECT_STATUS(packed.create(packed.data, packed.bytes), GF_BAD_PACKED_WEIGHTS);
}

TEST(Packed, BadArguments) {
  const PackedBlock packed({});
  const gf_library* library = packed.block.library.get();
  const gf_ffn_desc desc = {sizeof desc, 37, 21, nullptr}, wrong = {sizeof wrong, 38, 21, nullptr};
  const gf_ffn_weights weights = packed.block.weights();
  int64_t bytes = -1;
  EXPECT_STATUS(gf_ffn_packed_bytes(nullptr, &desc, nullptr, &bytes), GF_INVALID_ARGUMENT);
  EXPECT_STATUS(gf_ffn_packed_bytes(library, nullptr, nullptr, &bytes), GF_INVALID_ARGUMENT);
  EXPECT_STATUS(gf_ffn_packed_bytes(library, &desc, nullptr, nullptr), GF_INVALID_ARGUMENT);
  EXPECT_STATUS(gf_ffn_packed_bytes(library, &wrong, nullptr, &bytes), GF_SHAPE_MISMATCH);
  EXPECT_EQ(bytes, 0);
  const auto pack_to = [&](const gf_ffn_weights* w, void* to, int64_t size) {
    return gf_ffn_pack(library, &desc, w, nullptr, to, size);
  };
  EXPECT_STATUS(pack_to(nullptr, packed.data, packed.bytes), GF_INVALID_ARGUMENT);
  EXPECT_STATUS(pack_to(&weights, nullptr, packed.bytes), GF_INVALID_ARGUMENT);
  EXPECT_STATUS(pack_to(&weights, packed.data, packed.bytes - 1), GF_INVALID_ARGUMENT);
  gf_ffn* ffn = nullptr;
  EXPECT_STATUS(gf_ffn_create_packed(nullptr, &desc, packed.data, packed.bytes, nullptr, &ffn),
                GF_INVALID_ARGUMENT);
  EXPECT_STATUS(gf_ffn_create_packed(library, &desc, packed.data, packed.bytes, nullptr, nullptr),
                GF_INVALID_ARGUMENT);
  EXPECT_STATUS(gf_ffn_create_packed(library, nullptr, packed.data, packed.bytes, nullptr, &ffn),
                GF_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace gatefold::test
