#include "formats/safetensors.h"

#include <gmock/gmock.h>

#include "formats/little_endian.h"
#include "tests/formats/files.h"
#include "tests/formats/safetensors_files.h"

namespace gatefold::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::span<const std::byte> bytes_of(const auto& values) { return std::as_bytes(std::span(values)); }

std::vector<float> floats_of(const Tensor& tensor) {
  std::vector<float> values;
  for (size_t at = 0; at < tensor.data.size(); at += sizeof(float)) {
    values.push_back(load_little_endian<float>(tensor.data, at));
  }
  return values;
}

Safetensors open(const TempFolder& folder, const std::string& bytes) {
  return Safetensors::open(folder.file("w.safetensors", bytes));
}

std::string data_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

TEST(Safetensors, ReadsWhatWasWritten) {
  const TempFolder folder;
  const std::vector<float> gate = {1, 2, 3, 4, 5, 6};
  const std::vector<uint16_t> up = {0x3F80, 0x4000};
  const std::vector<uint16_t> down = {0x3C00, 0xC000, 0x0001};
  const Tensor tensors[] = {{"gate", TensorType::f32, {2, 3}, bytes_of(gate)},
                            {"up", TensorType::bf16, {2}, bytes_of(up)},
                            {"down", TensorType::f16, {3, 1}, bytes_of(down)}};
  write_safetensors(folder / "w.safetensors", tensors);
  EXPECT_THAT(folder.names(), ElementsAre("w.safetensors"));

  const Safetensors file = Safetensors::open(folder / "w.safetensors");
  EXPECT_THAT(file.names(), ElementsAre("down", "gate", "up"));
  EXPECT_EQ(file.tensor("gate").name, "gate");
  EXPECT_EQ(file.tensor("gate").type, TensorType::f32);
  EXPECT_THAT(file.tensor("gate").shape, ElementsAre(2, 3));
  EXPECT_EQ(floats_of(file.tensor("gate")), gate);
  EXPECT_EQ(file.tensor("up").type, TensorType::bf16);
  EXPECT_EQ(load_little_endian<uint16_t>(file.tensor("up").data, 2), 0x4000) << "2";
  EXPECT_EQ(file.tensor("down").type, TensorType::f16);
  EXPECT_EQ(load_little_endian<uint16_t>(file.tensor("down").data, 2), 0xC000) << "-2";
}

TEST(Safetensors, WrittenDataBeginsOnEightBytes) {
  const TempFolder folder;
  const std::vector<float> value = {1};
  for (size_t length = 1; length < 10; ++length) {
    const Tensor tensor{std::string(length, 'n'), TensorType::f32, {1}, bytes_of(value)};
    write_safetensors(folder / "w.safetensors", std::span(&tensor, 1));
    EXPECT_EQ(std::filesystem::file_size(folder / "w.safetensors") % 8, 4u);
    EXPECT_EQ(floats_of(Safetensors::open(folder / "w.safetensors").tensor(tensor.name)), value);
  }
}

TEST(Safetensors, UnalignedData) {
  const TempFolder folder;
  for (size_t pad = 0; pad < 8; ++pad) {
    const std::string header = "{" + entry("b", "\"U8\"", "[1]", "[0,1]") + "," +
                               entry("a", "\"F32\"", "[2]", "[1,9]") + "}" + std::string(pad, ' ');
    const Safetensors file = open(folder, raw_safetensors(header, "x" + data_of({3, -4})));
    EXPECT_THAT(floats_of(file.tensor("a")), ElementsAre(3, -4));
  }
}

TEST(Safetensors, DataStaysWhenTheFileObjectIsMoved) {
  const TempFolder folder;
  Safetensors first = open(
      folder, raw_safetensors("{" + entry("a", "\"F32\"", "[1]", "[0,4]") + "}", data_of({5})));
  const std::byte* address = first.tensor("a").data.data();
  const Safetensors second = std::move(first);
  EXPECT_EQ(second.tensor("a").data.data(), address);
  EXPECT_THAT(floats_of(second.tensor("a")), ElementsAre(5));
}

TEST(Safetensors, NoElements) {
  const TempFolder folder;
  const Safetensors file =
      open(folder, raw_safetensors("{" + entry("a", "\"F32\"", "[0,7]", "[0,0]") + "," +
                                       entry("b", "\"F32\"", "[1]", "[0,4]") + "," +
                                       entry("c", "\"BF16\"", "[3,0]", "[4,4]") + "}",
                                   data_of({5})));
  EXPECT_THAT(file.tensor("a").shape, ElementsAre(0, 7));
  EXPECT_THAT(file.tensor("a").data, IsEmpty());
  EXPECT_THAT(file.tensor("c").data, IsEmpty());
  EXPECT_THAT(floats_of(file.tensor("b")), ElementsAre(5));
}

TEST(Safetensors, ScalarAndNoTensors) {
  const TempFolder folder;
  const std::string scalar = "{" + entry("s", "\"F32\"", "[]", "[0,4]") + "}";
  EXPECT_THAT(floats_of(open(folder, raw_safetensors(scalar, data_of({9}))).tensor("s")),
              ElementsAre(9));
  EXPECT_THAT(open(folder, raw_safetensors("{}")).names(), IsEmpty());
}

TEST(Safetensors, MetadataIsAcceptedAndIsNoTensor) {
  const TempFolder folder;
  const std::string header = "{\"__metadata__\":{\"format\":\"pt\",\"dtype\":\"\"}," +
                             entry("a", "\"F32\"", "[1]", "[0,4]") + "}  ";
  const Safetensors file = open(folder, raw_safetensors(header, data_of({1})));
  EXPECT_THAT(file.names(), ElementsAre("a"));
}

TEST(Safetensors, AnyOrderOfTensorsAndFields) {
  const TempFolder folder;
  const std::string header = "{" + entry("b", "\"F32\"", "[1]", "[4,8]") +
                             ",\"a\":{\"data_offsets\":[0,4],\"shape\":[1],\"dtype\":\"F32\"}}";
  const Safetensors file = open(folder, raw_safetensors(header, data_of({1, 2})));
  EXPECT_THAT(floats_of(file.tensor("a")), ElementsAre(1));
  EXPECT_THAT(floats_of(file.tensor("b")), ElementsAre(2));
}

struct OtherDtype {
  const char* name;
  int bytes_of_eight;
};

TEST(Safetensors, FileWithOtherDtypesOpensButTheyAreNoWeights) {
  const TempFolder folder;
  const OtherDtype kOthers[] = {
      {"F64", 64},    {"C64", 64},    {"I64", 64},        {"U64", 64},       {"I32", 32},
      {"U32", 32},    {"I16", 16},    {"U16", 16},        {"I8", 8},         {"U8", 8},
      {"BOOL", 8},    {"F8_E4M3", 8}, {"F8_E5M2", 8},     {"F8_E8M0", 8},    {"F6_E2M3", 6},
      {"F6_E3M2", 6}, {"F4", 4},      {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}};
  for (const OtherDtype& other : kOthers) {
    const std::string size = std::to_string(other.bytes_of_eight);
    const std::string header =
        "{" + entry("ids", "\"" + std::string(other.name) + "\"", "[8]", "[0," + size + "]") + "}";
    const Safetensors file =
        open(folder, raw_safetensors(header, std::string(other.bytes_of_eight, 'x')));
    EXPECT_THAT(file.names(), ElementsAre("ids"));
    EXPECT_THAT(error_of([&] { file.tensor("ids"); }),
                AllOf(HasSubstr("w.safetensors: tensor 'ids'"), HasSubstr(other.name),
                      HasSubstr("wanted F32, BF16 or F16")));
  }
}

Safetensors model(const TempFolder& folder) {
  std::string header = "{";
  for (int layer = 0; layer < 2; ++layer) {
    const std::string block = "model.layers." + std::to_string(layer) + ".mlp.";
    for (const char* part : {"gate", "up", "down"}) {
      header += entry(block + part + "_proj.weight", "\"F32\"", "[0]", "[0,0]") + ",";
    }
  }
  header.back() = '}';
  return open(folder, raw_safetensors(header));
}

std::string absent(const std::string& name) {
  const TempFolder folder;
  return error_of([&] { model(folder).tensor(name); });
}

TEST(AbsentTensor, ErrorNamesFileAndTensor) {
  EXPECT_THAT(absent("conv1"),
              AllOf(HasSubstr("w.safetensors: has no tensor 'conv1'"), HasSubstr("6 tensors")));
}

TEST(AbsentTensor, ForgottenPrefixIsProposed) {
  EXPECT_THAT(absent("layers.1.mlp.up_proj.weight"),
              HasSubstr("did you mean 'model.layers.1.mlp.up_proj.weight'?"));
}

TEST(AbsentTensor, PartOfANameProposesThoseThatHoldIt) {
  EXPECT_THAT(absent("gate_proj"),
              HasSubstr("did you mean 'model.layers.0.mlp.gate_proj.weight' or "
                        "'model.layers.1.mlp.gate_proj.weight'?"));
}

TEST(AbsentTensor, MisspellingProposesTheNearest) {
  EXPECT_THAT(absent("model.layers.0.mlp.dwon_proj.weight"),
              HasSubstr("did you mean 'model.layers.0.mlp.down_proj.weight'?"));
}

TEST(AbsentTensor, NothingNearProposesNothing) {
  EXPECT_THAT(absent("zzz"), Not(HasSubstr("did you mean")));
}

TEST(AbsentTensor, EmptyNameIsAnError) { EXPECT_THAT(absent(""), HasSubstr("no tensor ''")); }

std::string write_error(const TempFolder& folder, std::span<const Tensor> tensors) {
  const std::string message =
      error_of([&] { write_safetensors(folder / "w.safetensors", tensors); });
  EXPECT_THAT(folder.names(), IsEmpty());
  return message;
}

TEST(WriteSafetensors, SizeAndShapeMustAgree) {
  const TempFolder folder;
  const std::vector<float> values(5);
  const Tensor tensor{"gate", TensorType::f32, {2, 3}, bytes_of(values)};
  EXPECT_THAT(write_error(folder, std::span(&tensor, 1)),
              HasSubstr("tensor 'gate': 20 bytes do not fit shape [2, 3] of F32"));
}

TEST(WriteSafetensors, NamesMustDiffer) {
  const TempFolder folder;
  const Tensor tensors[] = {{"a", TensorType::f32, {0}, {}}, {"a", TensorType::f32, {0}, {}}};
  EXPECT_THAT(write_error(folder, tensors), HasSubstr("tensor 'a': duplicate name"));
}

TEST(WriteSafetensors, MetadataIsNoTensorName) {
  const TempFolder folder;
  const Tensor tensor{"__metadata__", TensorType::f32, {0}, {}};
  EXPECT_THAT(write_error(folder, std::span(&tensor, 1)), HasSubstr("reserved"));
}

TEST(WriteSafetensors, NameMustBeUtf8) {
  const TempFolder folder;
  const Tensor tensor{"\xFF", TensorType::f32, {0}, {}};
  EXPECT_THAT(write_error(folder, std::span(&tensor, 1)), HasSubstr("not UTF-8"));
}

}  // namespace
}  // namespace gatefold::test
