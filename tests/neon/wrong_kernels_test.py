#!/usr/bin/env python3
"""wrong_kernels_test.py CHECKER QEMU SYSROOT: gatefold-check-kernels sees kernels that are wrong.

The kernels are those of tests/tuning/fake_candidate.c, compiled for arm64: plain C that computes a relu block, with faults to
order. Standard library only.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKER, QEMU, SYSROOT = sys.argv[1:4]
TARGET = "arm64-neon"
SHAPE = (40, 56)
MACROS = {"D_MODEL": SHAPE[0], "D_FF": SHAPE[1], "PANEL": 16, "K_STEP": 1, "GROUP": 2, "STREAMS": 2, "ROWS_MIN": 1,
          "ROWS_MAX": "INT64_MAX", "SPEND_US": 0, "TARGET": f'"{TARGET}"', "POINT": '"fusion=gated mr=1"'}


def manifest(name):
    return {"format": "gatefold-library", "version": 1, "library": name, "so": f"lib{name}.so", "architecture": "arm64",
            "variant": "relu", "dtype": "f32", "act_dtype": "f32", "d_model": SHAPE[0], "d_ff": SHAPE[1], "bias": False,
            "residual": False, "parameters": {"slope": 0.01, "alpha": 1.0, "limit": 0.0, "up_offset": 0.0},
            "kernels": [{"name": "fake", "target": TARGET, "rows_min": 1, "rows_max": None, "packing": "panel=16 k_step=1 group=2",
                         "point": "fusion=gated mr=1", "origin": "given"}]}


class WrongKernels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def library(self, *faults):
        """The manifest of a library with these faults."""
        name = "_".join(("fake", *faults)).lower()
        defines = [f"-D{key}={value}" for key, value in MACROS.items()] + [f"-D{fault}=1" for fault in faults]
        subprocess.run(["aarch64-linux-gnu-gcc", "-std=gnu11", "-O1", "-shared", "-fPIC", *defines,
                        f"-I{ROOT}/runtime/include", f"{ROOT}/tests/tuning/fake_candidate.c", "-o",
                        str(self.folder / f"lib{name}.so")], check=True)
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(manifest(name)))
        return str(path)

    def check(self, *manifests):
        return subprocess.run([QEMU, "-cpu", "max", "-L", SYSROOT, CHECKER, "--json", "--rows", "0,1,3", *manifests],
                              capture_output=True, text=True)

    def notes_of(self, fault):
        """What is said of the cells of a library with the fault, beside a right one that stays right."""
        done = self.check(self.library(fault), self.library())
        self.assertEqual(done.returncode, 1, done.stderr)
        wrong, right = json.loads(done.stdout)["libraries"]
        self.assertFalse(wrong["ok"])
        self.assertTrue(right["ok"], right)
        return [cell["note"] for cell in wrong["cells"] if cell["rows"] > 0 and not cell["ok"]]

    def assert_ends_it(self, fault):
        done = self.check(self.library(fault))
        self.assertNotIn(done.returncode, (0, 1, 2), done.stdout)
        self.assertIn(f"fake_{fault.lower()}.json: {TARGET}", done.stderr)

    def test_right_kernels_pass(self):
        done = self.check(self.library())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_one_output_off_by_an_eighth(self):
        notes = self.notes_of("WRONG_LAST_COLUMN")
        self.assertTrue(any("(0, 39) is past its tolerance" in note for note in notes), notes)

    def test_an_output_that_is_no_number(self):
        self.assertTrue(any("not finite" in note for note in self.notes_of("NOT_A_NUMBER")))

    def test_bits_that_change_from_call_to_call(self):
        self.assertTrue(any("other bits" in note for note in self.notes_of("DRIFTING")))

    def test_nothing_written(self):
        self.assertTrue(any("not written" in note for note in self.notes_of("NOTHING")))

    def test_a_write_past_y_ends_it(self):
        self.assert_ends_it("OVERRUN")

    def test_a_read_past_x_ends_it(self):
        self.assert_ends_it("OVERREAD")

    def test_a_write_to_x_ends_it(self):
        self.assert_ends_it("SPOIL_INPUT")

    def test_kernels_that_this_core_cannot_run(self):
        """Not wrong, so not status 1; beside wrong ones they do not hide these."""
        path = pathlib.Path(self.library())
        foreign = self.folder / "foreign.json"
        foreign.write_text(path.read_text().replace('"arm64"', '"x86_64"'))
        done = self.check(str(foreign))
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("gatefold-check-kernels: error: ", done.stderr)
        self.assertEqual(self.check(str(foreign), self.library("NOTHING")).returncode, 1)

    def test_a_library_that_is_not_there(self):
        done = self.check(str(self.folder / "none.json"), self.library())
        self.assertEqual(done.returncode, 1)
        none, right = json.loads(done.stdout)["libraries"]
        self.assertIn("none.json", none["error"])
        self.assertTrue(right["ok"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
