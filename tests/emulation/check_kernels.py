#!/usr/bin/env python3
"""Checks any-shape kernels against the f64 reference, those for other CPUs under the emulator. Standard library only.

For each variant, dtype, bias and residual: generates one library with all targets, runs `gatefold check` over shapes and row
counts and prints the worst errors. The default is the sample of the test suite: the AVX-512 targets, every variant with or
without biases and residual in turn, small shapes. --full takes everything:

  check_kernels.py --gatefold build/gatefold --emulator build/tests/emulation/libavx512_emulator.so --full
"""
import argparse
import collections
import json
import os
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import kernel_matrix as matrix  # noqa: E402

TARGETS = ("x86-avx2", "x86-avx512", "x86-avx512-bf16")


class Programs(matrix.Generator):
    def __init__(self, gatefold, emulator):
        super().__init__(gatefold)
        self.emulator = emulator

    def check(self, manifest, shapes):
        environment = dict(os.environ)
        arguments = ["check", "--library", manifest, "--shapes", matrix.shape_list(shapes), "--json"]
        if self.emulator:
            environment["LD_PRELOAD"] = self.emulator
            arguments.append("--emulated")
        done = self.run(*arguments, environment=environment)
        if done.returncode not in (0, 1) or not done.stdout.strip():
            raise matrix.Failure(f"check: exit {done.returncode}: {done.stderr.strip()}")
        report = json.loads(done.stdout)
        if report["ok"] != (done.returncode == 0):
            raise matrix.Failure(f"check: exit {done.returncode}, but ok is {report['ok']}")
        return report


def check_library(programs, library, args, totals):
    """Complaints; the worst errors go into totals."""
    begin = time.monotonic()
    worst = collections.defaultdict(matrix.Worst)
    with tempfile.TemporaryDirectory() as folder:
        manifest = programs.generate(library, args.targets, folder)
        report = programs.check(manifest, args.shapes)
    for cell in report["cells"]:
        worst[cell["target"]].add(cell)
        totals.worst[library.dtype, cell["target"]].add(cell)
    for target in args.targets:
        print(f"{str(library):24} {target:16} {worst[target]}   {time.monotonic() - begin:6.1f} s", flush=True)
    return matrix.complaints_about(report, library, args.targets, args.shapes)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gatefold", required=True, type=pathlib.Path, help="the program")
    parser.add_argument("--emulator", type=pathlib.Path, help="libavx512_emulator.so; without it all runs natively")
    parser.add_argument("--full", action="store_true", help="every variant, dtype, target and shape")
    parser.add_argument("--targets", type=matrix.comma_list(str, TARGETS),
                        help="default: all with --full, else AVX-512's")
    matrix.add_matrix_flags(parser, dtypes=("f32", "bf16"))
    args = parser.parse_args()
    args.targets = args.targets or (TARGETS if args.full else TARGETS[1:])
    args.bias = args.bias or ("both" if args.full else "turns")
    args.residual = args.residual or ("both" if args.full else "turns")
    args.shapes = args.shapes or (matrix.ALL_SHAPES if args.full else matrix.SMALL_SHAPES)
    return args


def main():
    args = parse_arguments()
    programs = Programs(str(args.gatefold.absolute()), str(args.emulator.absolute()) if args.emulator else None)
    totals = matrix.Totals()
    for library in matrix.libraries(args.variants or programs.variants(), args.dtypes, args.bias, args.residual):
        try:
            complaints = check_library(programs, library, args, totals)
        except matrix.Failure as failure:
            complaints = [str(failure)]
        totals.add_library(library, complaints)
    totals.print()
    return 1 if totals.failed else 0


if __name__ == "__main__":
    sys.exit(main())
