# libavx512_emulator.so and, beside it where it looks for them, the core and what the core's wheel needs of Python.
gatefold_fetch_wheel(bochs bochscpu-python 0.4.0 08297de4c657fcda712c66745388cf81cd056e01083473c44868b96f6ea020ad)
set(core "${CMAKE_CURRENT_BINARY_DIR}/libbochs_core.so")
set(stubs "${CMAKE_CURRENT_BINARY_DIR}/libpython_stubs.so")
file(COPY_FILE "${bochs}/bochscpu/_bochscpu.cpython-311-x86_64-linux-gnu.so" "${core}" ONLY_IF_DIFFERENT)

add_custom_command(
  OUTPUT "${stubs}"
  COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_LIST_DIR}/python_stubs.py" "${core}" "${CMAKE_NM}" > python_stubs.s
  COMMAND "${CMAKE_C_COMPILER}" -shared -nostdlib python_stubs.s -o "${stubs}"
  DEPENDS "${core}" python_stubs.py
  WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" VERBATIM)
add_custom_target(gatefold_python_stubs DEPENDS "${stubs}")

file(GLOB sources CONFIGURE_DEPENDS *.cpp)
list(FILTER sources EXCLUDE REGEX "(_test|/kernels_[a-z0-9]+)\\.cpp$")
add_library(avx512_emulator SHARED ${sources})
add_dependencies(avx512_emulator gatefold_python_stubs)
# The registers are read as floats, words and bytes in turn. Optimised in every build: the tests wait for it.
target_compile_options(avx512_emulator PRIVATE -O2 -fno-strict-aliasing -Wno-psabi)
set_target_properties(avx512_emulator PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_link_libraries(avx512_emulator PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
# A test that is linked to it uses no symbol of it.
target_link_options(avx512_emulator INTERFACE -Wl,--no-as-needed)

# In a library of its own, so that only this code is emulated and not the tests. GCC 12's own headers leave results
# undefined on purpose and are warned of.
file(GLOB kernels CONFIGURE_DEPENDS kernels_*.cpp)
add_library(gatefold_emulated_kernels SHARED ${kernels})
target_compile_options(gatefold_emulated_kernels PRIVATE
  -O3 -funroll-loops -Wno-psabi -Wno-uninitialized -Wno-maybe-uninitialized
  -mfma -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd -mavx512vbmi -mavx512vbmi2 -mavx512vnni
  -mavx512bitalg -mavx512vpopcntdq -mavx512ifma -mavx512bf16 -mgfni)
