#pragma once

#include <cstdint>

namespace gatefold::emulation {

/// What the core takes for memory is this process's own, at the same virtual addresses. Its page
/// tables do not exist: the page walker's reads are answered with entries made up on demand. A page
/// is executable in them only where code is emulated, so that leaving that code is a page fault.
///
/// Guest physical space is 40 bits: the lowest 256 MiB name page tables, above that each 2 MiB
/// chunk stands for the 2 MiB range of virtual memory that was touched next.

constexpr uint64_t kRootTable = 0;  ///< guest physical address, for CR3

void make_guest_memory();

/// Page-table entries as the core's translation reads them.
uint64_t page_table_entry(uint64_t guest_physical);
bool names_page_table(uint64_t guest_physical);

/// Where a guest physical address that is no page table lies.
uint8_t* host_address(uint64_t guest_physical);

/// To be called when other pages have become executable.
void forget_translations();

/// How much memory the core has touched.
uint64_t touched_mib();

}  // namespace gatefold::emulation
