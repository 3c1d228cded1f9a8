#!/usr/bin/env python3
"""What bench/run_peers.sh prints, and what it makes of a list of competitors. Standard library only."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path[:0] = [str(BENCH), str(BENCH / "peers")]
import install
import peers_table


def cell(impl, rows, ms, ratio=None, **more):
    return {
        "impl": impl, "rows": rows, "threads": 1, "dtype": "f32", "weights": "cold", "median_ms": ms, "efficiency": 0.9,
        "ratio": ratio, "ratio_low": ratio and ratio * 0.9, "ratio_high": ratio and ratio * 1.1, "ran": True,
        "output_ok": True, "ok": True, "note": "", "kernel": f"{impl} 1.0", **more
    }


def absent(impl, rows, why):
    return cell(impl, rows, None, ran=False, output_ok=False, ok=False, note=f"not run: {why}", kernel="")


def run(*cells):
    return {"variant": "swiglu", "d_model": 8, "d_ff": 16, "cells": list(cells)}


class Table(unittest.TestCase):

    def cells(self, *cells):
        return peers_table.merged([run(*cells)])

    def best(self, *others):
        return peers_table.best_competitor(next(iter(self.cells(cell("gatefold", 1, 1.0), *others).values())))

    def test_the_best_competitor_is_the_fastest_right_one(self):
        slow, fast = cell("slow", 1, 3.0, 3.0), cell("fast", 1, 1.2, 1.2)
        wrong = cell("wrong", 1, 0.1, 0.1, output_ok=False, ok=False)
        self.assertEqual(self.best(slow, fast, wrong, absent("gone", 1, "no"))["impl"], "fast")

    def test_our_own_control_is_no_competitor(self):
        self.assertIsNone(self.best(cell("unfused", 1, 0.5, 0.5)))

    def test_a_right_one_counts_even_where_the_roof_was_slower(self):
        fast = cell("fast", 1, 0.9, 0.9, ok=False, note="faster than the measured roof allows")
        self.assertEqual(self.best(fast)["impl"], "fast")

    def test_verdicts(self):
        for ratio, wanted in ((1.06, "faster"), (1.0, "tied or faster"), (0.985, "tied or faster"), (0.97, "slower")):
            self.assertEqual(peers_table.verdict(cell("p", 1, 1, ratio)), wanted)
        self.assertEqual(peers_table.verdict(None), "no competitor")

    def test_summary(self):
        ours = [cell("gatefold", rows, 1.0) for rows in (1, 2, 8)]
        summary = peers_table.summary(
            self.cells(*ours, cell("p", 1, 1, 0.9), cell("p", 2, 1, 2.0), cell("p", 8, 1, 8.0)))
        self.assertEqual((summary["cells"], summary["fastest_or_tied"], summary["at_least_1.05x"]), (3, 2, 2))
        self.assertAlmostEqual(summary["mean_over_best_rows_2_to_64"], 4.0)

    def test_batches_of_one_cell_become_one_line(self):
        cells = peers_table.merged([run(cell("gatefold", 1, 1.0), cell("a", 1, 2.0, 2.0)),
                                    run(cell("gatefold", 1, 1.5), cell("b", 1, 3.0, 2.2))])
        self.assertEqual(list(next(iter(cells.values()))), ["gatefold", "a", "b"])
        self.assertEqual(next(iter(cells.values()))["gatefold"]["median_ms"], 1.0)

    def test_text_has_medians_intervals_and_reasons(self):
        cells = self.cells(cell("gatefold", 4, 1.25), cell("p", 4, 2.5, 2.0), absent("q", 4, "no f32"),
                           cell("w", 4, 1.0, 0.8, output_ok=False, ok=False, note="row 2"))
        text = peers_table.as_text(cells, peers_table.names_of(cells))
        for part in ("2.5 2.00x [1.80-2.20]", "p 2.00x", "faster", "not run", "1 WRONG", "q: not run: no f32 (swiglu 8x16"):
            self.assertIn(part, text)
        markdown = peers_table.as_markdown(cells, peers_table.names_of(cells)).splitlines()
        self.assertEqual(markdown[0].count("|"), markdown[2].count("|"))

    def test_the_program_writes_all_three(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "run.json").write_text(json.dumps(run(cell("gatefold", 1, 1.0), cell("p", 1, 2.0, 2.0))))
            subprocess.run([
                sys.executable, "-B", BENCH / "peers_table.py", folder / "run.json", "--json", folder / "t.json", "--markdown",
                folder / "t.md"
            ], check=True, stdout=subprocess.DEVNULL)
            self.assertEqual(json.loads((folder / "t.json").read_text())["cells"][0]["best_competitor"], "p")
            self.assertIn("| swiglu 8x16 |", (folder / "t.md").read_text())


class Install(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def entry(self, **line):
        """The entry of one line, of an environment that needs no installing."""
        environment = install.Environment(self.folder / "venv", [line])
        (self.folder / "venv/lib/python3.11/site-packages/nvidia/x/lib").mkdir(parents=True)
        (self.folder / "venv/installed.json").write_text(json.dumps(environment.wanted))
        return install.entry(line, environment, self.folder)

    def test_a_python_program_runs_in_its_environment(self):
        entry = self.entry(program=["torch_eager.py", "{site}/x", "{venv}/y"], environment={"A": "{venv}"})
        venv = f"{self.folder}/venv"
        self.assertEqual(entry["command"], [f"{venv}/bin/python", "-B", str(BENCH / "peers/torch_eager.py"),
                                            f"{venv}/lib/python3.11/site-packages/x", f"{venv}/y"])
        self.assertEqual(entry["environment"]["A"], venv)
        self.assertIn("/nvidia/x/lib", entry["environment"]["LD_LIBRARY_PATH"])

    def test_a_cpp_program_is_compiled_as_it_says(self):
        source = self.folder / "small.cpp"
        source.write_text("// build: -DFOLDER=$PREFIX\n#ifndef FOLDER\n#error\n#endif\nint main() {}\n")
        command = install.compiled(source, install.Environment(self.folder / "venv", []), self.folder)
        self.assertEqual(subprocess.run(command, check=False).returncode, 0)
        source.write_text("#error \"no such header\"\n")
        with self.assertRaisesRegex(install.Unavailable, "small.cpp: .*no such header"):
            install.compiled(source, install.Environment(self.folder / "venv", []), self.folder)

    def test_the_blas_peer_is_valid_cpp(self):
        command = ["g++", "-std=c++20", "-fsyntax-only", "-Werror", "-Wall", "-Wno-unknown-pragmas", f"-I{BENCH.parent}",
                   BENCH / "peers/blas.cpp"]
        subprocess.run(command, check=True)

    def test_an_environment_that_failed_is_not_tried_again(self):
        tried = []

        def fail(command, what, _environment=None):
            tried.append(command)
            raise install.Unavailable(f"{what}: no such package")

        self.addCleanup(setattr, install, "run", install.run)
        install.run = fail
        environment = install.Environment(self.folder / "v", [{"pip": ["p"]}])
        for _ in range(2):
            with self.assertRaisesRegex(install.Unavailable, "no such package"):
                environment.install()
        self.assertEqual(len(tried), 1)

    def test_the_reason_is_the_line_that_says_error(self):
        script = "import sys; sys.exit('note\\nERROR: no such thing\\nhint')"
        with self.assertRaisesRegex(install.Unavailable, "^pip: ERROR: no such thing$"):
            install.run([sys.executable, "-c", script], "pip")

    def test_the_list_names_programs_that_exist(self):
        lines = json.loads((BENCH / "peers/list.json").read_text())
        self.assertEqual(len({line["name"] for line in lines}), len(lines))
        for line in lines:
            self.assertTrue((BENCH / "peers" / line["program"][0]).exists(), line["name"])


if __name__ == "__main__":
    unittest.main()
