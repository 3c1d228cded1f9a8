# Toolchain file: arm64 Linux with Debian's cross compiler (package g++-aarch64-linux-gnu); what is built runs here under
# qemu-aarch64 (package qemu-user), where that is found.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

find_program(GATEFOLD_QEMU_AARCH64 NAMES qemu-aarch64 qemu-aarch64-static)
if(GATEFOLD_QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${GATEFOLD_QEMU_AARCH64}" -L /usr/aarch64-linux-gnu)
endif()

# Programs are of the host, libraries of the device. Packages: those of headers alone are the host's, under /usr/share.
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
