# `format` rewrites the C and C++ files in place, `format-check` fails where one differs. The file list is taken when
# the target runs, so that a new file cannot escape.
find_program(GATEFOLD_CLANG_FORMAT NAMES clang-format-14 clang-format)
if(GATEFOLD_CLANG_FORMAT)
  foreach(mode IN ITEMS format format-check)
    add_custom_target(${mode}
      COMMAND "${CMAKE_COMMAND}" "-DCLANG_FORMAT=${GATEFOLD_CLANG_FORMAT}" "-DMODE=${mode}"
              -P "${CMAKE_CURRENT_LIST_DIR}/run_clang_format.cmake"
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" VERBATIM)
  endforeach()
endif()
