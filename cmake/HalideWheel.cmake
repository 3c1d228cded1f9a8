# The pinned Halide, taken from its Python wheel. The wheel's own CMake package needs CMake 3.28 and Debian 12 has
# 3.25, so the targets are defined here:
#   Halide::Halide     the compiler (Halide.h, libHalide.so); its build rpath is the cache folder
#   Halide::Generator  the `main` of a generator executable
#   Halide::Adams2019  its autoscheduler, to be loaded at run time
#   Halide::Runtime    HalideRuntime*.h and HalideBuffer.h only, so that a mere user cannot include Halide.h
# A cross build has the last one alone: the headers are the same everywhere, the libraries are the host's.

set(GATEFOLD_HALIDE_VERSION 21.0.0)
set(GATEFOLD_HALIDE_SHA256 3686c2b4c9aed1e26e1e55631608b2c4a4c3fe2d4386505ba1921859adb683ab)
set(GATEFOLD_HALIDE_DIR "" CACHE PATH "Folder halide/ of an unpacked wheel; empty: fetched with pip")
set(GATEFOLD_CACHE_DIR "" CACHE PATH
    "Where fetched wheels are kept; empty: environment GATEFOLD_CACHE_DIR, else the user's cache folder")

find_package(Python3 3.8 REQUIRED COMPONENTS Interpreter)

# Sets `out` to the folder of a wheel that is fetched with pip into the cache and whose bytes are checked.
function(gatefold_fetch_wheel out package version sha256)
  if(NOT CMAKE_HOST_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL "x86_64")
    message(FATAL_ERROR "${package} ${version}: there is a wheel for Linux x86_64 only, this is "
                        "${CMAKE_HOST_SYSTEM_NAME} ${CMAKE_HOST_SYSTEM_PROCESSOR}")
  endif()
  if(GATEFOLD_CACHE_DIR)
    set(cache --cache "${GATEFOLD_CACHE_DIR}")
  endif()
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/fetch_wheel.py"
            ${package} ${version} ${sha256} --tag cp311-cp311-manylinux_2_28_x86_64 ${cache}
    OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${package} ${version} could not be fetched (see above)")
  endif()
  set(${out} "${folder}" PARENT_SCOPE)
endfunction()

if(GATEFOLD_HALIDE_DIR)
  set(gatefold_halide "${GATEFOLD_HALIDE_DIR}")
else()
  gatefold_fetch_wheel(fetched halide ${GATEFOLD_HALIDE_VERSION} ${GATEFOLD_HALIDE_SHA256})
  set(gatefold_halide "${fetched}/halide")
endif()
if(NOT EXISTS "${gatefold_halide}/lib64/libHalide.so")
  message(FATAL_ERROR "'${gatefold_halide}' is not the folder halide/ of an unpacked wheel: no lib64/libHalide.so")
endif()
message(STATUS "Halide ${GATEFOLD_HALIDE_VERSION}: ${gatefold_halide}")

set(gatefold_halide_runtime "${PROJECT_BINARY_DIR}/halide_runtime")
file(GLOB headers "${gatefold_halide}/include/HalideRuntime*.h" "${gatefold_halide}/include/HalideBuffer.h")
file(COPY ${headers} DESTINATION "${gatefold_halide_runtime}")

find_package(Threads REQUIRED)
add_library(Halide::Runtime INTERFACE IMPORTED GLOBAL)
target_include_directories(Halide::Runtime INTERFACE "${gatefold_halide_runtime}")
target_link_libraries(Halide::Runtime INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
if(CMAKE_CROSSCOMPILING)
  return()
endif()

add_library(Halide::Adams2019 MODULE IMPORTED GLOBAL)
set_target_properties(Halide::Adams2019 PROPERTIES
  IMPORTED_LOCATION "${gatefold_halide}/lib64/libautoschedule_adams2019.so")

# The definitions are those that the wheel's library was built with; Halide.h needs them to match.
add_library(Halide::Halide SHARED IMPORTED GLOBAL)
set_target_properties(Halide::Halide PROPERTIES IMPORTED_LOCATION "${gatefold_halide}/lib64/libHalide.so"
                                                IMPORTED_SONAME libHalide.so)
target_include_directories(Halide::Halide INTERFACE "${gatefold_halide}/include")
target_compile_definitions(Halide::Halide INTERFACE HALIDE_ENABLE_RTTI HALIDE_WITH_EXCEPTIONS
                           HALIDE_VERSION_MAJOR=21 HALIDE_VERSION_MINOR=0 HALIDE_VERSION_PATCH=0)
target_link_libraries(Halide::Halide INTERFACE Threads::Threads ${CMAKE_DL_LIBS})

add_library(Halide::GenGen STATIC IMPORTED GLOBAL)
set_target_properties(Halide::GenGen PROPERTIES IMPORTED_LOCATION "${gatefold_halide}/lib64/libHalide_GenGen.a")
target_link_libraries(Halide::GenGen INTERFACE Halide::Halide)
add_library(Halide::Generator INTERFACE IMPORTED GLOBAL)
target_link_libraries(Halide::Generator INTERFACE "$<LINK_LIBRARY:WHOLE_ARCHIVE,Halide::GenGen>")
