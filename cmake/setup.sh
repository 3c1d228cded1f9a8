#!/usr/bin/env bash
# setup.sh demo|full: installs the Debian packages that are missing. `demo`: what the main job on x86 needs; `full`: what
# every test, benchmark and check needs as well. Asks dpkg first, so that a machine that has all is left alone at once.
set -euo pipefail

# python3-pip fetches the pinned wheels; python3-numpy is the reference of the check on real weights.
demo_packages=(
  g++ cmake ninja-build ccache binutils python3 python3-pip python3-numpy
  libcli11-dev nlohmann-json3-dev libsqlitecpp-dev libsqlite3-dev libfmt-dev libtomlplusplus-dev zlib1g-dev
)
# openssh-*: the tests of a worker on another machine start a server of their own.
full_packages=(
  libgtest-dev libgmock-dev libbenchmark-dev pkg-config clang-format clang-tidy openssh-client openssh-server
)

case "${1:-}" in
  demo) packages=("${demo_packages[@]}") ;;
  full) packages=("${demo_packages[@]}" "${full_packages[@]}") ;;
  *)
    echo "usage: setup.sh demo|full" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "setup: no Debian here, so nothing is installed; needed by their Debian names: ${packages[*]}" >&2
  exit 0
fi

installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null || true)
missing=()
for package in "${packages[@]}"; do
  grep -qx "installed $package" <<<"$installed" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: error: packages are missing and there is neither root nor sudo; install: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@"
}

echo "setup: installing ${missing[*]}" >&2
# The package lists of a new machine are empty or old: then, and only then, they are fetched.
if ! apt install -y --no-install-recommends "${missing[@]}" >/dev/null 2>&1; then
  apt update >/dev/null
  apt install -y --no-install-recommends "${missing[@]}" >/dev/null
fi
