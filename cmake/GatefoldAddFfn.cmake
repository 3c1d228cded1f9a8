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

# Sets `out` to the program `gatefold` and `out_files` to what a library must be made anew after. A package for another
# machine has no generator: then it is that of this machine's own gatefold, installed or built in another folder.
function(gatefold_find_program name out out_files)
  if(TARGET gatefold::cli)
    set(${out} gatefold::cli PARENT_SCOPE)
    set(files "$<TARGET_FILE:gatefold::cli>" "$<TARGET_FILE:gatefold::emit>")
    if(TARGET gatefold::emit-mlir)
      list(APPEND files "$<TARGET_FILE:gatefold::emit-mlir>")
    endif()
    set(${out_files} ${files} PARENT_SCOPE)
    return()
  endif()
  # A build folder has it at its top, a prefix in bin/, where it is looked for anyway.
  find_program(GATEFOLD_PROGRAM gatefold HINTS ${CMAKE_PREFIX_PATH} NO_CMAKE_FIND_ROOT_PATH
               DOC "The program `gatefold` of this machine")
  if(NOT GATEFOLD_PROGRAM)
    message(FATAL_ERROR "gatefold_add_ffn(${name}): the package in ${gatefold_DIR} has no generator, and there is no program "
                        "gatefold on the PATH or in CMAKE_PREFIX_PATH; wanted -DGATEFOLD_PROGRAM=<that of this machine>")
  endif()
  set(${out} "${GATEFOLD_PROGRAM}" PARENT_SCOPE)
  cmake_path(GET GATEFOLD_PROGRAM PARENT_PATH folder)
  set(${out_files} "${GATEFOLD_PROGRAM}" "${folder}/gatefold-emit" PARENT_SCOPE)
endfunction()

# What a cross build's libraries are for: sets `out` to `--target T` unless SPEC says it, and refuses what the linker would.
function(gatefold_cross_target name out)
  set(${out} "" PARENT_SCOPE)
  if(NOT CMAKE_CROSSCOMPILING)
    if(";${ARGN}" MATCHES ";--target[;=](arm64-[^;]*)")
      message(FATAL_ERROR "gatefold_add_ffn(${name}): --target '${CMAKE_MATCH_1}' in a build for "
                          "${CMAKE_SYSTEM_PROCESSOR}, which cannot link it; wanted a target of this machine, or a cross build")
    endif()
    return()
  endif()
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    set(default arm64-neon)
  elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    set(default x86-avx2)
  else()
    message(FATAL_ERROR "gatefold_add_ffn(${name}): CMAKE_SYSTEM_PROCESSOR is '${CMAKE_SYSTEM_PROCESSOR}', wanted aarch64 or x86_64")
  endif()
  string(REGEX MATCH "^[a-z0-9]+-" family "${default}")
  if(NOT ";${ARGN}" MATCHES ";--target[;=]([^;]*)")
    set(${out} --target ${default} PARENT_SCOPE)
    return()
  endif()
  set(given "${CMAKE_MATCH_1}")
  if(NOT given MATCHES "^${family}")
    message(FATAL_ERROR "gatefold_add_ffn(${name}): --target '${given}', wanted ${family}… for ${CMAKE_SYSTEM_PROCESSOR} "
                        "(CMAKE_SYSTEM_PROCESSOR); without --target it is ${default}")
  endif()
endfunction()

# gatefold_add_ffn(NAME SPEC…): runs `gatefold generate SPEC… --name NAME` in the build and defines the targets above.
# SPEC is what the command takes, e.g. gatefold_add_ffn(mlp --preset llama-2-7b --target x86-avx2 --rows 1,4,16).
# A relative file in SPEC (a schedule) is taken from the current source folder and is a dependency. A cross build for arm64
# takes --target arm64-neon by default.
function(gatefold_add_ffn name)
  if(NOT name MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "gatefold_add_ffn: '${name}' is not a C identifier")
  endif()
  if(TARGET gatefold::${name})
    message(FATAL_ERROR "gatefold_add_ffn: there is a library '${name}' already")
  endif()
  gatefold_cross_target(${name} target ${ARGN})
  gatefold_find_program(${name} program programs)
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
    COMMAND "${program}" generate ${ARGN} ${target} --name ${name} -o "${dir}"
    DEPENDS ${programs} ${files}
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    COMMENT "Generating the FFN library ${name}"
    VERBATIM)
  add_custom_target(gatefold_generate_${name} DEPENDS ${outputs})
  gatefold_import_ffn(${name} "${dir}")
  # Through these a consumer in any folder waits for the headers before it compiles.
  add_dependencies(gatefold::${name} gatefold_generate_${name})
  add_dependencies(gatefold::${name}_shared gatefold_generate_${name})
endfunction()
