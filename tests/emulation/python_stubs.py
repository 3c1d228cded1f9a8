#!/usr/bin/env python3
"""python_stubs.py MODULE.so NM: prints assembly that defines every Python symbol the module refers to.

With it the module loads in a process without Python. All of them stand for the same 1 KiB of zeros: none is ever used.
"""
import subprocess
import sys


def python_symbols(module, nm):
    listing = subprocess.run([nm, "-D", "--undefined-only", module], check=True, capture_output=True, text=True).stdout
    names = (line.split()[-1].split("@")[0] for line in listing.splitlines())
    return sorted(name for name in names if name.lstrip("_").startswith("Py"))


def main():
    symbols = python_symbols(*sys.argv[1:3])
    if not symbols:
        sys.exit(f"python_stubs: {sys.argv[1]} refers to no Python symbol")
    print(".data\n.balign 16")
    for name in symbols:
        print(f".globl {name}\n{name}:")
    print(".fill 1024, 1, 0\n.section .note.GNU-stack, \"\", @progbits")


if __name__ == "__main__":
    main()
