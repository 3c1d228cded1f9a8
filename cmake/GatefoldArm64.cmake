# The arm64 side of a native build. What runs there (the runtime, the worker, tests) is cross-compiled into
# ${PROJECT_BINARY_DIR}/arm64 by a build of its own, which the target gatefold_arm64 drives as part of `all`; tests with the
# label `neon` run it under qemu-aarch64. Where a tool is missing there is neither, and one line says so.
#
# Variables for those tests: GATEFOLD_ARM64_DIR, the folder of that build; GATEFOLD_QEMU_AARCH64, the emulator;
# GATEFOLD_ARM64_SYSROOT, what its option -L wants.

set(GATEFOLD_ARM64_DIR "${PROJECT_BINARY_DIR}/arm64")
set(GATEFOLD_ARM64_SYSROOT /usr/aarch64-linux-gnu)

find_program(GATEFOLD_AARCH64_CXX aarch64-linux-gnu-g++)
find_program(GATEFOLD_AARCH64_LD aarch64-linux-gnu-ld)
find_program(GATEFOLD_QEMU_AARCH64 NAMES qemu-aarch64 qemu-aarch64-static)
find_path(GATEFOLD_GOOGLETEST_SOURCE googletest/src/gtest-all.cc PATHS /usr/src/googletest NO_DEFAULT_PATH)

set(missing "")
foreach(need IN ITEMS GATEFOLD_AARCH64_CXX:g++-aarch64-linux-gnu GATEFOLD_AARCH64_LD:binutils-aarch64-linux-gnu
                      GATEFOLD_QEMU_AARCH64:qemu-user GATEFOLD_GOOGLETEST_SOURCE:googletest)
  string(REPLACE ":" ";" need "${need}")
  list(GET need 0 variable)
  if(NOT ${variable})
    list(GET need 1 package)
    list(APPEND missing ${package})
  endif()
endforeach()
if(missing)
  list(JOIN missing ", " missing)
  message(STATUS "arm64: NOT built and NOT tested: missing Debian packages: ${missing}")
  return()
endif()
if(GATEFOLD_SANITIZE)
  message(STATUS "arm64: not built with sanitizers")
  return()
endif()

# Two builds share the machine for a while, and neither sees the other's jobs.
cmake_host_system_information(RESULT jobs QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR jobs "(${jobs} + 1) / 2")
set(GATEFOLD_ARM64_JOBS ${jobs} CACHE STRING "Parallel jobs of the arm64 build inside this one")

# Its build file says that it was configured; from then on it configures itself again when it must.
set(toolchain "${CMAKE_CURRENT_LIST_DIR}/aarch64-linux-gnu.cmake")
add_custom_command(
  OUTPUT "${GATEFOLD_ARM64_DIR}/build.ninja"
  COMMAND "${CMAKE_COMMAND}" -S "${PROJECT_SOURCE_DIR}" -B "${GATEFOLD_ARM64_DIR}" -G Ninja --log-level=WARNING
          "-DCMAKE_TOOLCHAIN_FILE=${toolchain}" "-DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}"
          "-DGATEFOLD_HALIDE_DIR=${gatefold_halide}" -DGATEFOLD_BUILD_TESTS=ON
  DEPENDS "${toolchain}" "${CMAKE_CURRENT_LIST_FILE}"
  COMMENT "Configuring the arm64 build" VERBATIM)
add_custom_target(gatefold_arm64 ALL
  COMMAND "${CMAKE_COMMAND}" --build "${GATEFOLD_ARM64_DIR}" --parallel "${GATEFOLD_ARM64_JOBS}"
  DEPENDS "${GATEFOLD_ARM64_DIR}/build.ninja"
  COMMENT "Building for arm64" VERBATIM)
