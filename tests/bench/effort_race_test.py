#!/usr/bin/env python3
"""What bench/effort_race.py asks of gatefold and of its worker, with programs in their places that compile and time nothing."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "bench" / "effort_race.py"

GATEFOLD = """#!{python}
import json, sys
if sys.argv[1:] == ["list", "variants", "--json"]:
    print(json.dumps({{"items": [{{"name": "relu", "parameters": {{}}}},
                                 {{"name": "swiglu_oai", "parameters": {{"alpha": 1.5, "limit": 6, "up_offset": 2}}}}]}}))
elif sys.argv[1] == "generate":
    print(json.dumps({{"kernels": [{{"target": "x86-avx2"}}]}}))
else:
    print("{{}}")
"""

# Of the defaults, standard's winner and deep's winner; what it was asked is written beside it.
WORKER = """#!{python}
import json, pathlib, sys
asked = pathlib.Path(__file__).with_name("asked")
for line in sys.stdin:
    with asked.open("a") as file:
        file.write(line)
    times = (2.0, 1.0, {deep})
    print(json.dumps({{"reply": "any", "candidates": [{{"kind": "ok", "median_ms": t, "samples": [t, t]}} for t in times]}}),
          flush=True)
"""


class EffortRace(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_script(self, *arguments, deep=1.0):
        for name, text in (("gatefold", GATEFOLD), ("gatefold-worker", WORKER)):
            path = self.folder / name
            path.write_text(text.format(python=sys.executable, deep=deep))
            path.chmod(0o755)
        return subprocess.run([sys.executable, "-B", SCRIPT, "--build", self.folder, *arguments], capture_output=True, text=True,
                              check=False)

    def asked(self):
        return [json.loads(line) for line in (self.folder / "asked").read_text().splitlines()]

    def test_takes_a_variants_own_parameters(self):
        done = self.run_script("--blocks", "swiglu_oai:64x128:f32,relu:64x128:bf16", "--rows", "4")
        self.assertEqual(done.returncode, 0, done.stderr)
        oai, relu = (request["ffn"] for request in self.asked() if request["kind"] == "measure")
        self.assertEqual([oai[name] for name in ("slope", "alpha", "limit", "up_offset")], [0, 1.5, 6, 2])
        self.assertEqual((relu["variant"], relu["dtype"], relu["d_model"], relu["d_ff"]), ("relu", "bf16", 64, 128))

    def test_keeps_the_winners_where_told(self):
        kept = self.folder / "kept" / "here"
        done = self.run_script("--blocks", "relu:64x128:bf16", "--rows", "4", "--keep", kept)
        self.assertEqual(done.returncode, 0, done.stderr)
        libraries = next(request["libraries"] for request in self.asked() if request["kind"] == "measure")
        self.assertEqual({pathlib.Path(library).parent for library in libraries}, {kept})
        self.assertTrue(kept.is_dir())

    def test_compares_the_three(self):
        out = self.folder / "out.json"
        done = self.run_script("--blocks", "relu:64x128:f32", "--rows", "1,4", "--json", out, deep=0.5)
        self.assertEqual(done.returncode, 1, "standard is behind deep by more than a little")
        cell = json.loads(out.read_text())["cells"][0]
        self.assertEqual((cell["standard"], cell["deep"], cell["of_deep"], cell["ok"]), (2.0, 4.0, 0.5, False))

    def test_an_unknown_variant_is_named(self):
        done = self.run_script("--blocks", "swigloo:64x128:f32")
        self.assertEqual(done.returncode, 1)
        self.assertIn("effort_race: --blocks: 'swigloo', wanted one of relu, swiglu_oai", done.stderr)


if __name__ == "__main__":
    unittest.main()
