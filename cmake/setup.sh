#!/usr/bin/env bash
# setup.sh demo|full: installs the Debian packages that are missing. `demo`: what the main job on x86 needs; `full`: what
# every test, benchmark and check needs as well. Asks dpkg first, so that a machine that has all is left alone at once.
set -euo pipefail

# python3-pip fetches the pinned wheels; python3-numpy is the reference of the check on real weights.
demo_packages=(
  g++ cmake ninja-build ccache binutils python3 python3-pip python3-numpy
  libcli11-dev nlohmann-json3-dev libsqlitecpp-dev libsqlite3-dev libfmt-dev libtomlplusplus-dev zlib1g-dev
)
# openssh-*: the tests of a worker on another machine start a server of their own. *-aarch64-linux-gnu and qemu-user: what
# is for arm64 is cross-compiled, and its tests run under an emulator; libgtest-dev brings GoogleTest's sources for them. pocl-opencl-icd
# and ocl-icd-libopencl1: the schedules of devices run by OpenCL on the CPU.
full_packages=(
  libgtest-dev libgmock-dev libbenchmark-dev pkg-config clang-format clang-tidy openssh-client openssh-server
  g++-aarch64-linux-gnu binutils-aarch64-linux-gnu qemu-user pocl-opencl-icd ocl-icd-libopencl1
)
# The generator of tensor-core kernels, which the build leaves out where there is no MLIR 22. libmlir-22-dev doesn't ask for
# LLVM's headers, and MLIR's CMake package wants the tools.
mlir_packages=(llvm-22-dev libmlir-22-dev mlir-22-tools)

case "${1:-}" in
  demo) packages=("${demo_packages[@]}") optional=() ;;
  full) packages=("${demo_packages[@]}" "${full_packages[@]}") optional=("${mlir_packages[@]}") ;;
  *)
    echo "usage: setup.sh demo|full" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "setup: no Debian here, so nothing is installed; needed by their Debian names: ${packages[*]}" >&2
  exit 0
fi

# Sets `missing` to those of the arguments that are not installed.
find_missing() {
  local installed package
  missing=()
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    grep -qx "installed $package" <<<"$installed" || missing+=("$package")
  done
}

find_missing "${packages[@]}" "${optional[@]}"
if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  as_root=(sudo)
fi

apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@"
}

# The package lists of a new machine are empty or old: then, and only then, they are fetched.
install_packages() {
  if [ ${#as_root[@]} -gt 0 ] && ! command -v sudo >/dev/null; then
    echo "setup: error: packages are missing and there is neither root nor sudo; install: $*" >&2
    return 1
  fi
  echo "setup: installing $*" >&2
  if ! apt install -y --no-install-recommends "$@" >/dev/null 2>&1; then
    apt update >/dev/null
    apt install -y --no-install-recommends "$@" >/dev/null
  fi
}

find_missing "${packages[@]}"
if [ ${#missing[@]} -gt 0 ]; then
  install_packages "${missing[@]}"
fi
find_missing "${optional[@]}"
if [ ${#missing[@]} -gt 0 ] && ! install_packages "${missing[@]}"; then
  echo "setup: the build does without: ${missing[*]}" >&2
fi
