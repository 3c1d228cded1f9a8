# Debian has GoogleTest's libraries for the host alone, and beside them the sources for everybody else.
if(CMAKE_CROSSCOMPILING)
  set(GATEFOLD_GOOGLETEST_SOURCE /usr/src/googletest CACHE PATH "GoogleTest's sources (Debian: package googletest)")
  set(INSTALL_GTEST OFF)
  add_subdirectory("${GATEFOLD_GOOGLETEST_SOURCE}" "${PROJECT_BINARY_DIR}/googletest" EXCLUDE_FROM_ALL)
else()
  find_package(GTest 1.12 REQUIRED)
endif()
include(GoogleTest)

# What an emulated process cannot do: qemu-user 7.2 ends a forked child that starts a thread, by an assertion of its own.
set(GATEFOLD_QEMU_FILTER "-Packed.OneReadOnlyFileServesTwoProcesses:Pool.WorksInAForkedChild")

# gatefold_add_tests(label SOURCES … [LIBRARIES …] [TIMEOUT seconds] [PROPERTIES name value …])
#
# The executable gatefold_<label>_tests; each of its cases is a CTest test `<label>.<Suite>.<case>` with LABELS <label>.
# The cases are listed when ctest starts, so a build does not run what it just linked.
function(gatefold_add_tests label)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;LIBRARIES;PROPERTIES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "gatefold_add_tests(${label}): unknown argument '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "gatefold_add_tests(${label}): no SOURCES")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  set(target gatefold_${label}_tests)
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} gatefold_test_support GTest::gmock GTest::gtest_main)
  if(CMAKE_CROSSCOMPILING)
    set(filter TEST_FILTER "${GATEFOLD_QEMU_FILTER}")
  endif()
  gtest_discover_tests(${target} ${filter} TEST_PREFIX "${label}." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS "${label}" TIMEOUT ${arg_TIMEOUT} ${arg_PROPERTIES})
endfunction()
