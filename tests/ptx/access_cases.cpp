#include "tests/ptx/warp_kernels.h"

namespace gatefold::ptx {

const std::vector<WarpCase>& access_cases() {
  static const std::vector<WarpCase> cases = {
      {"load_global", 64, "ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%d3];", ""},
      {"past_the_end", 64, "ld.global.b32 %r4, [%d1+1024];", "offset 1024 of 'in'"},
      {"partly_past_the_end", 1, "ld.global.b64 %d4, [%d1+1020];", "offset 1020 of 'in'"},
      {"before_the_first", 1, "ld.global.b32 %r4, [%d1+-4];", "near no allocation"},
      {"store_past_the_end", 1, "st.global.b32 [%d2+256], %r1;", "offset 256 of 'out'"},
      {"null", 1, "mov.b64 %d4, 0; ld.global.b32 %r4, [%d4];", "near no allocation"},
      {"misaligned_vector", 1, "ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%d1+8];",
       "wanted a multiple of 16"},
      {"misaligned_store", 1, "st.global.b32 [%d2+2], %r1;", "wanted a multiple of 4"},
      {"unwritten_global", 1, "ld.global.b32 %r4, [%d2];", "was never written"},
      {"stale_read_only", 1, "st.global.b32 [%d2], %r1; ld.global.nc.b32 %r4, [%d2];",
       "which this launch wrote"},
      {"read_only", 64, "ld.global.nc.L1::no_allocate.v2.b32 {%r4, %r5}, [%d3];", ""},
      {"past_shared", 1, "st.shared.b32 [other], %r1; st.shared.b32 [%r2+1024], %r1;",
       "not all in one variable"},
      {"far_past_shared", 1, "st.shared.b32 [%r2+4096], %r1;", "wanted an end"},
      {"below_shared", 1, "st.shared.b32 [%r2+-64], %r1;", "shared"},
      {"misaligned_shared", 1, "st.shared.b64 [%r2+4], %d1;", "wanted a multiple of 8"},
      {"unwritten_shared", 1, "ld.shared.b32 %r4, [%r2];", "was never written"},
      {"partly_unwritten_shared", 1, "st.shared.b16 [%r2], %r1; ld.shared.b32 %r4, [%r2];",
       "was never written"},
      {"second_variable", 1, "st.shared.b32 [other], %r1; ld.shared.b32 %r4, [other];", ""},
      // Of multiples of 16 the odd ones.
      {"aligned_as_declared", 1, "and.b32 %r4, %r2, 31; setp.ne.u32 %p4, %r4, 16; @%p4 trap;", ""},
      {"own_bytes", 64, "st.shared.b32 [%r3], %r1; ld.shared.b32 %r4, [%r3];", ""},
      {"read_after_write", 64, "st.shared.b32 [%r3], %r1; ld.shared.b32 %r4, [%r2+16];",
       "which thread 1 wrote since the last barrier"},
      {"read_behind_a_barrier", 64,
       "st.shared.b32 [%r3], %r1; bar.sync 0; ld.shared.b32 %r4, [%r2+16];", ""},
      {"write_after_read", 64,
       "st.shared.b32 [%r3], %r1; bar.sync 0; ld.shared.b32 %r4, [%r2+16];"
       "st.shared.b32 [%r3], %r1;",
       "which warp 0 read"},
      {"write_after_one_read", 2,
       "st.shared.b32 [%r3], %r1; bar.sync 0; @%p1 ld.shared.b32 %r4, [%r2+16];"
       "st.shared.b32 [%r3], %r1;",
       "which thread 0 read"},
      {"write_after_write", 64, "st.shared.b32 [%r2], %r1;", "which thread 0 wrote"},
      {"neighbouring_bytes", 64,
       "cvt.u16.u32 %h1, %r1; add.s32 %r4, %r2, %r1;"
       "st.shared.b8 [%r4], %h1;",
       ""},
      {"same_value_twice", 64, "st.shared.b32 [%r2], 7;", ""},
      {"bits_of_a_racing_vector", 32,
       "shl.b32 %r4, %r1, 2; add.s32 %r4, %r2, %r4; st.shared.b32 [%r4], %r1;"
       "ld.shared.v2.b32 {%r5, %r6}, [%r2+8];",
       "race"},
      {"warp_barrier", 32,
       "st.shared.b32 [%r3], %r1; bar.warp.sync 0xffffffff; ld.shared.b32 %r4, [%r2+16];"
       "bar.warp.sync 0xffffffff; st.shared.b32 [%r3], %r1;",
       ""},
      {"warp_barrier_of_two_warps", 64,
       "st.shared.b32 [%r3], %r1; bar.warp.sync 0xffffffff; ld.shared.b32 %r4, [%r2+16];",
       "race: thread 32 reads"},
      {"atomics", 64,
       "@%p1 st.shared.b32 [%r2], 0; bar.sync 0; red.shared.add.u32 [%r2], 1;"
       "bar.sync 0; ld.shared.b32 %r4, [%r2]; setp.ne.u32 %p4, %r4, 64; @%p4 trap;",
       ""},
      {"atomic_beside_a_store", 64, "st.shared.b32 [%r2], 0; red.shared.add.u32 [%r2], 1;",
       "adds to"},
      {"read_beside_an_atomic", 64,
       "@%p1 st.shared.b32 [%r2], 0; bar.sync 0;"
       "atom.shared.add.u32 %r4, [%r2], 1; ld.shared.b32 %r5, [%r2];",
       "race"},
      {"global_atomics", 64,
       "@%p1 st.global.b32 [%d2], 0; bar.sync 0; red.global.add.f32 [%d2], 0f3F000000;"
       "bar.sync 0; ld.global.b32 %r4, [%d2]; setp.neu.f32 %p4, %r4, 0f42000000; @%p4 trap;",
       ""},
      {"atomic_max", 64,
       "@%p1 st.global.b32 [%d2], 0; bar.sync 0; atom.global.max.s32 %r5, [%d2], %r1;"
       "bar.sync 0; ld.global.b32 %r4, [%d2]; setp.ne.u32 %p4, %r4, 63; @%p4 trap;",
       ""},
      {"generic_shared", 1,
       "cvta.shared.u64 %d4, %d5; add.s64 %d4, %d4, 32; st.b32 [%d4], 5; ld.shared.b32 %r4, "
       "[%r2+32];"
       "setp.ne.u32 %p4, %r4, 5; @%p4 trap;",
       ""},
      {"to_shared_and_back", 1,
       "cvta.shared.u64 %d4, %d5; cvta.to.shared.u64 %d6, %d4; setp.ne.s64 %p4, %d6, %d5;"
       "@%p4 trap;",
       ""},
      {"generic_global", 1, "cvta.to.global.u64 %d4, %d1; ld.b32 %r4, [%d4];", ""},
      {"no_shared_address", 1, "cvta.to.shared.u64 %d4, %d1;", "not in the space"},
      {"constants", 32,
       "mov.b64 %d4, table; ld.const.b32 %r4, [table+8]; setp.ne.u32 %p4, %r4, 30; @%p4 trap;", ""},
      {"local", 32,
       ".local .align 4 .b8 depot[16]; mov.b64 %d4, depot; st.local.b32 "
       "[%d4+8], %r1; ld.local.b32 %r4, [%d4+8]; setp.ne.u32 %p4, %r4, %r1; @%p4 trap;"
       "cvta.local.u64 %d6, %d4; ld.b32 %r5, [%d6+8]; setp.ne.u32 %p4, %r5, %r1; @%p4 trap;",
       ""},
      {"unwritten_local", 32,
       ".local .align 4 .b8 depot[16]; mov.b64 %d4, depot; @%p1 st.local.b32 [%d4+8], %r1;"
       "ld.local.b32 %r4, [%d4+8];",
       "local 0x8 was never written"},
      {"past_local", 32,
       ".local .align 4 .b8 depot[16]; mov.b64 %d4, depot; st.local.b32 [%d4+16], %r1;",
       "at local 0x10, wanted an end at 0x10"},
      {"past_the_constants", 1, "mov.b64 %d4, table; ld.const.b32 %r4, [%d4+16];",
       "'variables of the module'"},
  };
  return cases;
}

const std::vector<WarpCase>& async_cases() {
  static const std::string copy = "cp.async.cg.shared.global [%r3], [%d3], 16;";
  static const std::string commit = "cp.async.commit_group;";
  static const std::string read = "ld.shared.b32 %r4, [%r3];";
  static const std::string barrier = "bar.sync 0;", read_other = "ld.shared.b32 %r4, [%r2+16];";
  static const std::vector<WarpCase> cases = {
      {"waited_for", 64, copy + commit + "cp.async.wait_group 0;" + read, ""},
      {"wait_all", 64, copy + "cp.async.wait_all;" + read, ""},
      {"left_pending", 64, copy, ""},
      {"not_waited_for", 64, copy + commit + read, "still being copied"},
      {"not_committed", 64, copy + "cp.async.wait_group 0;" + read, "still being copied"},
      {"one_group_too_many", 64, copy + commit + "cp.async.wait_group 1;" + read,
       "still being copied"},
      {"copy_into_a_copy", 64,
       copy + commit + "cp.async.ca.shared.global [%r3+4], [%d3], 4;" + "cp.async.wait_group 0;",
       "still being copied"},
      {"barrier_instead_of_wait", 64, copy + commit + barrier + read_other, "still being copied"},
      {"no_barrier", 64, copy + "cp.async.wait_all;" + read_other, "race: thread 0 reads shared"},
      {"barrier_before_the_wait", 64, copy + barrier + "cp.async.wait_all;" + read_other, "race"},
      {"waited_for_with_a_barrier", 64, copy + "cp.async.wait_all;" + barrier + read_other, ""},
      {"store_into_a_copy", 64, copy + "st.shared.b32 [%r3], 1;", "still being copied"},
      {"copy_over_a_read", 64, "st.shared.b32 [%r3], 1;" + barrier + read_other + copy,
       "copies to"},
      {"written_source", 1, copy + "st.global.b32 [%d3], 77;" + "cp.async.wait_all;",
       "was written before"},
      {"misaligned_copy", 1, "cp.async.cg.shared.global [%r3+4], [%d3], 16;", "multiple of 16"},
      {"misaligned_source", 1, "cp.async.cg.shared.global [%r3], [%d3+8], 16;", "multiple of 16"},
      {"copy_past_the_end", 1, "cp.async.cg.shared.global [%r3], [%d1+1024], 16;",
       "offset 1024 of 'in'"},
      {"nothing_past_the_end", 1,
       "cp.async.cg.shared.global [%r3], [%d1+1024], 16, 0; cp.async.wait_all;"
       "ld.shared.b32 %r4, [%r3]; setp.ne.u32 %p4, %r4, 0; @%p4 trap;",
       ""},
      {"partly_zeros", 1,
       "cp.async.ca.shared.global [%r3], [%d1+4], 4, 4; cp.async.ca.shared.global [%r3+8], "
       "[%d1+8], 8, 4;"
       "cp.async.wait_all; ld.shared.v2.b32 {%r4, %r5}, [%r3+8]; ld.global.b32 %r6, [%d1+8];"
       "setp.ne.u32 %p4, %r5, 0; @%p4 trap; setp.ne.u32 %p4, %r4, %r6; @%p4 trap;",
       ""},
      {"more_than_the_copy", 1, "mov.u32 %r4, 8; cp.async.ca.shared.global [%r3], [%d3], 4, %r4;",
       "wanted no more"},
  };
  return cases;
}

}  // namespace gatefold::ptx
