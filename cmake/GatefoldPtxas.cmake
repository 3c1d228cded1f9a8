# GATEFOLD_PTXAS: the assembler of CUDA, which the tests show every generated PTX to. From the PATH, a CUDA toolkit, or else
# from NVIDIA's package on PyPI (47 MB, needs no GPU). Without any of them those tests are skipped.
set(GATEFOLD_NVCC_VERSION 13.5.37)
set(GATEFOLD_NVCC_SHA256 f5c4f7ead5d964fb4af42bbf1e6d3ec3c1e6e9d83b53749f691d387e7fcaa3a7)

find_program(GATEFOLD_PTXAS ptxas HINTS "$ENV{CUDA_HOME}/bin" "$ENV{CUDA_PATH}/bin" /usr/local/cuda/bin)
if(NOT GATEFOLD_PTXAS AND CMAKE_HOST_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(cache "")
  if(GATEFOLD_CACHE_DIR)
    set(cache --cache "${GATEFOLD_CACHE_DIR}")
  endif()
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_LIST_DIR}/fetch_wheel.py"
            nvidia-cuda-nvcc ${GATEFOLD_NVCC_VERSION} ${GATEFOLD_NVCC_SHA256} ${cache}
    OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
  set(fetched "${folder}/nvidia/cu13/bin/ptxas")
  if(NOT failed AND EXISTS "${fetched}")
    file(CHMOD "${fetched}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
         WORLD_READ WORLD_EXECUTE)
    set(GATEFOLD_PTXAS "${fetched}" CACHE FILEPATH "The assembler of CUDA" FORCE)
  endif()
endif()
if(GATEFOLD_PTXAS)
  message(STATUS "ptxas: ${GATEFOLD_PTXAS}")
else()
  message(STATUS "ptxas: none found; tests that need it are skipped")
  set(GATEFOLD_PTXAS "")
endif()
