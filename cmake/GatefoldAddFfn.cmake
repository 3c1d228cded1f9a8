# Part of the package `gatefold`, and used by this project itself.

set(GATEFOLD_LIBRARY_SUFFIXES .json .h Config.cmake)

# gatefold_import_ffn(NAME DIR): the targets of the generated library NAME in DIR, the same as its NAMEConfig.cmake
# defines: gatefold::NAME (static) and gatefold::NAME_shared (to be linked, or opened at run time).
function(gatefold_import_ffn name dir)
  foreach(kind IN ITEMS STATIC SHARED)
    set(target gatefold::${name})
    if(kind STREQUAL "SHARED")
      string(APPEND target _shared)
    endif()
    add_library(${target} ${kind} IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES
      IMPORTED_LOCATION "${dir}/lib${name}${CMAKE_${kind}_LIBRARY_SUFFIX}"
      INTERFACE_INCLUDE_DIRECTORIES "${dir}"
      INTERFACE_LINK_LIBRARIES gatefold::gatefold)
  endforeach()
endfunction()

# gatefold_add_ffn(NAME SPEC…): runs `gatefold generate SPEC… --name NAME` in the build and defines the targets above.
# SPEC is what the command takes, e.g. gatefold_add_ffn(mlp --preset llama-2-7b --target x86-avx2 --rows 1,4,16).
# A relative file in SPEC (a schedule) is taken from the current source folder and is a dependency.
function(gatefold_add_ffn name)
  if(NOT name MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "gatefold_add_ffn: '${name}' is not a C identifier")
  endif()
  if(TARGET gatefold::${name})
    message(FATAL_ERROR "gatefold_add_ffn: there is a library '${name}' already")
  endif()
  set(dir "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  file(MAKE_DIRECTORY "${dir}")
  set(outputs "${dir}/lib${name}${CMAKE_STATIC_LIBRARY_SUFFIX}" "${dir}/lib${name}${CMAKE_SHARED_LIBRARY_SUFFIX}")
  foreach(suffix IN LISTS GATEFOLD_LIBRARY_SUFFIXES)
    list(APPEND outputs "${dir}/${name}${suffix}")
  endforeach()
  set(files "")
  foreach(argument IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH argument BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE path)
    if(EXISTS "${path}" AND NOT IS_DIRECTORY "${path}")
      list(APPEND files "${path}")
    endif()
  endforeach()
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND gatefold::cli generate ${ARGN} --name ${name} -o "${dir}"
    DEPENDS "$<TARGET_FILE:gatefold::cli>" "$<TARGET_FILE:gatefold::emit>" ${files}
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    COMMENT "Generating the FFN library ${name}"
    VERBATIM)
  add_custom_target(gatefold_generate_${name} DEPENDS ${outputs})
  gatefold_import_ffn(${name} "${dir}")
  # Through these a consumer in any folder waits for the headers before it compiles.
  add_dependencies(gatefold::${name} gatefold_generate_${name})
  add_dependencies(gatefold::${name}_shared gatefold_generate_${name})
endfunction()
