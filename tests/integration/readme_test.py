#!/usr/bin/env python3
"""The README's worked example, run as it stands there: readme_test.py BUILD_FOLDER [--update].

Every ```console block is a session: lines that begin with `$ ` are commands, what follows is their output. Commands must
succeed and print what the README says, word by word; only measured figures (numbers with a decimal point or an exponent)
may be others. With --update the README gets what the commands print now.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from project import SOURCE, python_with_numpy

BUILD = ""
README = SOURCE / "README.md"
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
NUMBER = re.compile(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?")
MEASURED = re.compile(r"[-+]?(\d+\.\d+(e[-+]?\d+)?|\d+e[-+]?\d+)")


class Step:
    """A command, as written over one or more lines, and the output under it."""

    def __init__(self, line):
        self.written, self.output = [line], []

    @property
    def command(self):
        return " ".join(line.removesuffix("\\").strip() for line in self.written).removeprefix("$ ")


def steps_of(session):
    steps = []
    for line in session.splitlines():
        if steps and steps[-1].written[-1].endswith("\\"):
            steps[-1].written.append(line)
        elif line.startswith("$ "):
            steps.append(Step(line))
        else:
            steps[-1].output.append(line)
    return steps


class Clone:
    """A folder that looks like a built clone, in which the commands leave their files."""

    def __init__(self, build):
        build = pathlib.Path(build).resolve()
        self.root = build / "tests" / "integration" / "work" / "readme"
        shutil.rmtree(self.root, ignore_errors=True)
        (self.root / "build").mkdir(parents=True)
        (self.root / "build" / "gatefold").symlink_to(build / "gatefold")
        (self.root / "examples").symlink_to(SOURCE / "examples")
        (self.root / "bin").mkdir()
        python = self.root / "bin" / "python3"
        python.write_text(f'#!/bin/sh\nexec "{shutil.which(python_with_numpy())}" "$@"\n')
        python.chmod(0o755)

    def run(self, command):
        """What it prints, line by line; it must succeed."""
        done = subprocess.run(["bash", "-c", f'PATH="$PWD/bin:$PATH"; {command}'], cwd=self.root, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            raise AssertionError(f"{command}\nexit {done.returncode}\n{done.stdout}")
        return done.stdout.splitlines()


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
    def test_worked_example(self):
        steps = [step for session in CONSOLE.findall(README.read_text(encoding="utf-8")) for step in steps_of(session)]
        commands = " ".join(step.command for step in steps)
        for needed in ("generate", "run", "check", "bench"):
            self.assertIn(f"gatefold {needed}", commands)
        clone = Clone(BUILD)
        for step in steps:
            got = clone.run(step.command)
            self.assertTrue(len(step.output) == len(got) and all(map(same_line, step.output, got)), "\n".join(
                [step.command, "-- the README says", *step.output, "-- it prints", *got]))


def update():
    clone = Clone(BUILD)

    def rerun(session):
        lines = [line for step in steps_of(session.group(1)) for line in step.written + clone.run(step.command)]
        return "```console\n" + "\n".join(lines) + "\n```"

    README.write_text(CONSOLE.sub(rerun, README.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    BUILD = sys.argv[1]
    if "--update" in sys.argv[2:]:
        update()
    else:
        unittest.main(argv=sys.argv[:1], verbosity=2)
