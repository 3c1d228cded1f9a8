#include <gtest/gtest.h>

#include "tests/ptx/interpreter.h"
#include "tests/ptx/single_cases.h"

namespace gatefold::ptx {

std::string module_header() {
  return ".version 8.0\n.target sm_90\n.address_size 64\n"
         ".const .align 4 .u32 table[4] = {10, 20, 30, 40};\n";
}

namespace {

std::string result_to_d0(const std::string& code) {
  if (code.find("%d0") != std::string::npos) return "";
  if (code.find("%r0") != std::string::npos) return "  cvt.u64.u32 %d0, %r0;\n";
  if (code.find("%h0") != std::string::npos) return "  cvt.u64.u16 %d0, %h0;\n";
  return "  selp.b64 %d0, 1, 0, %p0;\n";
}

}  // namespace

std::string kernel_of(const SingleCase& single, const std::string& name) {
  std::string text = ".visible .entry " + name + "(.param .u64 in, .param .u64 out)\n{\n";
  text +=
      "  .reg .pred %p<5>;\n  .reg .b16 %h<5>;\n  .reg .b32 %r<5>;\n  .reg .b64 %d<5>;\n"
      "  .reg .b64 %from, %to;\n"
      "  ld.param.u64 %from, [in];\n  ld.param.u64 %to, [out];\n"
      "  ld.global.v2.b64 {%d1, %d2}, [%from];\n  ld.global.v2.b64 {%d3, %d4}, [%from+16];\n";
  for (const char i : std::string("1234")) {
    text += std::string("  cvt.u32.u64 %r") + i + ", %d" + i + ";\n  cvt.u16.u64 %h" + i + ", %d" +
            i + ";\n  setp.ne.s64 %p" + i + ", %d" + i + ", 0;\n";
  }
  text += "  " + single.code + "\n" + result_to_d0(single.code);
  return text + "  st.global.b64 [%to], %d0;\n  ret;\n}\n";
}

namespace {

uint64_t result_of(const SingleCase& single) {
  std::vector<uint64_t> inputs = single.inputs;
  inputs.resize(4);
  Memory memory;
  const uint64_t in = memory.upload(inputs, "in"), out = memory.allocate(8, "out");
  const Module module = parse(module_header() + kernel_of(single, "k"));
  run(module, "k", Launch{}.parameter(in).parameter(out), memory);
  return memory.download<uint64_t>(out, 1)[0];
}

void expect_all(const std::vector<SingleCase>& cases) {
  for (const SingleCase& single : cases) {
    SCOPED_TRACE(single.code);
    uint64_t found = 0;
    ASSERT_NO_THROW(found = result_of(single));
    EXPECT_EQ(found, single.expected)
        << std::hex << "found 0x" << found << ", wanted 0x" << single.expected;
  }
}

TEST(Single, Integers) { expect_all(integer_cases()); }
TEST(Single, Bits) { expect_all(bit_cases()); }
TEST(Single, Floats) { expect_all(float_cases()); }
TEST(Single, Halves) { expect_all(half_cases()); }
TEST(Single, Comparisons) { expect_all(comparison_cases()); }
TEST(Single, Conversions) { expect_all(conversion_cases()); }
TEST(Single, Moves) { expect_all(move_cases()); }

}  // namespace
}  // namespace gatefold::ptx
