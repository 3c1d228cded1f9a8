# Tuning for arm64: candidates are compiled here and measured by the worker of the cross build under qemu-aarch64.
if(CMAKE_CROSSCOMPILING)
  return()
endif()

foreach(case IN ITEMS Program Roof Tune Unavailable)
  add_test(NAME neon.worker.${case}
           COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_LIST_DIR}/worker_test.py" "${PROJECT_BINARY_DIR}"
                   "${GATEFOLD_ARM64_DIR}" "${GATEFOLD_QEMU_AARCH64}" ${case})
  set_tests_properties(neon.worker.${case} PROPERTIES LABELS neon TIMEOUT 300)
endforeach()
