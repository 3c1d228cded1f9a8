# Generated kernels against the f64 reference on emulated CPUs. The program that judges them, gatefold-check-kernels, is built
# in cli/.
if(CMAKE_CROSSCOMPILING)
  return()
endif()

set(checker "${GATEFOLD_ARM64_DIR}/gatefold-check-kernels")

# The sample of the matrix that check_kernels.py runs by default; --full is for a change that touches all kernels.
foreach(dtypes IN ITEMS f32 bf16,bf16_f32 f16,f16_f32,f16_acc16)
  string(REGEX REPLACE ",.*" "" dtype "${dtypes}")
  add_test(NAME neon.Kernels.${dtype}
           COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_LIST_DIR}/check_kernels.py"
                   --gatefold "$<TARGET_FILE:gatefold_cli>" --checker "${checker}" --qemu "${GATEFOLD_QEMU_AARCH64}"
                   --sysroot "${GATEFOLD_ARM64_SYSROOT}" --jobs 1 --dtypes ${dtypes})
  set_tests_properties(neon.Kernels.${dtype} PROPERTIES LABELS neon TIMEOUT 900)
endforeach()

# That it can fail.
add_test(NAME neon.WrongKernels
         COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_LIST_DIR}/wrong_kernels_test.py" "${checker}"
                 "${GATEFOLD_QEMU_AARCH64}" "${GATEFOLD_ARM64_SYSROOT}")
set_tests_properties(neon.WrongKernels PROPERTIES LABELS neon TIMEOUT 300)
