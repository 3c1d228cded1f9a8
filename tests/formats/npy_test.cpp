#include "formats/npy.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tests/formats/files.h"

namespace gatefold::test {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string little_endian(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

std::string npy(const std::string& dict, const std::string& data, char major = 1) {
  const std::string length = little_endian(dict.size(), major == 1 ? 2 : 4);
  return "\x93NUMPY"s + major + '\0' + length + dict + data;
}

std::string floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

std::string dict(const std::string& shape, const std::string& descr = "'<f4'",
                 const std::string& fortran = "False") {
  return "{'descr': " + descr + ", 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

NpyArray read(const std::string& bytes, size_t rank = 2) {
  const TempFolder folder;
  return read_npy_f32(folder.file("x.npy", bytes), rank);
}

TEST(ReadNpy, Matrix) {
  const NpyArray array = read(npy(dict("(2, 3)") + "     \n", floats({1, 2, 3, 4, 5, 6})));
  EXPECT_THAT(array.shape, ElementsAre(2, 3));
  EXPECT_THAT(array.values, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(ReadNpy, Versions) {
  for (const char major : {1, 2, 3}) {
    EXPECT_THAT(read(npy(dict("(1, 2)"), floats({7, 8}), major)).values, ElementsAre(7, 8));
  }
}

TEST(ReadNpy, DataAtAnyAddress) {
  for (int pad = 0; pad < 4; ++pad) {
    const std::string text = dict("(1, 2)") + std::string(pad, ' ');
    EXPECT_THAT(read(npy(text, floats({7, 8}))).values, ElementsAre(7, 8));
  }
}

TEST(ReadNpy, OtherRanks) {
  EXPECT_THAT(read(npy(dict("()"), floats({3})), 0).values, ElementsAre(3));
  EXPECT_THAT(read(npy(dict("(2,)"), floats({3, 4})), 1).shape, ElementsAre(2));
  EXPECT_THAT(read(npy(dict("(2, 1, 1)"), floats({3, 4})), 3).shape, ElementsAre(2, 1, 1));
}

TEST(ReadNpy, NoRows) {
  const NpyArray array = read(npy(dict("(0, 512)"), ""));
  EXPECT_THAT(array.shape, ElementsAre(0, 512));
  EXPECT_THAT(array.values, IsEmpty());
}

TEST(ReadNpy, OtherWritersSpelling) {
  const std::string text = "{\"shape\":(1,2),\"fortran_order\":False,\"descr\":\"<f4\"}";
  EXPECT_THAT(read(npy(text, floats({7, 8}))).values, ElementsAre(7, 8));
}

struct Hostile {
  const char* name;
  std::string bytes;
  std::vector<const char*> wanted;
};

void PrintTo(const Hostile& hostile, std::ostream* out) { *out << hostile.name; }

class HostileNpy : public testing::TestWithParam<Hostile> {};

TEST_P(HostileNpy, IsAnError) {
  const std::string message = error_of([&] { read(GetParam().bytes); });
  EXPECT_THAT(message, HasSubstr("x.npy: "));
  for (const char* part : GetParam().wanted) EXPECT_THAT(message, HasSubstr(part));
}

const std::string kSix = floats({1, 2, 3, 4, 5, 6});

const Hostile kHostile[] = {
    {"OtherRank", npy(dict("(6,)"), kSix), {"shape [6] has rank 1, wanted 2"}},
    {"ScalarRank", npy(dict("()"), floats({1})), {"shape [] has rank 0, wanted 2"}},
    {"FortranOrder", npy(dict("(2, 3)", "'<f4'", "True"), kSix), {"fortran_order is True"}},
    {"BigEndian", npy(dict("(2, 3)", "'>f4'"), kSix), {"'>f4'", "wanted '<f4'"}},
    {"Float64", npy(dict("(1, 3)", "'<f8'"), kSix), {"'<f8'", "wanted '<f4'"}},
    {"Objects", npy(dict("(2, 3)", "'|O'"), kSix), {"'|O'", "wanted '<f4'"}},
    {"Structured", npy(dict("(6,)", "[('a', '<f4')]"), kSix), {"found '[('a'", "plain dtype"}},
    {"TruncatedData", npy(dict("(2, 3)"), kSix.substr(0, 23)), {"23 bytes", "wanted 24"}},
    {"NoData", npy(dict("(2, 3)"), ""), {"0 bytes", "wanted 24"}},
    {"TrailingBytes", npy(dict("(2, 3)"), kSix + "x"), {"25 bytes", "wanted 24"}},
    {"TrailingBytesAfterNoRows", npy(dict("(0, 3)"), "abcd"), {"4 bytes", "wanted 0"}},
    {"NegativeSize", npy(dict("(-2, 3)"), kSix), {"found '-2, 3)", "a size from 0"}},
    {"TwoNegativeSizes", npy(dict("(-2, -3)"), kSix), {"found '-2, -3)", "a size from 0"}},
    {"SizePast64Bits", npy(dict("(18446744073709551618, 3)"), kSix), {"184467440", "2^63 - 1"}},
    {"ProductOverflows", npy(dict("(4611686018427387904, 4)"), ""), {"too large", "2^63"}},
    {"BytesOverflow", npy(dict("(4611686018427387904, 1)"), ""), {"too large", "2^63"}},
    {"HugeWithoutData", npy(dict("(1000000, 1000000)"), kSix), {"24 bytes", "4000000000000"}},
    {"SizeOf200Digits", npy(dict("(" + std::string(200, '1') + ")"), kSix), {"a size from 0"}},
    {"SizeIsText", npy(dict("('2', 3)"), kSix), {"found ''2', 3)", "a size from 0"}},
    {"SizeIsFloat", npy(dict("(2.0, 3)"), kSix), {"found '.0, 3)", "',' or ')' in shape"}},
    {"ShapeIsList", npy(dict("[2, 3]"), kSix), {"found '[2, 3]", "'(' of a tuple"}},
    {"OrderIsNumber", npy(dict("(2, 3)", "'<f4'", "0"), kSix), {"found '0", "True or False"}},
    {"HeaderIsList", npy("['<f4', False, (2, 3)]", kSix), {"found '['<f4'", "'{' of a dict"}},
    {"HeaderIsEmpty", npy("", kSix), {"found ''", "'{' of a dict"}},
    {"HeaderIsBinary", npy("\x01\x1b[2J\n"s, kSix), {"'\\x01\\x1b[2J\\x0a'"}},
    {"HeaderEndsEarly", npy("{'descr': '<f4', ", kSix), {"found ''", "a key in quotes"}},
    {"StringEndsEarly", npy("{'descr': '<f4, ", kSix), {"closing quote"}},
    {"TextAfterDict", npy(dict("(2, 3)") + " {}", kSix), {"found '{}'", "the end of the header"}},
    {"NoShape", npy("{'descr': '<f4', 'fortran_order': False}", kSix), {"no 'shape'"}},
    {"NoDescr", npy("{'shape': (2, 3), 'fortran_order': False}", kSix), {"no 'descr'"}},
    {"NoOrder", npy("{'descr': '<f4', 'shape': (2, 3)}", kSix), {"no 'fortran_order'"}},
    {"DuplicateKey", npy("{'descr': '<f4', 'descr': '<f4'}", kSix), {"'descr' twice"}},
    {"UnknownKey", npy("{'strides': (4, 8)}", kSix), {"unknown key 'strides'"}},
    {"HeaderPastTheEnd", "\x93NUMPY\x01\0\xFF\xFF{}"s, {"header length 65535", "2 bytes follow"}},
    {"HeaderFarPastTheEnd",
     "\x93NUMPY\x02\0\xFF\xFF\xFF\xFF{}"s,
     {"header length 4294967295", "2 bytes follow"}},
    {"CutInTheLength", "\x93NUMPY\x01\0\x10"s, {"truncated before the header length"}},
    {"CutInTheLongLength", "\x93NUMPY\x02\0\x10\0\0"s, {"truncated before the header length"}},
    {"CutBeforeTheVersion", "\x93NUMPY"s, {"truncated before the .npy version"}},
    {"CutInTheMagic", "\x93NU"s, {"'\\x93NU'", "wanted '\\x93NUMPY'"}},
    {"OtherProgram", "PK\x03\x04 an .npz"s, {"'PK\\x03\\x04 a'", "wanted '\\x93NUMPY'"}},
    {"VersionZero", "\x93NUMPY\0\0\0\0"s, {"version 0.0"}},
    {"VersionFour", npy(dict("(2, 3)"), kSix, 4), {"version 4.0"}},
    {"MinorVersion", "\x93NUMPY\x01\x01\0\0"s, {"version 1.1"}},
    {"Empty", "", {"empty"}},
};

INSTANTIATE_TEST_SUITE_P(Formats, HostileNpy, testing::ValuesIn(kHostile),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ReadNpy, HighRankIsAnError) {
  std::string sizes;
  for (int i = 0; i < 1000; ++i) sizes += "1, ";
  EXPECT_THAT(error_of([&] { read(npy(dict("(" + sizes + ")"), kSix)); }),
              HasSubstr("more than 64 dimensions"));
}

TEST(ReadNpy, AnyOneChangedByteIsAnErrorOrAnArray) {
  const TempFolder folder;
  const std::string good = npy(dict("(2, 3)"), kSix);
  for (size_t i = 0; i < good.size() - kSix.size(); ++i) {
    for (const char value : {'\0', '\x01', '\'', '9', '(', ')', '-', '\xFF'}) {
      std::string bytes = good;
      bytes[i] = value;
      try {
        const NpyArray array = read_npy_f32(folder.file("x.npy", bytes), 2);
        EXPECT_EQ(array.values.size(), 6u);
      } catch (const Error&) {
      }
    }
  }
}

TEST(WriteNpy, ReadsBackBitForBit) {
  const TempFolder folder;
  const std::vector<float> values = {1.5f,
                                     -0.0f,
                                     std::numeric_limits<float>::infinity(),
                                     std::bit_cast<float>(0x7FC12345),
                                     std::numeric_limits<float>::denorm_min(),
                                     -3.0e38f};
  write_npy_f32(folder / "y.npy", 2, 3, values);
  const NpyArray array = read_npy_f32(folder / "y.npy", 2);
  EXPECT_THAT(array.shape, ElementsAre(2, 3));
  EXPECT_EQ(floats(array.values), floats(values));
  EXPECT_THAT(folder.names(), ElementsAre("y.npy"));
}

TEST(WriteNpy, TheBytesThatNumpyWrites) {
  const TempFolder folder;
  write_npy_f32(folder / "y.npy", 1, 2, std::vector<float>{1, 2});
  const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
  const std::string padded = text + std::string(118 - 1 - text.size(), ' ') + "\n";
  EXPECT_EQ(content(folder / "y.npy"), npy(padded, floats({1, 2})));
}

TEST(WriteNpy, DataIsAlignedWhateverTheShape) {
  const TempFolder folder;
  for (int64_t rows = 1; rows < 1'000'000'000'000; rows *= 10) {
    write_npy_f32(folder / "y.npy", rows, 0, {});
    EXPECT_EQ(std::filesystem::file_size(folder / "y.npy") % 64, 0u) << rows;
    EXPECT_THAT(read_npy_f32(folder / "y.npy", 2).shape, ElementsAre(rows, 0));
  }
}

TEST(WriteNpy, NoRows) {
  const TempFolder folder;
  write_npy_f32(folder / "y.npy", 0, 4096, {});
  EXPECT_THAT(read_npy_f32(folder / "y.npy", 2).shape, ElementsAre(0, 4096));
}

TEST(WriteNpy, WrongCountIsAnError) {
  const TempFolder folder;
  const std::vector<float> five(5);
  EXPECT_THAT(error_of([&] { write_npy_f32(folder / "y.npy", 2, 3, five); }),
              HasSubstr("5 values do not fit shape [2, 3]"));
  EXPECT_THAT(error_of([&] { write_npy_f32(folder / "y.npy", -1, -5, five); }),
              HasSubstr("do not fit shape [-1, -5]"));
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(WriteNpy, FileSizeLimitLeavesNothing) {
  const TempFolder folder;
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit low = before;
  low.rlim_cur = 1000;
  setrlimit(RLIMIT_FSIZE, &low);
  const std::string message =
      error_of([&] { write_npy_f32(folder / "y.npy", 100, 100, std::vector<float>(10000)); });
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_THAT(message, HasSubstr("y.npy: cannot write: File too large"));
  EXPECT_THAT(folder.names(), IsEmpty());
}

}  // namespace
}  // namespace gatefold::test
