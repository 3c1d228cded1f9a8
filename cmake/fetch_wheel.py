#!/usr/bin/env python3
"""Fetches one pinned wheel with pip, checks its sha256, unpacks it into the cache and prints the folder.

fetch_wheel.py PACKAGE VERSION SHA256 [--tag TAG] [--cache DIR]. Standard library only. The folder appears by one
rename, so a folder that is there is whole; a lock keeps two builds from fetching the same wheel at once.
"""
import argparse
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile


def default_cache():
    named = os.environ.get("GATEFOLD_CACHE_DIR")
    if named:
        return pathlib.Path(named)
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "gatefold"


def python_with_pip():
    """The interpreter in use may be a bare one; the system's usually has pip."""
    for python in (sys.executable, "/usr/bin/python3"):
        tried = subprocess.run([python, "-m", "pip", "--version"], capture_output=True) if python else None
        if tried and tried.returncode == 0:
            return python
    sys.exit("fetch_wheel: no python3 with pip found; on Debian: apt-get install python3-pip")


def download(package, version, tag, folder):
    platform = []
    if tag:
        python, abi, system = tag.split("-", 2)
        platform = ["--implementation", python[:2], "--python-version", python[2:], "--abi", abi, "--platform", system]
    command = [python_with_pip(), "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
               "--only-binary", ":all:", "--dest", str(folder), *platform, f"{package}=={version}"]
    if subprocess.run(command, stdout=sys.stderr).returncode:
        sys.exit(f"fetch_wheel: pip could not download {package}=={version}")
    wheels = list(folder.glob("*.whl"))
    if len(wheels) != 1:
        sys.exit(f"fetch_wheel: {package}=={version}: pip left {len(wheels)} wheels, wanted 1")
    return wheels[0]


def check(wheel, wanted):
    digest = hashlib.sha256()
    with wheel.open("rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    if digest.hexdigest() != wanted:
        sys.exit(f"fetch_wheel: {wheel.name}: sha256 is {digest.hexdigest()}, wanted {wanted}")


def install(package, version, sha256, tag, target):
    print(f"fetching {package} {version}", file=sys.stderr)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix=f"{target.name}.", dir=target.parent))
    try:
        wheel = download(package, version, tag, scratch)
        check(wheel, sha256)
        unpacked = scratch / "unpacked"
        zipfile.ZipFile(wheel).extractall(unpacked)
        (unpacked / "WHEEL_SHA256").write_text(sha256 + "\n")
        shutil.rmtree(target, ignore_errors=True)  # an older pin of the same version
        unpacked.rename(target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def is_installed(target, sha256):
    try:
        return (target / "WHEEL_SHA256").read_text().strip() == sha256
    except OSError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package")
    parser.add_argument("version")
    parser.add_argument("sha256")
    parser.add_argument("--tag", help="python-abi-platform of a binary wheel; without it, what pip picks")
    parser.add_argument("--cache", type=pathlib.Path, help="default: $GATEFOLD_CACHE_DIR, else the user's cache")
    args = parser.parse_args()
    cache = (args.cache or default_cache()).absolute()
    target = cache / f"{args.package}-{args.version}"
    if not is_installed(target, args.sha256):
        cache.mkdir(parents=True, exist_ok=True)
        with open(cache / f"{target.name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not is_installed(target, args.sha256):  # another build may have done it meanwhile
                install(args.package, args.version, args.sha256, args.tag, target)
    print(target)


if __name__ == "__main__":
    main()
