#include <gtest/gtest.h>

#include "tests/ptx/interpreter.h"
#include "tests/ptx/single_cases.h"

namespace gatefold::ptx {
namespace {

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string kernel_with(const std::string& body) {
  return module_header() +
         ".visible .entry k(.param .u64 a)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n"
         ".reg .b64 %d<4>;\n" +
         body + "\nret;\n}\n";
}

struct Refusal {
  std::string body, why;
};

TEST(Parse, RefusesInstructionsItDoesNotKnow) {
  const std::vector<Refusal> refusals = {
      {"frobnicate.b32 %r1, %r2;", "found 'frobnicate.b32', wanted an instruction"},
      {"add.foo.s32 %r1, %r2, %r3;", "'.foo' is not known for add"},
      {"add.s32.s32 %r1, %r2, %r3;", "'.s32' is not known for add"},
      {"add %r1, %r2, %r3;", "add has 0 types, wanted 1"},
      {"add.rn.rz.f32 %r1, %r2, %r3;", "'.rz' is one modifier of its kind too many"},
      {"add.ftz.s32 %r1, %r2, %r3;", "integers are not rounded"},
      {"add.wide.s32 %r1, %r2, %r3;", "mul and mad alone"},
      {"mul.s32 %r1, %r2, %r3;", "integers want .lo, .hi or .wide"},
      {"mul.lo.f32 %r1, %r2, %r3;", "floats have no .lo"},
      {"mul.wide.u64 %d1, %d2, %d3;", ".wide ends at 32 bits"},
      {"fma.f32 %r1, %r2, %r3, %r4;", "fma wants one of: rn rz rm rp"},
      {"fma.rz.f64 %d1, %d2, %d3, %d1;", "only .rn is known for f64"},
      {"div.f32 %r1, %r2, %r3;", "either .rn or .approx"},
      {"ex2.f32 %r1, %r2;", "ex2 wants one of: approx full"},
      {"setp.s32 %p1, %r1, %r2;", "setp wants one of: eq ne"},
      {"setp.ltu.s32 %p1, %r1, %r2;", "not one of this type"},
      {"setp.lo.f32 %p1, %r1, %r2;", "not one of this type"},
      {"setp.lt.b32 %p1, %r1, %r2;", "bits are equal or not"},
      {"setp.eq.and.s32 %p1, %r1, %r2;", "combined with no predicate"},
      {"cvt.f32.s32 %r1, %r2;", "an integer is rounded by"},
      {"cvt.s32.f32 %r1, %r2;", "a float becomes an integer by"},
      {"cvt.rn.f64.f32 %d1, %r2;", "narrowing and it alone is rounded"},
      {"cvt.rn.bf16x2.f32 %r1, %r2;", "pairs are made of two sources"},
      {"ld.global.v2.b32 %r1, [%d1];", "1 registers, wanted 2"},
      {"ld.global.b32 {%r1, %r2}, [%d1];", "2 registers, wanted 1"},
      {"ld.shared.nc.b32 %r1, [%r2];", ".nc is for global memory"},
      {"st.param.b32 [a], %r1;", "can't store there"},
      {"ld.tex.b32 %r1, [%r2];", "'.tex' is not known for ld"},
      {"cvta.param.u64 %d1, %d2;", "wanted .global, .shared or .local"},
      {"prmt.b32.f4e %r1, %r2, %r3, %r4;", "'.f4e' is not known for prmt"},
      {"mma.sync.aligned.m16n8k16.row.col.f32.s8.s8.f32 {%r1}, {%r1}, {%r1}, {%r1};", "'.s8'"},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {%r1,%r1,%r1,%r1}, {%r1,%r1,%r1,%r1}, "
       "{%r1,%r1}, {%r1,%r1,%r1,%r1};",
       "the interpreter has f16 and bf16"},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1,%r1,%r1,%r1}, {%r1,%r1}, {%r1,%r1}, "
       "{%r1,%r1,%r1,%r1};",
       "operand 2 has 2 registers, wanted 4"},
      {"mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%r1}, {%r1}, {%r1}, {%r1};",
       "'.row' is one modifier of its kind too many"},
      {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2}, [%r3];", "a register for each matrix"},
      {"add.s32 %r1, %r2;", "found ';', wanted ','"},
      {"add.s32 %r1, %r2, %r3, %r4;", "found ',', wanted ';'"},
      {"add.s32 %r1, %r9, %r3;", "found '%r9', wanted a declared or a special register"},
      {"mov.u32 %r1, %clock;", "found '%clock', wanted"},
      {"add.s32 %q1, %r2, %r3;", "found '%q1', wanted a declared register"},
      {"add.s32 5, %r2, %r3;", "found '5', wanted a declared register"},
      {"ld.global.b32 %r1, [nowhere];", "found 'nowhere', wanted a declared register, variable"},
      {"bra nowhere;", "found 'nowhere', wanted a label of this kernel"},
      {"{ INNER: } bra INNER;", "found 'INNER', wanted a label of this kernel"},
      {"{ .reg .b32 inner; } mov.b32 inner, 1;", "found 'inner', wanted a declared register"},
      {"call other;", "found 'call'"},
      {"L: L: mov.u32 %r1, 1;", "a second time"},
      {"@%x mov.u32 %r1, 1;", "found '%x', wanted a declared predicate"},
      {".local .b8 depot[];", "the variable wants a size"},
      {".callprototype x;", "found '.callprototype', wanted a directive of a kernel's body"},
      {".reg .b32 %r<4>;", "found '%r', wanted a name that is not taken"},
      {"mov.u32 %r1, 0x1g;", "found '0x1g'"},
      {"mov.b32 %r1, 0f3F80;", "found '0f3F80'"},
      {"mov.u32 %r1, ~1;", "character '~'"},
      {"/* no end", "no '*/'"},
  };
  for (const auto& [body, why] : refusals) {
    const std::string error = error_of(kernel_with(body));
    EXPECT_NE(error.find(why), std::string::npos) << body << "\nfound: " << error;
    EXPECT_TRUE(error.starts_with("line 10") || error.find("no '*/'") != std::string::npos)
        << error;
  }
}

TEST(Parse, NamesTheLineAndItsText) {
  EXPECT_EQ(error_of(kernel_with("add.foo.s32 %r1, %r2, %r3;  ")),
            "line 10 `add.foo.s32 %r1, %r2, %r3;`: '.foo' is not known for add");
}

TEST(Parse, RefusesDirectivesItDoesNotKnow) {
  const std::vector<Refusal> refusals = {
      {".version 7.8\n.target sm_90\n.func f() { ret; }", "found '.func'"},
      {".version 7.8\n.target sm_90\n.section .debug { }", "found '.section'"},
      {".version 7.8\n.target sm_90\n.entry k() .cluster { ret; }", "found '.cluster'"},
      {".version 7.8\n.target sm_90\n.entry k() .maxntid 2000 { ret; }", "found '2000'"},
      {".version 7.8\n.target sm_90\n.address_size 32", "found '32', wanted 64"},
      {".version 7\n.target sm_90", "a version like 7.8"},
      {".version 7.8\n.target gfx90a", "sm_NN"},
      {".version 7.8\n", "wants .version and .target"},
      {".version 7.8\n.target sm_90\n.entry k() { ret;", "found 'end of the text'"},
      {".version 7.8\n.target sm_90\n.shared .align 3 .b8 x[4];", "a power of two"},
      {".version 7.8\n.target sm_90\n.shared .b8 x[];", ".extern and open, or neither"},
      {".version 7.8\n.target sm_90\n.global .b32 x[2] = {1, 2, 3};", "no more values"},
      {".version 7.8\n.target sm_90\n.global .b8 x[0];", "1 to 2^24 elements"},
      {".version 7.8\n.target sm_90\n.global .b64 x[9999] = {y};", "found 'y'"},
  };
  for (const auto& [text, why] : refusals) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find(why), std::string::npos) << text << "\nfound: " << error;
  }
}

TEST(Parse, ReadsWhatModulesHaveAroundTheirKernels) {
  const Module module = parse(R"(//
// Generated
.version 8.3
.target sm_80
.address_size 64

	// .globl	first
.extern .shared .align 16 .b8 dynamic[];
.global .align 4 .b8 bytes[4] = {1, 2, 3, 4};
.const .align 8 .f64 real = 1.5;
.visible .entry first(
	.param .u64 .ptr .global .align 16 first_param_0,
	.param .align 8 .b8 first_param_1[24],
	.param .u32 first_param_2
)
.maxntid 128, 2
.minnctapersm 2
{
	.reg .pred 	%p<3>;
	.loc 1 2 3
	.pragma "nounroll";
	bra.uni 	$L__BB0_1;
$L__BB0_1:
	ret;
                                        // -- End function
}
.weak .entry second() .reqntid 32 { exit; }
)");
  EXPECT_EQ(module.isa_major, 8);
  EXPECT_EQ(module.isa_minor, 3);
  EXPECT_EQ(module.capability, 80);
  ASSERT_EQ(module.kernels.size(), 2u);
  const Kernel& first = module.kernel("first");
  ASSERT_EQ(first.parameters.size(), 3u);
  EXPECT_EQ(first.parameters[1].bytes, 24u);
  EXPECT_EQ(first.parameters[2].offset, 32u);
  EXPECT_EQ(first.parameter_bytes, 36u);
  EXPECT_EQ(first.most_threads, (std::array<uint32_t, 3>{128, 2, 1}));
  EXPECT_EQ(module.kernel("second").required_threads, (std::array<uint32_t, 3>{32, 1, 1}));
  EXPECT_EQ(module.variables.size(), 16u);
  EXPECT_EQ(module.line(first.code[0].line), "bra.uni 	$L__BB0_1;");
  EXPECT_THROW(module.kernel("third"), Error);
}

}  // namespace
}  // namespace gatefold::ptx
