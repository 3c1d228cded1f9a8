# Applications for arm64 outside the tree: configured, cross-compiled and run by each test.
if(CMAKE_CROSSCOMPILING)
  return()
endif()

foreach(case IN ITEMS Consumer FatLibrary Examples GeneratedLibrary WrongMachine)
  add_test(NAME neon.consumer.${case}
           COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_LIST_DIR}/consumer_test.py" "${PROJECT_BINARY_DIR}"
                   "${GATEFOLD_ARM64_DIR}" "${GATEFOLD_QEMU_AARCH64}" "${GATEFOLD_ARM64_SYSROOT}" ${case})
  set_tests_properties(neon.consumer.${case} PROPERTIES LABELS neon TIMEOUT 600)
endforeach()
