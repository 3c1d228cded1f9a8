# What Halide can and cannot emit for arm64: programs of a few lines each, linked with the cross compiler and run under
# qemu-aarch64 by the tests themselves. docs/arm.md has what they show.
if(CMAKE_CROSSCOMPILING)
  return()
endif()

file(GLOB sources CONFIGURE_DEPENDS instructions/*.cpp)
add_executable(gatefold_instruction_tests ${sources})
target_link_libraries(gatefold_instruction_tests PRIVATE gatefold_library gatefold_test_support Halide::Halide
                      GTest::gmock GTest::gtest_main)
gtest_discover_tests(gatefold_instruction_tests TEST_PREFIX "neon." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                     PROPERTIES LABELS neon TIMEOUT 120)
