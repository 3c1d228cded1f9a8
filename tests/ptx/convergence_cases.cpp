#include "tests/ptx/warp_kernels.h"

namespace gatefold::ptx {

const std::vector<WarpCase>& convergence_cases() {
  static const std::string load = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r3];";
  static const std::string product =
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r4, %r5, %r6, %r7}, {%r1, %r1, %r1, "
      "%r1}, "
      "{%r1, %r1}, {%r1, %r1, %r1, %r1};";
  static const std::vector<WarpCase> cases = {
      {"all_at_a_barrier", 64, "bar.sync 0; barrier.sync.aligned 1; bar.sync 0, 64;", ""},
      {"one_at_a_barrier", 64, "@%p1 bar.sync 0;", "1 of the warp's 32 threads"},
      {"branch_round_a_barrier", 64, "@%p2 bra OVER; bar.sync 0; OVER:",
       "16 of the warp's 32 threads are at the barrier, wanted all: this one is elsewhere"},
      {"ended_before_a_barrier", 64, "@%p1 exit; bar.sync 0;", "this one has ended"},
      {"warp_round_a_barrier", 64,
       "@%p3 bra OVER; bar.sync 0; OVER:", "warp 1 waits there, warp 0 has ended"},
      {"two_barriers", 64,
       "@%p3 bra ONE; bar.sync 0; bra BOTH; ONE: bar.sync 1; BOTH:", "warp 1 waits at barrier 0"},
      {"same_barrier_at_two_places", 64,
       "@%p3 bra ONE; bar.sync 0; bra BOTH; ONE: bar.sync 0; BOTH:", ""},
      {"barrier_of_some", 64, "bar.sync 0, 32;", "a barrier of 32 threads"},
      {"whole_ldmatrix", 32, "st.shared.v4.b32 [%r3], {%r1, %r1, %r1, %r1}; bar.sync 0;" + load,
       ""},
      {"ldmatrix_without_barrier", 32, "st.shared.v4.b32 [%r3], {%r1, %r1, %r1, %r1};" + load,
       "race: warp 0 reads"},
      {"ldmatrix_of_nothing", 32, load, "was never written"},
      {"ldmatrix_misaligned", 32, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r3+8];",
       "wanted a multiple of 16"},
      {"half_ldmatrix", 32, "@%p2 " + load, "the warp has not converged"},
      {"small_warp_ldmatrix", 16, load, "the warp has not converged"},
      {"whole_mma", 32, product, ""},
      {"half_mma", 32, "@%p2 " + product, "lanes 0x0000ffff execute this, wanted all 32"},
      {"diverged_mma", 32, "@%p2 bra OVER;" + product + "OVER:", "the warp has not converged"},
      {"whole_shuffle", 32, "shfl.sync.bfly.b32 %r4, %r1, 1, 31, 0xffffffff;", ""},
      {"half_shuffle", 32, "@%p2 shfl.sync.bfly.b32 %r4, %r1, 1, 31, 0xffffffff;",
       "the warp has not converged"},
      {"half_shuffle_of_half", 32, "@%p2 shfl.sync.bfly.b32 %r4, %r1, 1, 31, 0xffff;", ""},
      {"shuffle_from_outside", 32, "@%p2 shfl.sync.bfly.b32 %r4, %r1, 16, 31, 0xffff;",
       "reads lane 16"},
      {"vote_of_too_many", 32, "vote.sync.any.pred %p4, %p1, 0xffff;",
       "wanted those of the member mask"},
      {"missing_at_a_warp_barrier", 32, "@%p2 bar.warp.sync 0xffffffff;", "0xffff0000"},
      {"uniform_branch", 32, "bra.uni OVER; trap; OVER:", ""},
      {"branch_that_is_not_uniform", 32, "@%p2 bra.uni OVER; mov.u32 %r4, 1; OVER:", "bra.uni"},
      {"endless", 32, "AGAIN: bra AGAIN;", "seems never to end"},
      {"trap", 32, "@%p1 trap;", "traps"},
      {"division_by_zero", 32, "div.u32 %r4, 5, %r1;", "5 divided by zero"},
      {"unwritten_register", 32, "add.s32 %r4, %r5, 1;", "was never written"},
      {"unwritten_by_some", 32, "@%p2 mov.u32 %r5, 3; add.s32 %r4, %r5, 1;", "was never written"},
      {"unwritten_but_moved", 32, "mov.u32 %r4, %r5; selp.b32 %r6, %r1, %r4, %p1;", ""},
      {"unwritten_and_used_once_moved", 32, "mov.u32 %r4, %r5; add.s32 %r6, %r4, 1;",
       "was never written"},
      {"unwritten_guard", 32, "@%p4 mov.u32 %r4, 1;", "the guard was never written"},
  };
  return cases;
}

}  // namespace gatefold::ptx
