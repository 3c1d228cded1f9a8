# How every file of this project is compiled: standard, warnings, sanitizers, compile cache.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Includes are relative to the repository: "spec/variant.h".
include_directories("${PROJECT_SOURCE_DIR}")
# A forgotten enumerator in a `switch` is an error: that is how a new variant or dtype finds its places.
add_compile_options(-Wall -Wextra -Werror=switch)

set(GATEFOLD_SANITIZE "" CACHE STRING "Sanitizers: address, undefined, thread, or address,undefined")
if(GATEFOLD_SANITIZE)
  if(NOT GATEFOLD_SANITIZE MATCHES "^(address|undefined|thread|address,undefined)$")
    message(FATAL_ERROR "GATEFOLD_SANITIZE: '${GATEFOLD_SANITIZE}' is not one of "
                        "address, undefined, thread, address,undefined")
  endif()
  # GCC 12 warns wrongly inside its own <regex> and std::function once they are instrumented.
  add_compile_options("-fsanitize=${GATEFOLD_SANITIZE}" -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -Wno-maybe-uninitialized)
  add_link_options("-fsanitize=${GATEFOLD_SANITIZE}")
endif()

# With the base directory set, a clone in another folder hits the same cache entries.
find_program(GATEFOLD_CCACHE ccache)
if(GATEFOLD_CCACHE AND PROJECT_IS_TOP_LEVEL)
  foreach(language IN ITEMS C CXX)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}"
                                              CCACHE_NOHASHDIR=true "${GATEFOLD_CCACHE}")
    endif()
  endforeach()
endif()

# A program of the product: it stands at the top of the build folder, where the programs find each other.
function(gatefold_add_program target)
  add_executable(${target} ${ARGN})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  add_dependencies(gatefold_demo ${target})
endfunction()
