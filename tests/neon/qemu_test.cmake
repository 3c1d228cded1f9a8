# gatefold_add_qemu_test(NAME cpu program [arguments …])
#
# The test `neon.NAME.cpu` of the native build: a program of the cross build, named by its path in that build's folder, on
# an emulated CPU (`qemu-aarch64 -cpu help` lists them). Label neon.
function(gatefold_add_qemu_test name cpu program)
  add_test(NAME neon.${name}.${cpu}
           COMMAND "${GATEFOLD_QEMU_AARCH64}" -cpu ${cpu} -L "${GATEFOLD_ARM64_SYSROOT}"
                   "${GATEFOLD_ARM64_DIR}/${program}" ${ARGN})
  set_tests_properties(neon.${name}.${cpu} PROPERTIES LABELS neon TIMEOUT 600)
endfunction()
