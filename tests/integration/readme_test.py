#!/usr/bin/env python3
"""The README's worked example, run as it stands there: readme_test.py BUILD_FOLDER.

Every ```console block is a session: lines that begin with `$ ` are commands, what follows is their output. Commands must
succeed and print what the README says, word by word; only measured figures (numbers with a decimal point or an exponent)
may be others.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from project import SOURCE, python_with_numpy

BUILD = ""
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
NUMBER = re.compile(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?")
MEASURED = re.compile(r"[-+]?(\d+\.\d+(e[-+]?\d+)?|\d+e[-+]?\d+)")


def sessions(text):
    """[(command, [lines of output])] of all console blocks."""
    steps = []
    for block in CONSOLE.findall(text):
        lines = iter(block.splitlines())
        for line in lines:
            if line.startswith("$ "):
                command = line[2:]
                while command.endswith("\\"):
                    command = command[:-1].rstrip() + " " + next(lines).strip()
                steps.append((command, []))
            else:
                steps[-1][1].append(line)
    return steps


def same_word(wanted, got):
    """Equal, apart from the digits of measured figures; a unit or bracket around them must be the same."""
    if wanted == got:
        return True
    found = MEASURED.search(wanted)
    if not found:
        return False
    before, after = wanted[:found.start()], wanted[found.end():]
    if not (got.startswith(before) and got.endswith(after) and len(got) > len(before) + len(after)):
        return False
    return bool(NUMBER.fullmatch(got[len(before):len(got) - len(after)]))


def same_line(wanted, got):
    words, found = wanted.split(), got.split()
    return len(words) == len(found) and all(map(same_word, words, found))


class Comparison(unittest.TestCase):
    """What the comparison lets pass, and what not."""

    def test_measured_figures_may_differ(self):
        self.assertTrue(same_line("median 0.123 ms, 1.5x (2.0e-07)", "median  12 ms, 1.61x (3.1e-06)"))

    def test_all_else_must_not(self):
        for wanted, got in (("7 rows", "8 rows"), ("mr=6", "mr=4"), ("0.5 ms", "0.5 s"), ("0.5 ms", "- ms"),
                            ("ok", "ok ok"), ("1.5x", "1.5"), ("yes", "no")):
            self.assertFalse(same_line(wanted, got), (wanted, got))


class Readme(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(BUILD).resolve() / "tests" / "integration" / "work" / "readme"
        shutil.rmtree(self.root, ignore_errors=True)
        (self.root / "build").mkdir(parents=True)
        (self.root / "build" / "gatefold").symlink_to(pathlib.Path(BUILD).resolve() / "gatefold")
        (self.root / "examples").symlink_to(SOURCE / "examples")
        (self.root / "bin").mkdir()
        python = self.root / "bin" / "python3"
        python.write_text(f'#!/bin/sh\nexec "{shutil.which(python_with_numpy())}" "$@"\n')
        python.chmod(0o755)

    def test_worked_example(self):
        steps = sessions((SOURCE / "README.md").read_text(encoding="utf-8"))
        commands = " ".join(command for command, _ in steps)
        for needed in ("generate", "run", "check", "bench"):
            self.assertIn(f"gatefold {needed}", commands)
        for command, wanted in steps:
            self.check(command, wanted)

    def check(self, command, wanted):
        done = subprocess.run(["bash", "-c", f'PATH="$PWD/bin:$PATH"; {command}'], cwd=self.root, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}")
        got = done.stdout.splitlines()
        self.assertTrue(len(wanted) == len(got) and all(map(same_line, wanted, got)),
                        "\n".join([command, "-- the README says", *wanted, "-- it prints", *got]))


if __name__ == "__main__":
    BUILD = sys.argv[1]
    unittest.main(argv=sys.argv[:1], verbosity=2)
