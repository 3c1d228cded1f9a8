#!/usr/bin/env python3
"""Tuning for arm64 with the worker under qemu-aarch64: worker_test.py BUILD ARM64_BUILD QEMU CASE.

Each case is a CTest test. BUILD has the tuner, ARM64_BUILD the worker.
"""
import json
import pathlib
import shlex
import sqlite3
import subprocess
import sys
import tempfile
import unittest

BUILD, ARM64, QEMU = pathlib.Path(), pathlib.Path(), ""
BLOCK = ["--variant", "swiglu", "--d-model", "64", "--d-ff", "96", "--dtype", "f32", "--rows", "1,4", "--target",
         "arm64-neon-dotprod"]
HELLO = '{"kind":"hello","protocol":3}\n'


def outcome(*command, stdin=""):
    """(exit code, stdout, stderr) of a command that may fail."""
    done = subprocess.run([str(word) for word in command], input=stdin, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def emulated_worker(cpu, *arguments):
    """Without a folder for libraries of the system: the worker needs none."""
    return [QEMU, "-cpu", cpu, ARM64 / "gatefold-worker", *arguments]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)

    def gatefold(self, *arguments, code=0):
        ended, out, err = outcome(BUILD / "gatefold", *arguments)
        self.assertEqual(ended, code, out + err)
        return out, err

    def tune(self, *more, cpu="max", code=0):
        # A lock of its own: that of the machine may be held by a real run.
        worker = shlex.join(map(str, emulated_worker(cpu, "--lock", self.work / "lock")))
        return self.gatefold("tune", *BLOCK, "--db", self.work / "t.db", "--threads", "2", "--worker", worker, *more,
                             code=code)


class Program(Case):
    def test_is_static(self):
        program = ARM64 / "gatefold-worker"
        _, header, _ = outcome("readelf", "-h", program)
        self.assertIn("AArch64", header)
        _, segments, _ = outcome("readelf", "-lW", program)
        self.assertIn("LOAD", segments)
        self.assertNotIn("INTERP", segments)
        _, dynamic, _ = outcome("readelf", "-d", program)
        self.assertNotIn("NEEDED", dynamic)

    def test_says_that_it_is_emulated_and_what_it_runs(self):
        both = ["arm64-neon", "arm64-neon-dotprod"]
        for cpu, targets in {"max": both, "neoverse-n1": both, "cortex-a76": both, "cortex-a53": both[:1]}.items():
            with self.subTest(cpu):
                code, said, errors = outcome(*emulated_worker(cpu), stdin=HELLO + '{"kind":"quit"}\n')
                self.assertEqual(code, 0, errors)
                machine = json.loads(said)["machine"]
                self.assertEqual(machine["targets"], targets)
                self.assertIs(machine["emulated"], True)
                self.assertIn("qemu", machine["emulator"])


class Roof(Case):
    def test_probes_of_both_targets_run(self):
        for target, instruction in {"arm64-neon": "sadalp", "arm64-neon-dotprod": "sdot"}.items():
            with self.subTest(target):
                request = {"kind": "roof", "target": target, "threads": 2, "lock": False}
                code, said, errors = outcome(*emulated_worker("max"), stdin=HELLO + json.dumps(request) + "\n")
                self.assertEqual(code, 0, errors)
                roof = json.loads(said.splitlines()[1])["roof"]
                self.assertIn("fmla", roof["f32_instruction"])
                self.assertIn(instruction, roof["i8_instruction"])
                for figure in ("f32_gflops", "bf16_gflops", "i8_gops", "read_gbps"):
                    self.assertGreater(roof[figure], 0, figure)

    def test_a_target_that_the_cpu_lacks_is_refused(self):
        request = {"kind": "roof", "target": "arm64-neon-dotprod", "threads": 1, "lock": False}
        _, said, _ = outcome(*emulated_worker("cortex-a53"), stdin=HELLO + json.dumps(request) + "\n")
        self.assertIn("cannot run on this CPU", said.splitlines()[1])


class Tune(Case):
    def test_from_search_to_report(self):
        out, _ = self.tune("--trials", "4", "--json")
        result = json.loads(out)
        # An emulator beside other programs may scatter too much to be ranked; nothing else may go wrong.
        self.assertEqual((result["trials"], result["ok"] + result["failed"].pop("noisy", 0)), (4, 4), out)
        self.assertEqual(result["failed"], {}, out)
        self.assertIs(result["emulated"], True)
        self.assertIn("qemu", result["emulator"])
        self.assertEqual([cell["rows"] for cell in result["cells"]], [1, 4])
        for cell in result["cells"]:
            self.assertIs(cell["emulated"], True)
            self.assertGreater(cell["median_ms"], 0)
        self.check_labels()
        self.check_that_nothing_leaves()

    def check_labels(self):
        out, _ = self.tune("--trials", "4")
        self.assertRegex(out, "4 trials, . ok, 0 measured now")
        self.assertRegex(out, r"emulated: all times are those of .*qemu")
        self.assertRegex(out, r"\d emulated .* fusion=")
        out, _ = self.gatefold("report", "--db", self.work / "t.db", "--json")
        cells = json.loads(out)["cells"]
        self.assertEqual([cell["emulated"] for cell in cells], [True, True])
        self.assertEqual([cell["match"] for cell in cells], [None, None])
        out, _ = self.gatefold("report", "--db", self.work / "t.db", "--html", self.work / "t.html")
        self.assertRegex(out, r"\d emulated ")
        self.assertNotIn("fastest fusion", out)
        self.assertIn("an emulated", (self.work / "t.html").read_text())
        with sqlite3.connect(self.work / "t.db") as database:
            self.assertEqual(database.execute("SELECT isa, emulated FROM workload").fetchall(),
                             [("arm64-neon-dotprod", 1)])

    def check_that_nothing_leaves(self):
        for flag in ("--export", "--record"):
            _, err = self.tune("--trials", "4", flag, self.work / "out", code=3)
            self.assertRegex(err, f"{flag}: .*qemu.* wanted a real CPU")
            self.assertFalse((self.work / "out").exists())
        out, err = self.gatefold("generate", *BLOCK, "--schedule", self.work / "t.db", "-o", self.work / "lib", "--json")
        self.assertEqual({kernel["origin"] for kernel in json.loads(out)["kernels"]}, {"default"})
        self.assertIn("were measured under an emulator", err)


class Unavailable(Case):
    def test_a_target_that_its_cpu_lacks(self):
        _, err = self.tune("--trials", "2", cpu="cortex-a53", code=3)
        self.assertIn("arm64-neon-dotprod", err)
        self.assertFalse((self.work / "t.db").exists())


if __name__ == "__main__":
    BUILD, ARM64, QEMU = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
