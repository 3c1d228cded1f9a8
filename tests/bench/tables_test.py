#!/usr/bin/env python3
"""What bench/gating_cost.py and bench/scaling.py make of the runs of bench. Nothing is timed. Standard library only."""
import json
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BENCH = HERE.parents[1] / "bench"
sys.path.insert(0, str(BENCH))
import bench_runs
import gating_cost
import scaling


def run(program, *flags):
    command = [sys.executable, "-B", BENCH / program, "--gatefold", HERE / "fake_gatefold.py", *flags]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def bench_cell(rows=4, ms=1.0, efficiency=0.9, **more):
    return {"rows": rows, "weights": "cold", "median_ms": ms, "roofline_ms": 0.9, "efficiency": efficiency, "bound": "memory",
            "output_ok": True, "ok": True, "note": "", **more}


class Gating(unittest.TestCase):

    def cell(self, ratios, **more):
        return gating_cost.cell_of(1, 4, [(bench_cell(ms=2 * r, **more), bench_cell(ms=2)) for r in ratios])

    def test_median_of_the_rounds_ratios(self):
        cell = gating_cost.cell_of(2, 8, [(bench_cell(ms=g), bench_cell(ms=d)) for g, d in ((1, 1), (8, 4), (30, 10))])
        self.assertEqual((cell["ratio"], cell["gated_ms"], cell["dense_ms"]), (2, 8, 4))
        self.assertEqual((cell["threads"], cell["rows"], cell["rounds"]), (2, 8, 3))

    def test_interval_leaves_out_what_the_sign_test_allows(self):
        # 2 P(X <= 2) = 0.039 and 2 P(X <= 3) = 0.146 for 12 tosses of a coin.
        ratio, low, high = gating_cost.ratio_of([(number, 1) for number in range(1, 13)])
        self.assertEqual((ratio, low, high), (6.5, 3, 10))
        self.assertEqual(gating_cost.ratio_of([(number, 1) for number in range(1, 7)])[1:], (1, 6))

    def test_five_rounds_have_no_interval(self):
        self.assertEqual(gating_cost.ratio_of([(1, 1)] * 5)[1:], (None, None))
        self.assertIn("too few", gating_cost.verdict(self.cell([1.0] * 5)))

    def test_verdicts(self):
        for ratios, wanted in (([1.01] * 6, "yes"), ([1.01] * 5 + [1.2], "yes, not beyond doubt"), ([1.1] * 6, "no"),
                               ([1.1] * 5 + [1.0], "no, not beyond doubt"), ([0.5] * 6, "yes")):
            self.assertEqual(gating_cost.verdict(self.cell(ratios)), wanted)

    def test_a_wrong_output_is_no_cost(self):
        with self.assertRaisesRegex(bench_runs.Failed, "geglu 768x2048, 4 rows: wrong output: row 3"):
            self.cell([1.0], output_ok=False, note="row 3")

    def test_the_blocks_have_equal_weights(self):
        (_, gated_model, gated_ff), (_, dense_model, dense_ff) = gating_cost.GATED, gating_cost.DENSE
        self.assertEqual(3 * gated_model * gated_ff, 2 * dense_model * dense_ff)

    def test_runs_take_turns_and_change_who_begins(self):
        calls = []
        self.addCleanup(setattr, bench_runs, "bench", bench_runs.bench)
        bench_runs.bench = lambda _options, library, rows, _threads: calls.append(library) or {"cells": [bench_cell(rows[0])]}
        libraries = {gating_cost.GATED: "G", gating_cost.DENSE: "D"}
        gating_cost.measured(types.SimpleNamespace(rounds=3), libraries, 1, 4)
        self.assertEqual("".join(calls), "GDDGGD")

    def test_the_program_prints_all_three(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            done = run("gating_cost.py", "--rows", "1,64", "--threads", "1,2", "--rounds", "2", "--json", folder / "t.json",
                       "--markdown", folder / "t.md")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("2 threads: within 3 % at rows 1, 64; not at none", done.stdout)
            cells = json.loads((folder / "t.json").read_text())["cells"]
            self.assertEqual([(c["threads"], c["rows"]) for c in cells], [(1, 1), (1, 64), (2, 1), (2, 64)])
            self.assertAlmostEqual(cells[0]["ratio"], 1.02)
            self.assertIn("| 1 | 64 | cold |", (folder / "t.md").read_text())


class Scaling(unittest.TestCase):
    ROOF = {"f32_gflops": 100, "bf16_gflops": 200, "read_gbps": 10}

    def test_shapes_have_the_weights_that_are_asked_for(self):
        for mib in (1, 4, 16, 64, 256, 1024, 2048):
            d_model, d_ff = scaling.shape_of(mib)
            self.assertEqual((d_model % 64, d_ff % 64), (0, 0))
            self.assertAlmostEqual(scaling.weight_bytes((d_model, d_ff), "f32") / 2**20 / mib, 1, delta=0.13)
            self.assertAlmostEqual(d_ff / d_model, 8 / 3, delta=0.05)

    def test_prediction_is_the_larger_of_both_sides(self):
        shape = (1000, 1000)
        self.assertAlmostEqual(scaling.predicted_s(shape, 1, "f32", self.ROOF), 12e6 / 10e9)
        self.assertAlmostEqual(scaling.predicted_s(shape, 1000, "f32", self.ROOF), 6e9 / 100e9)
        self.assertAlmostEqual(scaling.predicted_s(shape, 1000, "bf16", self.ROOF), 6e9 / 200e9)

    def test_off_the_line_is_below_four_fifths(self):
        for efficiency, text in ((0.79, "0.79! memory"), (0.8, "0.80 memory"), (1.0, "1.00 memory")):
            self.assertEqual(scaling.text_of(scaling.cell_of(bench_cell(efficiency=efficiency))), text)

    def test_what_has_no_efficiency_says_why(self):
        warm = scaling.cell_of(bench_cell(efficiency=None, weights="warm"))
        wrong = scaling.cell_of(bench_cell(efficiency=0.9, ok=False, note="row 2 is wrong"))
        self.assertEqual((scaling.text_of(warm), scaling.text_of(wrong)), ("-", "-"))
        self.assertIn("cache", warm["reason"])
        self.assertEqual(wrong["reason"], "row 2 is wrong")
        self.assertFalse(wrong["off"])

    def test_of_several_rounds_the_middle_one(self):
        cells = [scaling.cell_of(bench_cell(efficiency=e)) for e in (0.9, 0.5, 0.7)]
        self.assertEqual(scaling.middle_of(cells)["efficiency"], 0.7)
        wrong = scaling.cell_of(bench_cell(ok=False, note="wrong"))
        self.assertEqual(scaling.middle_of(cells + [wrong])["reason"], "wrong")

    def test_remarks_name_the_cells_that_are_off(self):
        line = {"mib": 1, "block": "swiglu 8x16", "threads": 2, "cells": [scaling.cell_of(bench_cell(efficiency=0.5))]}
        summary, *rest = scaling.remarks_of([line])
        self.assertEqual(summary, "1 cells, 1 with a figure, 1 more than 20 % off the roofline (!)")
        self.assertEqual(rest, ["swiglu 8x16, 4 rows, 2 threads: 1 ms where the roofline (memory) says 0.9 ms"])

    def test_the_program_leaves_out_what_takes_too_long(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            done = run("scaling.py", "--sizes", "1,2048", "--rows", "1,4096", "--json", folder / "t.json", "--markdown",
                       folder / "t.md")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("swiglu 8192x21824, 4096 rows, 1 threads: a call takes 44 s at the roof, more than 20 s", done.stdout)
            lines = json.loads((folder / "t.json").read_text())["lines"]
            self.assertEqual([[c["efficiency"] is None for c in line["cells"]] for line in lines], [[False] * 2, [False, True]])
            self.assertIn("| 2046 MiB | swiglu 8192x21824 | 1 | 0.98 memory | - |", (folder / "t.md").read_text())

    def test_errors_are_one_line(self):
        for program, flags, wanted in (("gating_cost.py", ["--dtype", "f17"], "gating_cost: generate: .*'f17', wanted f32"),
                                       ("scaling.py", ["--dtype", "f17"], "--dtype: 'f17', wanted f32, bf16, f16"),
                                       ("scaling.py", ["--rows", "4,1"], "--rows: '4,1', wanted ascending"),
                                       ("scaling.py", ["--rows", "x"], "--rows: 'x', wanted ascending"),
                                       ("scaling.py", ["--gatefold", "none/g"], "scaling: none/g: No such file")):
            done = run(program, *flags)
            self.assertNotEqual(done.returncode, 0)
            self.assertRegex(done.stderr.strip().splitlines()[-1], wanted)


if __name__ == "__main__":
    unittest.main()
