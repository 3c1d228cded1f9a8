#include "tests/ptx/warp_kernels.h"

#include <fmt/format.h>

namespace gatefold::ptx {
namespace {

std::string vector_of(const std::string& prefix, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + prefix + std::to_string(i);
  return text + "}";
}

std::string each(int count, const std::string& format) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format(fmt::runtime(format), i, 4 * i);
  return text;
}

}  // namespace

std::string kernel_of(const WarpCase& single, const std::string& name) {
  return ".visible .entry " + name + "(.param .u64 in, .param .u64 out)\n{\n" +
         "  .shared .align 16 .b8 tile[1024];\n  .shared .align 4 .b8 other[64];\n"
         "  .reg .pred %p<8>;\n  .reg .b16 %h<8>;\n  .reg .b32 %r<16>;\n  .reg .b64 %d<8>;\n"
         "  ld.param.u64 %d1, [in];\n  ld.param.u64 %d2, [out];\n  mov.u32 %r1, %tid.x;\n"
         "  mul.wide.u32 %d3, %r1, 16;\n  add.s64 %d3, %d3, %d1;\n  mov.u32 %r2, tile;\n"
         "  shl.b32 %r3, %r1, 4;\n  add.s32 %r3, %r3, %r2;\n  cvt.u64.u32 %d5, %r2;\n"
         "  setp.eq.u32 %p1, %r1, 0;\n  setp.lt.u32 %p2, %r1, 16;\n  setp.lt.u32 %p3, %r1, 32;\n"
         "  " +
         single.code + "\n  ret;\n}\n";
}

std::string pipeline_kernel(const std::string& wait, const std::string& barrier,
                            const std::string& second_barrier) {
  return R"(.extern .shared .align 16 .b8 ring[];
.visible .entry pipeline(.param .u64 .ptr .global .align 16 in, .param .u64 out, .param .u32 steps)
.maxntid 64, 1, 1
{
  .reg .pred %more, %next;
  .reg .b32 %t, %mine, %other, %i, %steps, %sum, %stage, %size, %v, %ring;
  .reg .b64 %from, %to, %offset;
  ld.param.u64 %from, [in];
  ld.param.u64 %to, [out];
  ld.param.u32 %steps, [steps];
  mov.u32 %t, %tid.x;
  mov.u32 %ring, ring;
  mad.lo.s32 %mine, %t, 16, %ring;
  sub.s32 %other, 63, %t;
  mad.lo.s32 %other, %other, 16, %ring;
  mul.wide.u32 %offset, %t, 16;
  add.s64 %from, %from, %offset;
  cp.async.cg.shared.global [%mine], [%from], 16;
  cp.async.commit_group;
  mov.u32 %i, 0;
  mov.u32 %sum, 0;
$L_loop:
  // The next step's bytes go to the other stage; behind the last step nothing is copied.
  add.s32 %v, %i, 1;
  setp.lt.s32 %next, %v, %steps;
  selp.b32 %size, 16, 0, %next;
  and.b32 %stage, %v, 1;
  mad.lo.s32 %stage, %stage, 1024, %mine;
  add.s64 %from, %from, 1024;
  cp.async.cg.shared.global [%stage], [%from], 16, %size;
  cp.async.commit_group;
  )" + wait +
         "\n  " + barrier + R"(
  and.b32 %stage, %i, 1;
  mad.lo.s32 %stage, %stage, 1024, %other;
  ld.shared.b32 %v, [%stage];
  add.s32 %sum, %sum, %v;
  )" + second_barrier +
         R"(
  add.s32 %i, %i, 1;
  setp.lt.s32 %more, %i, %steps;
  @%more bra $L_loop;
  mul.wide.u32 %offset, %t, 4;
  add.s64 %to, %to, %offset;
  st.global.b32 [%to], %sum;
  ret;
}
)";
}

std::string product_kernel(const std::string& type, const std::string& load_b) {
  return R"(.visible .entry product(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)
{
  .shared .align 16 .b8 tile_a[512];
  .shared .align 16 .b8 tile_b[256];
  .reg .b32 %r<8>, %a<4>, %b<2>, %lane, %at;
  .reg .f32 %c<4>, %d<4>;
  .reg .b64 %in, %to, %offset;
  mov.u32 %lane, %laneid;
  ld.param.u64 %in, [a];
  mul.wide.u32 %offset, %lane, 16;
  add.s64 %in, %in, %offset;
  ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%in];
  mov.u32 %at, tile_a;
  mad.lo.s32 %at, %lane, 16, %at;
  st.shared.v4.b32 [%at], {%r0, %r1, %r2, %r3};
  ld.param.u64 %in, [b];
  mul.wide.u32 %offset, %lane, 8;
  add.s64 %in, %in, %offset;
  ld.global.v2.b32 {%r0, %r1}, [%in];
  mov.u32 %at, tile_b;
  mad.lo.s32 %at, %lane, 8, %at;
  st.shared.v2.b32 [%at], {%r0, %r1};
  bar.sync 0;
  // Of a: row lane % 16, half lane / 16. Of b: row (of k) lane % 16.
  and.b32 %r0, %lane, 15;
  shr.u32 %r1, %lane, 4;
  mov.u32 %at, tile_a;
  mad.lo.s32 %at, %r0, 32, %at;
  mad.lo.s32 %at, %r1, 16, %at;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a0, %a1, %a2, %a3}, [%at];
  mov.u32 %at, tile_b;
  mad.lo.s32 %at, %r0, 16, %at;
  )" + load_b +
         R"( {%b0, %b1}, [%at];
  // Of c and d: row lane / 4 and the eighth behind it, columns 2 (lane % 4) and the next.
  shl.b32 %r2, %lane, 3;
  cvt.u64.u32 %offset, %r2;
  ld.param.u64 %in, [c];
  add.s64 %in, %in, %offset;
  ld.global.v2.f32 {%c0, %c1}, [%in];
  ld.global.v2.f32 {%c2, %c3}, [%in+256];
  mma.sync.aligned.m16n8k16.row.col.f32.)" +
         type + "." + type + R"(.f32
    {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, {%c0, %c1, %c2, %c3};
  ld.param.u64 %to, [d];
  add.s64 %to, %to, %offset;
  st.global.v2.f32 [%to], {%d0, %d1};
  st.global.v2.f32 [%to+256], {%d2, %d3};
  ret;
}
)";
}

std::string fragment_kernel(const std::string& shape_and_types, int a, int b, int c) {
  const auto fragment = [](const std::string& name, int count) {
    return fmt::format("  ld.param.u64 %p, [{0}];\n  mad.wide.u32 %p, %lane, {1}, %p;\n", name,
                       4 * count);
  };
  return ".visible .entry fragments(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n"
         "{\n  .reg .b32 %a<4>, %b<2>, %c<4>, %d<4>, %lane;\n  .reg .b64 %p;\n"
         "  mov.u32 %lane, %laneid;\n" +
         fragment("a", a) + each(a, "  ld.global.b32 %a{0}, [%p+{1}];\n") + fragment("b", b) +
         each(b, "  ld.global.b32 %b{0}, [%p+{1}];\n") + fragment("c", c) +
         each(c, "  ld.global.b32 %c{0}, [%p+{1}];\n") + "  mma.sync.aligned." + shape_and_types +
         " " + vector_of("%d", c) + ", " + vector_of("%a", a) + ", " + vector_of("%b", b) + ", " +
         vector_of("%c", c) + ";\n" + fragment("d", c) +
         each(c, "  st.global.b32 [%p+{1}], %d{0};\n") + "  ret;\n}\n";
}

}  // namespace gatefold::ptx
