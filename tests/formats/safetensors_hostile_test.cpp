#include <gmock/gmock.h>

#include "formats/safetensors.h"
#include "tests/formats/files.h"
#include "tests/formats/safetensors_files.h"

namespace gatefold::test {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;

struct Hostile {
  const char* name;
  std::string bytes;
  std::vector<const char*> wanted;
};

void PrintTo(const Hostile& hostile, std::ostream* out) { *out << hostile.name; }

/// A file of one F32 tensor "gate".
std::string gate(const std::string& shape, const std::string& offsets, size_t data_bytes) {
  return raw_safetensors("{" + entry("gate", "\"F32\"", shape, offsets) + "}",
                         std::string(data_bytes, 'x'));
}

std::string of_dtype(const std::string& dtype) {
  return raw_safetensors("{" + entry("gate", dtype, "[1]", "[0,4]") + "}", "xxxx");
}

/// A file of two F32 tensors of one element, "a" and "b".
std::string two(const std::string& a, const std::string& b, size_t data_bytes) {
  return raw_safetensors(
      "{" + entry("a", "\"F32\"", "[1]", a) + "," + entry("b", "\"F32\"", "[1]", b) + "}",
      std::string(data_bytes, 'x'));
}

const std::string kEntry = entry("gate", "\"F32\"", "[1]", "[0,4]");

class HostileSafetensors : public testing::TestWithParam<Hostile> {};

TEST_P(HostileSafetensors, IsAnError) {
  const TempFolder folder;
  const auto path = folder.file("w.safetensors", GetParam().bytes);
  const std::string message = error_of([&] { Safetensors::open(path); });
  EXPECT_THAT(message, HasSubstr("w.safetensors: "));
  for (const char* part : GetParam().wanted) EXPECT_THAT(message, HasSubstr(part));
}

const Hostile kHeaders[] = {
    {"Empty", "", {"empty"}},
    {"SevenBytes", "\x02\0\0\0\0\0\0"s, {"7 bytes", "at least 8"}},
    {"LengthOnly", "\x02\0\0\0\0\0\0\0"s, {"header length 2", "0 bytes follow"}},
    {"HeaderLongerThanTheFile", raw_safetensors("{}", "", 3), {"header length 3", "2 bytes"}},
    {"LengthOf64Bits",
     raw_safetensors("{}", "", UINT64_MAX),
     {"header length 18446744073709551615 is past the end"}},
    {"LengthThatWrapsToZero",
     raw_safetensors("{}", "", UINT64_MAX - 7),
     {"18446744073709551608 is past the end"}},
    {"LengthThatWrapsToTwo",
     raw_safetensors("{}", "", UINT64_MAX - 5),
     {"18446744073709551610 is past the end"}},
    {"LengthOfTheSignBit",
     raw_safetensors("{}", "", 1ull << 63),
     {"9223372036854775808 is past the end"}},
    {"NoHeader", raw_safetensors(""), {"header begins with ''", "'{'"}},
    {"NotJson", raw_safetensors("not json"), {"header begins with 'n'", "'{'"}},
    {"JsonArray", raw_safetensors("[" + kEntry + "]"), {"header begins with '['", "'{'"}},
    {"JsonString", raw_safetensors("\"{}\""), {"header begins with '\"'", "'{'"}},
    {"JsonNull", raw_safetensors("null"), {"header begins with 'n'", "'{'"}},
    {"LeadingSpace", raw_safetensors(" {}"), {"header begins with ' '", "'{'"}},
    {"CutJson", raw_safetensors("{" + kEntry), {"header is not JSON at byte"}},
    {"CutInAName", raw_safetensors("{\"ga"), {"header is not JSON at byte"}},
    {"TextAfterJson", raw_safetensors("{} {}"), {"header is not JSON at byte"}},
    {"TextAfterZeroByte", raw_safetensors("{}\0{}"s), {"zero byte at byte 2"}},
    {"ByteOrderMark", raw_safetensors("\xEF\xBB\xBF{}"), {"header begins with '\\xef'"}},
    {"Utf8Broken", raw_safetensors("{\"\xC3(\":{}}"), {"header is not JSON at byte"}},
    {"Comment", raw_safetensors("{/**/}"), {"header is not JSON at byte"}},
    {"DeepArrays", raw_safetensors("{\"a\":" + std::string(100000, '[')), {"tensor 'a'", "array"}},
    {"DeepObjects",
     raw_safetensors("{\"a\":{\"dtype\":{\"dtype\":{"),
     {"tensor 'a': field 'dtype': found an object, wanted a string"}},
    {"NumberPastDouble", raw_safetensors("{\"a\":1e999}"), {"header is not JSON"}},
};

const Hostile kEntries[] = {
    {"DuplicateName",
     raw_safetensors("{" + kEntry + "," + kEntry + "}", "xxxx"),
     {"tensor 'gate': duplicate name"}},
    {"DuplicateNameSpeltOtherwise",
     raw_safetensors("{" + kEntry + "," + entry("g\\u0061te", "\"F32\"", "[1]", "[4,8]") + "}",
                     "xxxxxxxx"),
     {"tensor 'gate': duplicate name"}},
    {"DuplicateField",
     raw_safetensors("{\"gate\":{\"dtype\":\"F32\",\"dtype\":\"F16\"}}"),
     {"tensor 'gate': field 'dtype': duplicate name"}},
    {"DuplicateMetadata",
     raw_safetensors("{\"__metadata__\":{},\"__metadata__\":{}}"),
     {"'__metadata__': duplicate name"}},
    {"DuplicateMetadataName",
     raw_safetensors("{\"__metadata__\":{\"a\":\"\",\"a\":\"\"}}"),
     {"__metadata__ entry 'a': duplicate name"}},
    {"MetadataIsNoString",
     raw_safetensors("{\"__metadata__\":{\"a\":1}}"),
     {"__metadata__ entry 'a': found 1, wanted a string"}},
    {"MetadataIsNested",
     raw_safetensors("{\"__metadata__\":{\"a\":{}}}"),
     {"__metadata__ entry 'a': found an object, wanted a string"}},
    {"MetadataIsArray",
     raw_safetensors("{\"__metadata__\":[]}"),
     {"'__metadata__': found an array, wanted an object"}},
    {"TensorIsNumber", raw_safetensors("{\"a\":7}"), {"'a': found 7, wanted an object"}},
    {"TensorIsString", raw_safetensors("{\"a\":\"b\"}"), {"'a': found 'b', wanted an object"}},
    {"TensorIsNull", raw_safetensors("{\"a\":null}"), {"'a': found null, wanted an object"}},
    {"NoDtype",
     raw_safetensors("{\"a\":{\"shape\":[],\"data_offsets\":[0,4]}}", "xxxx"),
     {"tensor 'a': field 'dtype': missing"}},
    {"NoShape",
     raw_safetensors("{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", "xxxx"),
     {"tensor 'a': field 'shape': missing"}},
    {"NoOffsets",
     raw_safetensors("{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", "xxxx"),
     {"tensor 'a': field 'data_offsets': missing"}},
    {"NoFields", raw_safetensors("{\"a\":{}}"), {"tensor 'a': field 'dtype': missing"}},
    {"UnknownField",
     raw_safetensors("{\"a\":{\"strides\":[4]}}"),
     {"tensor 'a': field 'strides': unknown field"}},
    {"UnknownDtype", of_dtype("\"Q4_0\""), {"tensor 'gate': unknown dtype 'Q4_0'", "BF16"}},
    {"LowerCaseDtype", of_dtype("\"f32\""), {"tensor 'gate': unknown dtype 'f32'", "F32"}},
    {"EmptyDtype", of_dtype("\"\""), {"tensor 'gate': unknown dtype ''"}},
    {"DtypeIsNumber", of_dtype("32"), {"field 'dtype': found 32, wanted a string"}},
    {"DtypeIsArray", of_dtype("[\"F32\"]"), {"field 'dtype': found an array, wanted a string"}},
    {"NameWithLineBreakAndTerminalCode",
     raw_safetensors("{" + entry("a\\n\\u001b[2J", "\"F32\"", "[2]", "[0,4]") + "}", "xxxx"),
     {"tensor 'a\\x0a\\x1b[2J'"}},
    {"LongName",
     raw_safetensors("{" + entry(std::string(100000, 'n'), "\"F32\"", "[2]", "[0,4]") + "}"),
     {"nnn...'"}},
};

const Hostile kShapes[] = {
    {"ShapeIsNumber", gate("4", "[0,4]", 4), {"field 'shape': found 4, wanted an array"}},
    {"ShapeIsString", gate("\"4\"", "[0,4]", 4), {"field 'shape': found '4', wanted an array"}},
    {"ShapeHoldsString", gate("[\"1\"]", "[0,4]", 4), {"field 'shape': found '1'", "integer"}},
    {"ShapeHoldsNull", gate("[null]", "[0,4]", 4), {"field 'shape': found null", "integer"}},
    {"ShapeHoldsTrue", gate("[true]", "[0,4]", 4), {"field 'shape': found true", "integer"}},
    {"ShapeHoldsArray", gate("[[1]]", "[0,4]", 4), {"field 'shape': found an array", "integer"}},
    {"ShapeHoldsFloat", gate("[1.0]", "[0,4]", 4), {"field 'shape': found 1.0", "integer"}},
    {"NegativeSize", gate("[-1]", "[0,4]", 4), {"field 'shape': found -1", "integer from 0"}},
    {"TwoNegativeSizes", gate("[-1,-1]", "[0,4]", 4), {"found -1", "integer from 0"}},
    {"SizeOf63Bits", gate("[9223372036854775808]", "[0,4]", 4), {"9223372036854775808", "2^63"}},
    {"SizeOf65Bits", gate("[18446744073709551617]", "[0,4]", 4), {"18446744073709551617", "2^63"}},
    {"ProductThatWrapsToZero",
     gate("[4611686018427387904,4]", "[0,0]", 0),
     {"tensor 'gate': shape [4611686018427387904, 4] of F32 is too large"}},
    {"ProductThatWrapsToOne",
     gate("[9223372036854775807,9223372036854775807]", "[0,4]", 4),
     {"is too large"}},
    {"BytesThatWrapToZero", gate("[4611686018427387904]", "[0,0]", 0), {"is too large"}},
    {"OverflowBeforeZero", gate("[4611686018427387904,4,0]", "[0,0]", 0), {"is too large"}},
    {"OverflowAfterZero", gate("[0,4611686018427387904,4]", "[0,0]", 0), {"is too large"}},
    {"ShapeLargerThanTheData",
     gate("[1000,1000]", "[0,4]", 4),
     {"tensor 'gate': data_offsets hold 4 bytes, wanted 4000000 for shape [1000, 1000] of F32"}},
    {"ShapeSmallerThanTheData", gate("[1]", "[0,8]", 8), {"hold 8 bytes, wanted 4"}},
    {"DataForNoElements", gate("[0]", "[0,4]", 4), {"hold 4 bytes, wanted 0"}},
    {"NoDataForAScalar", gate("[]", "[0,0]", 0), {"hold 0 bytes, wanted 4"}},
    {"HalfAByte",
     raw_safetensors("{" + entry("q", "\"F4\"", "[3]", "[0,1]") + "}", "x"),
     {"tensor 'q': shape [3] of F4 is not a whole number of bytes"}},
};

const Hostile kOffsets[] = {
    {"BeginPastEnd",
     gate("[1]", "[4,0]", 4),
     {"tensor 'gate': data_offsets begin 4 is past their end 0"}},
    {"EndPastTheData",
     gate("[1024]", "[0,4096]", 1024),
     {"tensor 'gate': data_offsets end 4096 is past the data section (1024 bytes)"}},
    {"EndOneBytePastTheData", gate("[1]", "[0,4]", 3), {"end 4 is past", "(3 bytes)"}},
    {"EndOf64Bits", gate("[1]", "[0,18446744073709551615]", 4), {"end 18446744073709551615"}},
    {"BothNear64Bits",
     gate("[1]", "[18446744073709551611,18446744073709551615]", 4),
     {"end 18446744073709551615 is past the data section (4 bytes)"}},
    {"EndOf65Bits", gate("[1]", "[0,18446744073709551616]", 4), {"found 18446744073709551616"}},
    {"NegativeBegin", gate("[1]", "[-4,0]", 4), {"field 'data_offsets': found -4"}},
    {"FloatOffset", gate("[1]", "[0.0,4]", 4), {"field 'data_offsets': found 0.0"}},
    {"OneOffset", gate("[1]", "[0]", 4), {"field 'data_offsets': 1 numbers, wanted 2"}},
    {"NoOffset", gate("[1]", "[]", 4), {"field 'data_offsets': 0 numbers, wanted 2"}},
    {"ThreeOffsets", gate("[1]", "[0,4,8]", 8), {"data_offsets': more than 2 numbers"}},
    {"OffsetsAreObject", gate("[1]", "{\"begin\":0}", 4), {"found an object, wanted an array"}},
    {"SameRange", two("[0,4]", "[0,4]", 4), {"tensor 'b'", "overlaps tensor 'a'"}},
    {"Overlap",
     two("[0,4]", "[2,6]", 6),
     {"'b': data_offsets begin 2 overlaps tensor 'a'", "at 4"}},
    {"OverlapInOtherOrder", two("[2,6]", "[0,4]", 6), {"begin 2 overlaps tensor 'b'"}},
    {"EmptyTensorInsideAnother",
     raw_safetensors("{" + entry("a", "\"F32\"", "[2]", "[0,8]") + "," +
                         entry("b", "\"F32\"", "[0]", "[4,4]") + "}",
                     "xxxxxxxx"),
     {"'b': data_offsets begin 4 overlaps tensor 'a'"}},
    {"GapAtTheStart", gate("[1]", "[4,8]", 8), {"begin 4 leaves a gap, wanted 0"}},
    {"GapBetween", two("[0,4]", "[8,12]", 12), {"'b'", "begin 8 leaves a gap, wanted 4"}},
    {"TrailingBytes", gate("[1]", "[0,4]", 5), {"data section has 5 bytes, wanted 4"}},
    {"DataWithoutTensors", raw_safetensors("{}", "x"), {"data section has 1 bytes, wanted 0"}},
};

const auto kName = [](const auto& info) { return std::string(info.param.name); };
INSTANTIATE_TEST_SUITE_P(Header, HostileSafetensors, testing::ValuesIn(kHeaders), kName);
INSTANTIATE_TEST_SUITE_P(Entry, HostileSafetensors, testing::ValuesIn(kEntries), kName);
INSTANTIATE_TEST_SUITE_P(Shape, HostileSafetensors, testing::ValuesIn(kShapes), kName);
INSTANTIATE_TEST_SUITE_P(Offsets, HostileSafetensors, testing::ValuesIn(kOffsets), kName);

TEST(SafetensorsLimits, HeaderPast100MegabytesIsRefusedUnread) {
  const TempFolder folder;
  const auto path = folder.file("w.safetensors", raw_safetensors("{", "", 100'000'001));
  std::filesystem::resize_file(path, 100'000'001 + 8);  // a hole: takes no disk
  EXPECT_THAT(error_of([&] { Safetensors::open(path); }),
              HasSubstr("header length 100000001, wanted at most 100000000"));
}

TEST(SafetensorsLimits, RankIsBounded) {
  const TempFolder folder;
  std::string sizes = "[1";
  for (int i = 0; i < 64; ++i) sizes += ",1";
  const auto path = folder.file("w.safetensors", gate(sizes + "]", "[0,4]", 4));
  EXPECT_THAT(error_of([&] { Safetensors::open(path); }), HasSubstr("more than 64 dimensions"));
}

TEST(SafetensorsLimits, ProposalsAmongManyAndLongNames) {
  const TempFolder folder;
  std::string header = "{" + entry(std::string(1'000'000, 'g'), "\"F32\"", "[0]", "[0,0]");
  for (int i = 0; i < 10'000; ++i) {
    header += "," + entry("t" + std::to_string(i), "\"F32\"", "[0]", "[0,0]");
  }
  const auto path = folder.file("w.safetensors", raw_safetensors(header + "}"));
  const Safetensors file = Safetensors::open(path);
  EXPECT_THAT(error_of([&] { file.tensor(std::string(100'000, 'g')); }), HasSubstr("ggg...'"));
}

/// Whatever one wrong byte does, it ends in an Error or in tensors that lie inside the file.
TEST(SafetensorsLimits, AnyOneChangedByteIsAnErrorOrInsideTheFile) {
  const TempFolder folder;
  const std::string good = two("[0,4]", "[4,8]", 8);
  for (size_t at = 0; at < good.size() - 8; ++at) {
    for (const char value : {'\0', '\x01', '"', '9', '[', '}', '-', '\xFF'}) {
      std::string bytes = good;
      bytes[at] = value;
      try {
        const Safetensors file = Safetensors::open(folder.file("w.safetensors", bytes));
        for (const std::string& name : file.names()) {
          const Tensor& tensor = file.tensor(name);
          EXPECT_EQ(tensor.data.size(), 4u);
          EXPECT_EQ(std::to_integer<char>(tensor.data[3]), 'x');
        }
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace
}  // namespace gatefold::test
