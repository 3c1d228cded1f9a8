"""Which generated libraries are checked against the f64 reference, and what is wanted of the answers. Standard library only."""
import argparse
import collections
import dataclasses
import itertools
import json
import os
import subprocess

SMALL_SHAPES = ((1, 37), (37, 1), (85, 341))
ALL_SHAPES = SMALL_SHAPES + ((512, 1365), (384, 1536))
ROWS = (0, 1, 2, 3, 5, 17, 64)  # the checkers take these by themselves
BUCKETS = "1,4,16"
SHOWN_COMPLAINTS = 4  # of one library
# Of ordinary values, whatever tolerance the checkers derive, by the type of y: rel_l2 where both sizes are at least 32,
# else scaled.
BOUND = {"f32": 2e-6, "bf16": 4e-3, "f16": 1e-3}
# The dot instruction takes a hidden layer of bf16. Its rounding, up to 2^-8, counts in full where there is one hidden
# value, and that of y comes on top: 4.015e-3 was seen at 37x1.
FEW_DOTS_BOUND = 2 * 2.0**-8
# With f32 activations too.
DTYPES = ("f32", "bf16", "f16", "bf16_f32", "f16_f32")
# With sums in f16, which few targets have; their error is what the tolerance of a cell says.
F16_SUMS = "f16_acc16"


@dataclasses.dataclass(frozen=True)
class Library:
    variant: str
    dtype: str  # of the weights; "bf16_f32" with f32 activations, "f16_acc16" with sums in f16
    bias: bool = False
    residual: bool = False
    parameters: tuple = ()  # more flags of the variant
    schedule: str = "default"
    rows: str = BUCKETS
    shape: tuple = ()  # fixed sizes; without them kernels for any

    def additions(self):
        return [name for name in ("bias", "residual") if getattr(self, name)]

    def __str__(self):
        special = [] if self.schedule == "default" else [self.schedule]
        sizes = [shape_list([self.shape])] if self.shape else []
        return " ".join([self.variant, *self.parameters, *sizes, self.dtype, *self.additions(), *special])

    @property
    def y_dtype(self):
        return "f16" if self.dtype == F16_SUMS else self.dtype.split("_")[-1]

    @property
    def bound(self):
        return 0 if self.dtype == F16_SUMS else BOUND[self.y_dtype]

    def flags(self):
        """Of `gatefold generate`."""
        weights, *more = self.dtype.split("_")
        types = ["--accumulate", "f16"] if self.dtype == F16_SUMS else ["--act-dtype", *more] if more else []
        d_model, d_ff = map(str, self.shape or ("any", "any"))
        return ["--variant", self.variant, *self.parameters, "--d-model", d_model, "--d-ff", d_ff, "--dtype", weights,
                *types, "--rows", self.rows,
                "--schedule", self.schedule, *(f"--{name}" for name in self.additions())]


class Failure(Exception):
    pass


class Generator:
    """The program gatefold, as far as it makes libraries."""

    def __init__(self, gatefold):
        self.gatefold = gatefold

    def run(self, *arguments, environment=None):
        return subprocess.run([self.gatefold, *arguments], env=environment, capture_output=True, text=True)

    def variants(self):
        listed = self.run("list", "variants", "--json")
        if listed.returncode:
            raise Failure(f"gatefold list variants: exit {listed.returncode}: {listed.stderr.strip()}")
        return [item["name"] for item in json.loads(listed.stdout)["items"]]

    def generate(self, library, targets, folder, name="checked", jobs=None):
        """The manifest's path."""
        limit = ("--jobs", str(jobs)) if jobs else ()
        done = self.run("generate", *library.flags(), "--target", ",".join(targets), "--name", name, "-o", folder, *limit)
        if done.returncode:
            raise Failure(f"generate: exit {done.returncode}: {done.stderr.strip()}")
        return os.path.join(folder, name + ".json")


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


class Totals:
    """The worst by (dtype, target), and how many libraries were wrong."""

    def __init__(self):
        self.worst = collections.defaultdict(Worst)
        self.libraries = self.failed = 0

    def add_library(self, library, complaints):
        self.libraries += 1
        self.failed += bool(complaints)
        for text in complaints[:SHOWN_COMPLAINTS]:
            print(f"  FAILED {library}: {text}", flush=True)
        if len(complaints) > SHOWN_COMPLAINTS:
            print(f"  FAILED {library}: {len(complaints) - SHOWN_COMPLAINTS} more", flush=True)

    def print(self):
        print()
        for (dtype, target), worst in sorted(self.worst.items()):
            print(f"{dtype:8} {target:18} {worst}")
        print(f"{self.failed} of {self.libraries} libraries failed")


def is_large(cell):
    return min(cell["d_model"], cell["d_ff"]) >= 32


def bound_of(cell, bound):
    """At the row counts of the contract its bound holds; elsewhere, and without one, the tolerance of the cell."""
    if cell["target"] == "x86-avx512-bf16" and bound == BOUND["bf16"] and not is_large(cell):
        bound = FEW_DOTS_BOUND
    return bound if bound and cell["rows"] in ROWS else max(bound, cell["tolerance"])


def complaint(cell, bound):
    """What is wrong with one cell of a report, or None."""
    where = f"{cell['kernel']} {cell['d_model']}x{cell['d_ff']} rows {cell['rows']} ({cell['values']} values)"
    if not cell["ok"]:
        return f"{where}: {cell['note'] or 'not ok'}"
    error = cell["rel_l2"] if is_large(cell) else cell["scaled"]
    bound = bound_of(cell, bound)
    if cell["values"] == "unit" and (error is None or error > bound):
        return f"{where}: error {error}, wanted at most {bound}"
    return None


def missing(report, targets, shapes, rows=ROWS):
    """What was asked for and not checked: a check that skips everything must not pass."""
    reached = {(c["target"], c["d_model"], c["d_ff"], c["rows"]) for c in report["cells"]}
    for target, (d_model, d_ff), count in itertools.product(targets, shapes, rows):
        if (target, d_model, d_ff, count) not in reached:
            yield f"{target} {d_model}x{d_ff} rows {count}: not checked ({'; '.join(report['notes']) or 'no reason given'})"


def complaints_about(report, library, targets, shapes, rows=ROWS):
    """Of one library's report; none if all is right and all of it was checked."""
    complaints = [c for c in (complaint(cell, library.bound) for cell in report["cells"]) if c]
    complaints += missing(report, targets, [library.shape] if library.shape else shapes, rows)
    if not report["ok"] and not complaints:
        complaints.append(f"not ok: {'; '.join(report['notes'])}")
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


def shape_list(shapes):
    return ",".join(f"{d_model}x{d_ff}" for d_model, d_ff in shapes)


def add_matrix_flags(parser, dtypes):
    parser.add_argument("--variants", type=comma_list(str), help="default: all")
    parser.add_argument("--dtypes", type=comma_list(str, (*DTYPES, *dtypes)), default=dtypes)
    for flag in ("--bias", "--residual"):
        parser.add_argument(flag, choices=("on", "off", "both", "turns"), help="default: both with --full, else turns")
    parser.add_argument("--shapes", type=comma_list(shape), help="D_MODELxD_FF[,…]")


def choices(choice, turn):
    return {"on": (True,), "off": (False,), "both": (False, True), "turns": (turn % 2 == 1,)}[choice]


def libraries(variants, dtypes, bias, residual):
    for dtype, (v, variant) in itertools.product(dtypes, enumerate(variants)):
        d = (*DTYPES, F16_SUMS).index(dtype)
        # The residual's turns are twice as long, so that every pair of the two comes up.
        for biased, adding in itertools.product(choices(bias, v + d), choices(residual, v // 2 + d)):
            yield Library(variant, dtype, biased, adding)
