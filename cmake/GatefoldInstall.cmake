# Install rules, and the package `gatefold` for find_package: from a prefix, or from this build folder.
include(CMakePackageConfigHelpers)

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/gatefold")
set(private_libraries "${CMAKE_INSTALL_LIBDIR}/gatefold")

# A cross build has the runtime alone, or with the worker.
set(installed gatefold_headers gatefold_runtime gatefold_runtime_shared)
foreach(program IN ITEMS gatefold_cli gatefold-emit gatefold-emit-mlir gatefold-gengen gatefold-worker)
  if(TARGET ${program})
    list(APPEND installed ${program})
  endif()
endforeach()
install(TARGETS ${installed} EXPORT gatefoldTargets)
install(DIRECTORY runtime/include/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES LICENSE THIRD_PARTY.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# Only the emitters and the Halide Generator need libHalide: it is installed apart, where nobody else links it by accident.
if(NOT CMAKE_CROSSCOMPILING)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY "${CMAKE_INSTALL_FULL_BINDIR}"
             OUTPUT_VARIABLE bin_to_lib)
  set(with_halide gatefold-emit gatefold-gengen)
  if(TARGET gatefold-emit-mlir)
    list(APPEND with_halide gatefold-emit-mlir)
  endif()
  set_target_properties(${with_halide} PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}/gatefold")
  install(FILES "${gatefold_halide}/lib64/libHalide.so" DESTINATION "${private_libraries}")
endif()
install(FILES "${gatefold_halide}/share/doc/Halide/LICENSE.txt" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        RENAME LICENSE.Halide.txt)

configure_package_config_file(cmake/gatefoldConfig.cmake.in gatefoldConfig.cmake INSTALL_DESTINATION "${package}")
# CMake's own check compares versions and pointer sizes. An application for another processor looks on for a package of
# its own; if there is none, CMake prints this version beside the one that it wanted.
set(version_file "${PROJECT_BINARY_DIR}/gatefoldConfigVersion.cmake")
write_basic_package_version_file("${version_file}" COMPATIBILITY SameMinorVersion)
file(READ "${version_file}" version_check)
file(WRITE "${version_file}" "if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL \"${CMAKE_SYSTEM_PROCESSOR}\")
  set(PACKAGE_VERSION \"${PROJECT_VERSION}, for ${CMAKE_SYSTEM_PROCESSOR} only\")
  set(PACKAGE_VERSION_UNSUITABLE TRUE)
  return()
endif()

${version_check}")
configure_file(cmake/GatefoldAddFfn.cmake GatefoldAddFfn.cmake COPYONLY)
export(EXPORT gatefoldTargets NAMESPACE gatefold:: FILE gatefoldTargets.cmake)
install(EXPORT gatefoldTargets NAMESPACE gatefold:: DESTINATION "${package}")
install(FILES "${PROJECT_BINARY_DIR}/gatefoldConfig.cmake" "${PROJECT_BINARY_DIR}/gatefoldConfigVersion.cmake"
              cmake/GatefoldAddFfn.cmake
        DESTINATION "${package}")

# Relative to the .pc file, so that an installed tree can be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig"
           OUTPUT_VARIABLE GATEFOLD_PC_PREFIX)
configure_file(cmake/gatefold.pc.in gatefold.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/gatefold.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
