#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schedules/space.h"

/// The space of CUDA and OpenCL targets. A kernel's block of threads has the columns of a panel
/// side by side, `ks` slices of k behind each other and `mb` row tiles behind those; a thread sums
/// `mr` rows by one column of each of `streams` panels in registers.
namespace gatefold::device {

/// Rows up to which the weights are what takes time: one block of threads has them all.
inline constexpr int64_t kFewRows = 8;

/// k values that stand side by side: 16 bytes, what a thread loads at once.
int pair_of(DType dtype);

/// Words of k that a thread loads before it multiplies them: a power of two that divides a line.
/// More of them keep more of the memory busy, for registers.
int words_ahead(const KernelSpec& k);

/// Registers of a thread of the projections, where nothing better is known: for its sums, for what
/// words_ahead() asks for, and for the rest. ptxas often takes far fewer, and then loads later.
int estimated_registers(const KernelSpec& k);

/// Row tiles of one block of threads, and all its threads.
int tiles_of_block(const KernelSpec& k);
int threads_of_block(const KernelSpec& k);

/// Slices that d_ff is parted into over blocks of threads, at least one.
int slices_of_grid(const KernelSpec& k);

/// What schedules/space.h declares, for devices.
Reason why_illegal(const KernelSpec& k);
std::vector<Packing> legal_packings(const FfnSpec& ffn);
std::vector<Axis> axes(const KernelSpec& k);
SchedulePoint default_point(const KernelSpec& k);

const std::vector<AxisReasons>& axis_reasons();

}  // namespace gatefold::device
