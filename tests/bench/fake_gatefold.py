#!/usr/bin/env python3
"""A gatefold for the tests of tables: it compiles and times nothing, and tells what a block of these sizes would take on a
machine of 100 GFLOP/s and 10 GB/s. Gated blocks take 2 % longer than the roofline allows, dense ones do not."""
import argparse
import json
import pathlib

parser = argparse.ArgumentParser()
parser.add_argument("command")
for flag in ("variant", "d-model", "d-ff", "dtype", "rows", "schedule", "name", "library", "threads", "seconds", "vs"):
    parser.add_argument(f"--{flag}")
parser.add_argument("-o", dest="folder")
parser.add_argument("--json", action="store_true")
o = parser.parse_args()


def cell(block, rows):
    matrices = 2 if block["variant"] == "gelu" else 3
    weights = matrices * block["d_model"] * block["d_ff"]
    compute, memory = 2 * weights * rows / 100e6, 4 * weights / 10e6
    efficiency = 1 / 1.02 if matrices == 3 else 1
    return {"impl": "gatefold", "rows": rows, "weights": "cold", "median_ms": max(compute, memory) / efficiency,
            "roofline_ms": max(compute, memory), "efficiency": efficiency,
            "bound": "compute" if compute > memory else "memory", "output_ok": True, "ok": True, "note": ""}


if o.command == "generate":
    if o.dtype == "f17":
        parser.exit(2, "gatefold: error: --dtype: 'f17', wanted f32\n")
    manifest = pathlib.Path(o.folder) / f"{o.name}.json"
    manifest.write_text(json.dumps({"variant": o.variant, "d_model": int(o.d_model), "d_ff": int(o.d_ff)}))
    print(json.dumps({"library": str(manifest)}))
else:
    block = json.loads(pathlib.Path(o.library).read_text())
    print(json.dumps({"best_roof": {"f32_gflops": 100, "bf16_gflops": 200, "read_gbps": 10},
                      "cells": [cell(block, int(rows)) for rows in o.rows.split(",")]}))
