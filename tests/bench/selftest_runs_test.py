#!/usr/bin/env python3
"""What bench/selftest_runs.py makes of its runs, with a program in gatefold's place that times nothing."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "bench" / "selftest_runs.py"

# The fourth run of four claims a difference; what it was called with is written beside it.
FAKE = """#!{python}
import json, pathlib, sys
count = pathlib.Path(__file__).with_name("count")
n = int(count.read_text()) + 1 if count.exists() else 1
count.write_text(str(n))
pathlib.Path(__file__).with_name("called").write_text(json.dumps(sys.argv[1:]))
claimed = n == 4
print(json.dumps({{"ratio": 1 + n / 100, "ratio_low": 0.9, "ratio_high": 1.1, "claimed": claimed}}))
sys.exit(1 if claimed else 0)
"""


class SelftestRuns(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, text):
        path = self.folder / "gatefold"
        path.write_text(text)
        path.chmod(0o755)
        return path

    def run_script(self, program, *arguments):
        return subprocess.run([sys.executable, "-B", SCRIPT, *arguments, *(() if program is None else ("--gatefold", program))],
                              capture_output=True, text=True, check=False)

    def test_counts_claims(self):
        fake = self.program(FAKE.format(python=sys.executable))
        out = self.folder / "out.json"
        done = self.run_script(fake, "4", "--json", out)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("1 of 4 runs claim a difference of 1 % or more (25.0 %); ratios 1.0100 to 1.0400", done.stdout)
        found = json.loads(out.read_text())
        self.assertEqual((found["runs"], found["claims"], found["busy"], len(found["results"])), (4, 1, False, 4))

    def test_a_share_that_may_be(self):
        fake = self.program(FAKE.format(python=sys.executable))
        self.assertEqual(self.run_script(fake, "4", "--most", "0.25").returncode, 0)
        self.assertEqual(self.run_script(fake, "3").returncode, 0, "none of these claims one")

    def test_beside_a_busy_process_and_with_a_spec(self):
        fake = self.program(FAKE.format(python=sys.executable))
        done = subprocess.run([sys.executable, "-B", SCRIPT, "1", "--busy", "--gatefold", fake, "--", "--preset", "gpt2"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads((self.folder / "called").read_text()),
                         ["tune", "--selftest", "--json", "--preset", "gpt2"])

    def test_a_run_that_failed_is_no_run(self):
        fake = self.program("#!/bin/sh\necho 'gatefold: error: no AVX2' >&2\nexit 3\n")
        done = self.run_script(fake, "2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no AVX2", done.stderr)

    def test_wrong_use(self):
        self.assertEqual(self.run_script(None, "0").returncode, 2)


if __name__ == "__main__":
    unittest.main()
