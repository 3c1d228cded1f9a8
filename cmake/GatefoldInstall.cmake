# Install rules, and the package `gatefold` for find_package: from a prefix, or from this build folder.
include(CMakePackageConfigHelpers)

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/gatefold")
set(private_libraries "${CMAKE_INSTALL_LIBDIR}/gatefold")

install(TARGETS gatefold_headers gatefold_runtime gatefold_runtime_shared gatefold_cli gatefold-emit gatefold-gengen gatefold-worker
        EXPORT gatefoldTargets)
install(DIRECTORY runtime/include/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES LICENSE THIRD_PARTY.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# Only the emitter and the Halide Generator need libHalide: it is installed apart, where nobody else links it by accident.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY "${CMAKE_INSTALL_FULL_BINDIR}"
           OUTPUT_VARIABLE bin_to_lib)
set_target_properties(gatefold-emit gatefold-gengen PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}/gatefold")
install(FILES "${gatefold_halide}/lib64/libHalide.so" DESTINATION "${private_libraries}")
install(FILES "${gatefold_halide}/share/doc/Halide/LICENSE.txt" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        RENAME LICENSE.Halide.txt)

configure_package_config_file(cmake/gatefoldConfig.cmake.in gatefoldConfig.cmake INSTALL_DESTINATION "${package}")
write_basic_package_version_file(gatefoldConfigVersion.cmake COMPATIBILITY SameMinorVersion)
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
