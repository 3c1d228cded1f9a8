# The runtime as it is on arm64: its tests, those of the layers below it, and what it sees of several CPUs.
if(CMAKE_CROSSCOMPILING)
  add_executable(gatefold_describe_machine device/describe_machine.cpp)
  target_link_libraries(gatefold_describe_machine PRIVATE gatefold::gatefold)
  return()
endif()

# A whole program at a time: an emulator takes long to start.
foreach(cpu IN ITEMS max cortex-a53)
  gatefold_add_qemu_test(runtime ${cpu} tests/runtime/gatefold_runtime_tests --gtest_brief=1
                         "--gtest_filter=${GATEFOLD_QEMU_FILTER}")
endforeach()
# What these read and compute does not depend on the core; that char is unsigned they see on any.
foreach(layer IN ITEMS spec formats)
  gatefold_add_qemu_test(${layer} max tests/gatefold_${layer}_tests --gtest_brief=1)
endforeach()

function(expect_machine cpu text)
  gatefold_add_qemu_test(machine ${cpu} tests/neon/gatefold_describe_machine)
  set_tests_properties(neon.machine.${cpu} PROPERTIES PASS_REGULAR_EXPRESSION "${text}")
endfunction()
expect_machine(cortex-a53 "^Cortex-A53 .ARM 0x41 0xd03., best target arm64-neon,")
expect_machine(cortex-a72 "^Cortex-A72 .ARM 0x41 0xd08., best target arm64-neon,")
expect_machine(cortex-a76 "^Cortex-A76 .ARM 0x41 0xd0b., best target arm64-neon-dotprod,")
expect_machine(neoverse-n1 "^Neoverse-N1 .ARM 0x41 0xd0c., best target arm64-neon-dotprod,")
expect_machine(max "^implementer 0x00 part 0x[0-9a-f]+ .*, best target arm64-neon-dotprod,")
