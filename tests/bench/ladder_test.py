#!/usr/bin/env python3
"""gatefold-ladder on a tiny block: ladder_test.py PROGRAM. Standard library only."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
TINY = ("--shape", "32x64", "--rows", "4", "--seconds", "0")
STEP = re.compile(r"^## (\d)\. (.+?)\n.*?^Schedule: (.+?)\. .*?^```\n(.*?)^```$", re.M | re.S)


def ladder(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)


def figures(text):
    """The table's lines as cells, without heading and rule."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


class Ladder(unittest.TestCase):

    def climb(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            done = ladder(*arguments, "--markdown", str(page))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return done.stdout, page.read_text(encoding="utf-8")

    def check_figures(self, text, numbers="123456"):
        rows = figures(text)
        self.assertEqual([row[0] for row in rows], list(numbers), text)
        for row in rows:
            self.assertEqual(row[-1], "yes", text)
            self.assertGreater(float(row[2]), 0)
            self.assertGreater(float(row[3]), 0)
            self.assertGreaterEqual(int(row[6]), 3)

    def test_six_steps_are_right_and_shown_with_their_loops(self):
        text, page = self.climb(*TINY)
        self.check_figures(text)
        steps = STEP.findall(text)
        self.assertEqual([number for number, *_ in steps], list("123456"))
        nests = [nest for *_, nest in steps]
        for nest in nests:
            self.assertIn("produce y", nest)
            self.assertRegex(nest, r"for .*_k")
        self.assertNotIn("vectorized", nests[0])
        self.assertIn("vectorized", nests[1])
        self.assertNotIn("unrolled mi", nests[1])
        self.assertIn("produce up:", nests[2])
        self.assertNotIn("produce up:", nests[3])
        self.assertEqual([point for _, _, point, _ in steps[:2]], ["by hand"] * 2)
        self.assertIn("fusion=unfused", steps[2][2])
        self.assertIn("fusion=gated", steps[3][2])
        self.assertNotIn("{{", page)
        self.check_figures(page)
        self.assertEqual(STEP.findall(page), steps)

    def test_the_last_step_is_the_schedule_that_was_asked_for(self):
        point = "fusion=blocked mr=1 streams=2 kb=8 pf=32 mb=2"
        text, page = self.climb(*TINY, "--dtype", "bf16", "--threads", "2", "--schedule", point)
        self.check_figures(text)
        steps = STEP.findall(text)
        self.assertEqual(steps[4][1], "k-blocks")
        self.assertIn("_blocks", steps[4][3])
        self.assertIn("row_block", steps[5][3])
        self.assertIn("fusion=blocked mr=1 streams=2 kb=8 pf=32", steps[5][2])
        self.assertIn(f"--schedule '{point}'", page)

    def test_the_last_step_may_be_streamed(self):
        text, _ = self.climb(*TINY, "--schedule", "fusion=streamed mr=2 streams=2 mb=2 slices=2")
        self.check_figures(text)
        self.assertIn("slices=2", STEP.findall(text)[5][2])
        self.assertIn("A slice of d_ff is one task", text)

    def test_a_point_without_k_blocks_packs_x_instead(self):
        text, _ = self.climb(*TINY, "--schedule", "fusion=gated mr=2 streams=2 kb=0 pf=0 unroll=2 xpack=1")
        self.check_figures(text)
        steps = STEP.findall(text)
        self.assertEqual(steps[4][1], "packed x")
        self.assertEqual(steps[4][2], steps[5][2])

    def test_the_autoscheduler_is_one_line_more(self):
        text, _ = self.climb(*TINY, "--autoscheduler")
        self.check_figures(text, "1234567")
        self.assertEqual(figures(text)[6][1], "Adams2019")
        self.assertEqual(STEP.findall(text)[6][2], "by Halide")

    def test_mistakes_are_named(self):
        for wrong, name in ((("--shape", "32"), "--shape"), (("--rows", "0"), "--rows"), (("--dtype", "f64"), "f64"),
                            (("--schedule", "mr=99"), "mr")):
            done = ladder(*TINY[:4], *wrong) if wrong[0] == "--schedule" else ladder(*wrong)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(name, done.stderr)
            self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    PROGRAM = sys.argv[1]
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
