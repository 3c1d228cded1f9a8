#!/usr/bin/env python3
"""Checks kernels for arm64 against the f64 reference on emulated CPUs. Standard library only.

Generates any-shape libraries with the native gatefold and has gatefold-check-kernels of the cross build check them under
qemu-aarch64: values, tails, NaN and infinite rows, tensors at the edges of memory, 1 and 2 threads. The default is the
sample of the test suite: every variant and dtype, biases, residual and CPUs in turns, every fusion, small shapes. --full
takes biases and residual on and off, all shapes and CPUs, and every variant with f32 activations:

  check_kernels.py --gatefold build/gatefold --checker build/arm64/gatefold-check-kernels --full
"""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import kernel_matrix as matrix  # noqa: E402
from kernel_matrix import Library  # noqa: E402

TARGETS = ("arm64-neon", "arm64-neon-dotprod")
# The targets that each emulated CPU runs.
CPUS = {"max": TARGETS, "neoverse-n1": TARGETS, "cortex-a76": TARGETS, "cortex-a53": TARGETS[:1]}
# What the sample takes of them for one group of libraries, in turns: the code is the same on each, only what the CPU says
# that it can is not.
TURNS = (("max",), ("neoverse-n1",), ("cortex-a76",), ("max", "cortex-a53"))
# And of the row counts all but the largest: an emulator takes its time for each product.
FEW_ROWS = tuple(rows for rows in matrix.ROWS if rows < 64)
SYSROOT = "/usr/aarch64-linux-gnu"

DTYPES = (*matrix.DTYPES, matrix.F16_SUMS)
MIXED = ("bf16_f32", "f16_f32", matrix.F16_SUMS)
# Parameters that the variants themselves do not have: for their known values, at sizes that cost little.
SMALL = matrix.SMALL_SHAPES[:2]
SPECIAL = (("leaky_relu", "--slope", "2"), ("leaky_relu", "--slope", "-0.5"), ("swiglu", "--limit", "7"),
           ("silu", "--alpha", "0"), ("silu", "--alpha", "0.001"), ("silu", "--alpha", "-1"))
# Schedules that are no defaults, and the sizes of those that need fixed ones.
FUSIONS = (("fusion=unfused mb=0", ()), ("fusion=gated mb=0 xpack=0", ()), ("fusion=blocked mb=2", ()),
           ("fusion=blocked mb=2 kb=2 pf=0 unroll=2", ()), ("fusion=streamed mb=4 kb=0 slices=5", (44, 157)))


def targets_of(library):
    """Sums in f16 need f16 arithmetic."""
    return TARGETS[1:] if library.dtype == matrix.F16_SUMS else TARGETS


class Checker:
    """gatefold-check-kernels on an emulated CPU."""

    def __init__(self, program, qemu, sysroot):
        self.program = program
        self.emulator = [qemu, "-L", sysroot]

    def check(self, cpu, group, manifests):
        """The report of each library, in their order."""
        targets = CPUS[cpu]
        only = ["--target", *targets] if len(targets) == 1 else []
        done = subprocess.run([*self.emulator, "-cpu", cpu, self.program, "--json", "--shapes",
                               matrix.shape_list(group.shapes), "--rows", ",".join(map(str, group.rows)), *only,
                               *manifests], capture_output=True, text=True)
        if done.returncode not in (0, 1) or not done.stdout.strip():
            said = "; ".join(done.stderr.strip().splitlines()[-2:]) or "it said nothing"
            raise matrix.Failure(f"{cpu}: gatefold-check-kernels: exit {done.returncode}: {said}")
        reports = json.loads(done.stdout)
        if reports["ok"] != (done.returncode == 0) or len(reports["libraries"]) != len(manifests):
            raise matrix.Failure(f"{cpu}: exit {done.returncode}, but ok is {reports['ok']} of "
                                 f"{len(reports['libraries'])} libraries, wanted {len(manifests)}")
        return reports["libraries"]


def complaints_about(report, library, cpu, shapes, rows):
    if "error" in report:
        return [report["error"]]
    targets = [target for target in targets_of(library) if target in CPUS[cpu]]
    complaints = matrix.complaints_about(report, library, targets, shapes, rows)
    known = {cell["target"] for cell in report["cells"] if cell["values"] == "known"}
    if library.dtype == "f32" and not library.shape and known != set(targets):
        complaints.append(f"known values checked on {', '.join(known) or 'no target'}, wanted {', '.join(targets)}")
    return complaints


@dataclasses.dataclass
class Group:
    """Libraries that are checked in one process for each CPU: emulators start slowly."""
    libraries: list
    shapes: tuple
    rows: tuple
    cpus: tuple


class Work:
    """Generates and checks groups, several at once."""

    def __init__(self, generator, checker):
        self.generator, self.checker = generator, checker
        self.totals, self.adding = matrix.Totals(), threading.Lock()

    def run_group(self, group):
        """The complaints about each library; prints a line."""
        begin = time.monotonic()
        complaints = {library: [] for library in group.libraries}
        with tempfile.TemporaryDirectory() as folder:
            made = {}
            for place, library in enumerate(group.libraries):
                try:
                    made[library] = self.generator.generate(library, targets_of(library), folder, name=f"k{place}", jobs=1)
                except matrix.Failure as failure:
                    complaints[library].append(str(failure))
            generated = time.monotonic()
            for cpu in group.cpus:
                self.check_group(group, cpu, made, complaints)
        print(f"{len(group.libraries)} libraries: generated {generated - begin:.1f} s, checked on "
              f"{', '.join(group.cpus)} {time.monotonic() - generated:.1f} s", flush=True)
        return complaints

    def check_group(self, group, cpu, made, complaints):
        made = {library: path for library, path in made.items() if set(targets_of(library)) & set(CPUS[cpu])}
        if not made:
            return
        try:
            reports = self.checker.check(cpu, group, list(made.values()))
        except matrix.Failure as failure:
            for library in made:
                complaints[library].append(str(failure))
            return
        for library, report in zip(made, reports):
            found = complaints_about(report, library, cpu, group.shapes, group.rows)
            complaints[library] += [f"{cpu}: {text}" for text in found]
            with self.adding:
                for cell in report.get("cells", ()):
                    self.totals.worst[library.dtype, cell["target"]].add(cell)


def wanted_libraries(args, variants):
    # With f32 activations only the loads of x and the stores of y differ from those of other dtypes, with sums in f16
    # only the products.
    few = [variant for variant in variants if args.full or variant in ("gelu", "swiglu")]
    for dtype in args.dtypes:
        for library in matrix.libraries(few if dtype in MIXED else variants, (dtype,), args.bias, args.residual):
            yield dataclasses.replace(library, rows=args.rows)
    for number, dtype in enumerate(args.dtypes):
        for turn, (point, shape) in enumerate(FUSIONS):
            if dtype in MIXED and not args.full and not shape:
                continue
            yield Library("swiglu", dtype, turn % 2 == 0, (turn + number) % 2 == 0, schedule=point, rows="13", shape=shape)


def wanted_groups(args, variants):
    libraries = list(wanted_libraries(args, variants))
    count = -(-len(libraries) // args.group)
    cpus = [args.cpus or TURNS[number % len(TURNS)] for number in range(count)]
    groups = [Group(libraries[i::count], args.shapes, args.counts, cpus[i]) for i in range(count)]
    if "f32" in args.dtypes:
        special = [Library(name, "f32", bias=True, parameters=tuple(parameters), rows="1")
                   for name, *parameters in SPECIAL if name in variants]
        groups.append(Group(special, SMALL, args.counts, args.cpus or TURNS[0]))
    return [group for group in groups if group.libraries]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gatefold", required=True, type=pathlib.Path, help="the native program")
    parser.add_argument("--checker", required=True, type=pathlib.Path, help="gatefold-check-kernels for arm64")
    parser.add_argument("--qemu", default="qemu-aarch64", help="the emulator")
    parser.add_argument("--sysroot", default=SYSROOT, help="the emulator's -L")
    parser.add_argument("--full", action="store_true", help="every variant, dtype, bias, residual and shape")
    parser.add_argument("--cpus", type=matrix.comma_list(str, CPUS), help="default: all with --full, else in turns")
    parser.add_argument("--rows", help="buckets of the libraries, default 1,4,16 with --full, else 1,16")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes at once")
    parser.add_argument("--group", type=int, default=6, help="libraries checked in one process")
    matrix.add_matrix_flags(parser, dtypes=DTYPES)
    args = parser.parse_args()
    args.bias = args.bias or ("both" if args.full else "turns")
    args.residual = args.residual or ("both" if args.full else "turns")
    args.cpus = args.cpus or (tuple(CPUS) if args.full else None)
    args.rows = args.rows or (matrix.BUCKETS if args.full else "1,16")
    args.counts = matrix.ROWS if args.full else FEW_ROWS
    args.shapes = args.shapes or (matrix.ALL_SHAPES if args.full else matrix.SMALL_SHAPES)
    return args


def main():
    args = parse_arguments()
    generator = matrix.Generator(str(args.gatefold.absolute()))
    checker = Checker(str(args.checker.absolute()), args.qemu, args.sysroot)
    work = Work(generator, checker)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for complaints in pool.map(work.run_group, wanted_groups(args, args.variants or generator.variants())):
            for library, texts in complaints.items():
                work.totals.add_library(library, texts)
    work.totals.print()
    return 1 if work.totals.failed else 0


if __name__ == "__main__":
    sys.exit(main())
