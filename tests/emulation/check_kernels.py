#!/usr/bin/env python3
"""Checks any-shape kernels against the f64 reference, those for other CPUs under the emulator. Standard library only.

For each variant, dtype, bias and residual: generates one library with all targets, runs `gatefold check` over shapes and row
counts and prints the worst errors. The default is the sample of the test suite: the AVX-512 targets, every variant with or
without biases and residual in turn, small shapes. --full takes everything:

  check_kernels.py --gatefold build/gatefold --emulator build/tests/emulation/libavx512_emulator.so --full
"""
import argparse
import collections
import dataclasses
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

TARGETS = ("x86-avx2", "x86-avx512", "x86-avx512-bf16")
SMALL_SHAPES = ((1, 37), (37, 1), (85, 341))
ALL_SHAPES = SMALL_SHAPES + ((512, 1365), (384, 1536))
ROWS = (0, 1, 2, 3, 5, 17, 64)  # `check` takes these by itself
BUCKETS = "1,4,16"
SHOWN_COMPLAINTS = 4  # of one library
# Of ordinary values, whatever tolerance `check` derives: rel_l2 where both sizes are at least 32, else scaled.
BOUND = {"f32": 2e-6, "bf16": 4e-3}
# The dot instruction takes a hidden layer of bf16. Its rounding, up to 2^-8, counts in full where there is one hidden
# value, and that of y comes on top.
FEW_DOTS_BOUND = 2 * 2.0**-8


@dataclasses.dataclass(frozen=True)
class Library:
    variant: str
    dtype: str
    bias: bool
    residual: bool

    def additions(self):
        return [name for name in ("bias", "residual") if getattr(self, name)]

    def __str__(self):
        return " ".join([self.variant, self.dtype, *self.additions()])

    @property
    def name(self):
        return "_".join(["check", self.variant, self.dtype, *(self.additions() or ["plain"])])


class Failure(Exception):
    pass


class Programs:
    def __init__(self, gatefold, emulator):
        self.gatefold = gatefold
        self.emulator = emulator

    def run(self, *arguments, emulated=False):
        environment = dict(os.environ)
        if emulated and self.emulator:
            environment["LD_PRELOAD"] = self.emulator
            arguments += ("--emulated",)
        return subprocess.run([self.gatefold, *arguments], env=environment, capture_output=True, text=True)

    def variants(self):
        listed = self.run("list", "variants", "--json")
        if listed.returncode:
            raise Failure(f"gatefold list variants: exit {listed.returncode}: {listed.stderr.strip()}")
        return [item["name"] for item in json.loads(listed.stdout)["items"]]

    def generate(self, library, targets, folder):
        done = self.run("generate", "--variant", library.variant, "--d-model", "any", "--d-ff", "any", "--dtype",
                        library.dtype, "--target", ",".join(targets), "--rows", BUCKETS, "--name", library.name,
                        "-o", folder, *(f"--{name}" for name in library.additions()))
        if done.returncode:
            raise Failure(f"generate: exit {done.returncode}: {done.stderr.strip()}")
        return os.path.join(folder, library.name + ".json")

    def check(self, manifest, shapes):
        shape_list = ",".join(f"{d_model}x{d_ff}" for d_model, d_ff in shapes)
        done = self.run("check", "--library", manifest, "--shapes", shape_list, "--json", emulated=True)
        if done.returncode not in (0, 1) or not done.stdout.strip():
            raise Failure(f"check: exit {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout), done.returncode


class Worst:
    """The largest errors of ordinary values seen so far."""

    def __init__(self):
        self.cells = 0
        self.rel_l2 = self.scaled = 0.0

    def add(self, cell):
        self.cells += 1
        if cell["values"] != "unit":
            return
        if is_large(cell):
            self.rel_l2 = max(self.rel_l2, cell["rel_l2"])
        else:
            self.scaled = max(self.scaled, cell["scaled"])

    def __str__(self):
        return f"{self.cells:6d} cells   rel_l2 {self.rel_l2:8.2e}   scaled {self.scaled:8.2e}"


def is_large(cell):
    return min(cell["d_model"], cell["d_ff"]) >= 32


def bound_of(cell, dtype):
    few_dots = dtype == "bf16" and cell["target"] == "x86-avx512-bf16" and not is_large(cell)
    return FEW_DOTS_BOUND if few_dots else BOUND[dtype]


def complaint(cell, dtype):
    """What is wrong with one cell of the report, or None."""
    where = f"{cell['kernel']} {cell['d_model']}x{cell['d_ff']} rows {cell['rows']} ({cell['values']} values)"
    if not cell["ok"]:
        return f"{where}: {cell['note'] or 'not ok'}"
    error = cell["rel_l2"] if is_large(cell) else cell["scaled"]
    # At the row counts of the contract its bound holds; elsewhere the tolerance of the cell, which for a
    # lone hidden value that is rounded to bf16 before y is rounded too is 2 * 2^-8.
    bound = BOUND[dtype] if cell["rows"] in ROWS else max(BOUND[dtype], cell["tolerance"])
    if cell["values"] == "unit" and (error is None or error > bound):
        return f"{where}: error {error}, wanted at most {bound}"
    return None


def missing(report, targets, shapes):
    """What was asked for and not checked: a check that skips everything must not pass."""
    for target, (d_model, d_ff), count in itertools.product(targets, shapes, ROWS):
        wanted = (target, d_model, d_ff, count)
        if not any((c["target"], c["d_model"], c["d_ff"], c["rows"]) == wanted for c in report["cells"]):
            yield f"{target} {d_model}x{d_ff} rows {count}: not checked ({'; '.join(report['notes']) or 'no reason given'})"


def check_library(programs, library, args, totals):
    """Complaints; the worst errors go into totals by (dtype, target)."""
    begin = time.monotonic()
    worst = collections.defaultdict(Worst)
    with tempfile.TemporaryDirectory() as folder:
        manifest = programs.generate(library, args.targets, folder)
        report, code = programs.check(manifest, args.shapes)
    complaints = [c for c in (complaint(cell, library.dtype) for cell in report["cells"]) if c]
    complaints += missing(report, args.targets, args.shapes)
    if (code or not report["ok"]) and not complaints:
        complaints.append(f"check: exit {code}, ok {report['ok']}: {'; '.join(report['notes'])}")
    for cell in report["cells"]:
        worst[cell["target"]].add(cell)
        totals[library.dtype, cell["target"]].add(cell)
    for target in args.targets:
        print(f"{str(library):24} {target:16} {worst[target]}   {time.monotonic() - begin:6.1f} s", flush=True)
    return complaints


def comma_list(convert, allowed=None):
    def parse(text):
        values = tuple(convert(word) for word in text.split(","))
        if allowed and not set(values) <= set(allowed):
            raise argparse.ArgumentTypeError(f"'{text}', wanted some of {','.join(map(str, allowed))}")
        return values
    return parse


def shape(text):
    d_model, d_ff = text.split("x")
    return int(d_model), int(d_ff)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gatefold", required=True, type=pathlib.Path, help="the program")
    parser.add_argument("--emulator", type=pathlib.Path, help="libavx512_emulator.so; without it all runs natively")
    parser.add_argument("--full", action="store_true", help="every variant, dtype, target and shape")
    parser.add_argument("--variants", type=comma_list(str), help="default: all")
    parser.add_argument("--dtypes", type=comma_list(str, BOUND), default=tuple(BOUND))
    parser.add_argument("--targets", type=comma_list(str, TARGETS), help="default: all with --full, else AVX-512's")
    for flag in ("--bias", "--residual"):
        parser.add_argument(flag, choices=("on", "off", "both", "turns"), help="default: both with --full, else turns")
    parser.add_argument("--shapes", type=comma_list(shape), help="D_MODELxD_FF[,…]")
    args = parser.parse_args()
    args.targets = args.targets or (TARGETS if args.full else TARGETS[1:])
    args.bias = args.bias or ("both" if args.full else "turns")
    args.residual = args.residual or ("both" if args.full else "turns")
    args.shapes = args.shapes or (ALL_SHAPES if args.full else SMALL_SHAPES)
    return args


def choices(choice, turn):
    return {"on": (True,), "off": (False,), "both": (False, True), "turns": (turn % 2 == 1,)}[choice]


def libraries(variants, dtypes, bias, residual):
    for (d, dtype), (v, variant) in itertools.product(enumerate(dtypes), enumerate(variants)):
        # The residual's turns are twice as long, so that every pair of the two comes up.
        for biased, adding in itertools.product(choices(bias, v + d), choices(residual, v // 2 + d)):
            yield Library(variant, dtype, biased, adding)


def main():
    args = parse_arguments()
    programs = Programs(str(args.gatefold.absolute()), str(args.emulator.absolute()) if args.emulator else None)
    wanted = list(libraries(args.variants or programs.variants(), args.dtypes, args.bias,
                            args.residual))
    totals = collections.defaultdict(Worst)
    failed = 0
    for library in wanted:
        try:
            complaints = check_library(programs, library, args, totals)
        except Failure as failure:
            complaints = [str(failure)]
        failed += bool(complaints)
        for text in complaints[:SHOWN_COMPLAINTS]:
            print(f"  FAILED {library}: {text}", flush=True)
        if len(complaints) > SHOWN_COMPLAINTS:
            print(f"  FAILED {library}: {len(complaints) - SHOWN_COMPLAINTS} more", flush=True)
    print()
    for (dtype, target), worst in sorted(totals.items()):
        print(f"{dtype:5} {target:16} {worst}")
    print(f"{failed} of {len(wanted)} libraries failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
