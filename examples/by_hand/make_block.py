#!/usr/bin/env python3
"""Writes a small SwiGLU block with random weights and an input for it; later compares an output with numpy in f64.

make_block.py write FOLDER [--d-model N] [--d-ff N] [--rows N]    block.safetensors and x.npy
make_block.py compare FOLDER                                      y.npy, as `gatefold run` wrote it
"""
import argparse
import json
import pathlib
import sys

import numpy as np

LIMIT = 1e-5


def save_safetensors(path, tensors):
    header, data = {}, b""
    for name, values in tensors.items():
        raw = values.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": values.shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def load_safetensors(path):
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    body = data[8 + size:]
    return {name: np.frombuffer(body[slice(*entry["data_offsets"])], "<f4").reshape(entry["shape"])
            for name, entry in json.loads(data[8:8 + size]).items()}


def write(args):
    random = np.random.default_rng(1)

    def matrix(out, inputs):
        return random.standard_normal((out, inputs)) / np.sqrt(inputs)

    tensors = {"gate": matrix(args.d_ff, args.d_model), "up": matrix(args.d_ff, args.d_model),
               "down": matrix(args.d_model, args.d_ff)}
    args.folder.mkdir(parents=True, exist_ok=True)
    save_safetensors(args.folder / "block.safetensors", tensors)
    np.save(args.folder / "x.npy", random.standard_normal((args.rows, args.d_model)).astype("<f4"))
    print(f"wrote {args.folder}/block.safetensors and {args.folder}/x.npy")


def compare(args):
    w = {name: values.astype(np.float64) for name, values in load_safetensors(args.folder / "block.safetensors").items()}
    x, y = (np.load(args.folder / name).astype(np.float64) for name in ("x.npy", "y.npy"))
    gate = x @ w["gate"].T
    wanted = (gate / (1 + np.exp(-gate)) * (x @ w["up"].T)) @ w["down"].T
    if y.shape != wanted.shape:
        sys.exit(f"y.npy: shape {y.shape}, wanted {wanted.shape}")
    error = np.max(np.abs(y - wanted))
    ok = bool(error <= LIMIT)
    print(f"y.npy: {y.shape[0]} rows of {y.shape[1]}, largest error {error:.1e}, limit {LIMIT:.0e}: {'ok' if ok else 'NOT ok'}")
    sys.exit(0 if ok else 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("write", "compare"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--d-model", type=int, default=256)
    parser.add_argument("--d-ff", type=int, default=683)
    parser.add_argument("--rows", type=int, default=7)
    args = parser.parse_args()
    write(args) if args.what == "write" else compare(args)


if __name__ == "__main__":
    main()
