# The sample of the matrix that check_kernels.py runs by default; --full is for a change that touches all kernels.
set(emulator "")
if(TARGET avx512_emulator)
  set(emulator --emulator "$<TARGET_FILE:avx512_emulator>")
endif()
foreach(dtype IN ITEMS f32 bf16)
  add_test(NAME emulation.Kernels.${dtype}
           COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_LIST_DIR}/check_kernels.py"
                   --gatefold "$<TARGET_FILE:gatefold_cli>" ${emulator} --dtypes ${dtype})
  set_tests_properties(emulation.Kernels.${dtype} PROPERTIES LABELS emulation TIMEOUT 900)
endforeach()
