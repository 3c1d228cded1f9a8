#!/usr/bin/env python3
"""Does a longer search pay? Tunes blocks with `--effort standard` and goes on to `deep`, then times the defaults and both winners
of every row count in interleaved rounds of one run.

    bench/effort_race.py --blocks swiglu:2048x768:f32,swiglu:896x4864:bf16 --threads 1

`standard` and `deep` are default time / their time, `of deep` is deep's time / standard's. The exit status is 1 if a cell's
`standard` is below 0.99 or its `of deep` below 0.97. Standard library only."""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

BUILT = pathlib.Path(__file__).resolve().parents[1] / "build"
EFFORTS = ("standard", "deep")
LEAST_OVER_DEFAULT, LEAST_OF_DEEP = 0.99, 0.97
# The lines of the worker name them all; one that a variant does not have changes nothing.
PARAMETERS = ("slope", "alpha", "limit", "up_offset")


class Block:
    def __init__(self, text):
        try:
            self.variant, size, self.dtype = text.split(":")
            self.d_model, self.d_ff = (int(n) for n in size.split("x"))
        except ValueError:
            raise SystemExit(f"effort_race: --blocks: '{text}', wanted VARIANT:D_MODELxD_FF:DTYPE") from None
        self.name = f"{self.variant}_{size}_{self.dtype}"

    def flags(self, rows):
        return ["--variant", self.variant, "--d-model", str(self.d_model), "--d-ff", str(self.d_ff), "--dtype", self.dtype,
                "--rows", ",".join(map(str, rows))]

    def ffn(self, parameters):
        return {"variant": self.variant, "dtype": self.dtype, "d_model": self.d_model, "d_ff": self.d_ff, "bias": False,
                "residual": False, **parameters}


def json_of(command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"effort_race: {' '.join(map(str, command[1:3]))}: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout)


def parameters_of(gatefold):
    """The parameters of every variant, as gatefold has them by default."""
    items = json_of([gatefold, "list", "variants", "--json"])["items"]
    return {item["name"]: {name: item["parameters"].get(name, 0) for name in PARAMETERS} for item in items}


def libraries_of(block, options, folder):
    """The .so of the defaults and of each effort's winners, and the target."""
    flags, gatefold = block.flags(options.rows), options.build / "gatefold"
    found = []
    for effort in ("default", *EFFORTS):
        schedule = "default"
        if effort != "default":
            schedule = folder / f"{block.name}_{effort}.json"
            json_of([gatefold, "tune", *flags, "--threads", options.threads, "--effort", effort, "--db", folder / "effort.db",
                     "--export", schedule, "--json"])
            print(f"{block.name}: {effort} is tuned", file=sys.stderr, flush=True)
        made = json_of([gatefold, "generate", *flags, "--schedule", schedule, "--name", f"{block.name}_{effort}", "-o", folder,
                        "--json"])
        found.append(str(folder / f"lib{block.name}_{effort}.so"))
    return found, made["kernels"][0]["target"]


def ask(worker, request):
    worker.stdin.write(json.dumps(request) + "\n")
    worker.stdin.flush()
    for line in worker.stdout:
        answer = json.loads(line)
        if answer.get("reply") == "error":
            raise SystemExit(f"effort_race: gatefold-worker: {answer['message']}")
        if "reply" in answer:
            return answer
    raise SystemExit("effort_race: gatefold-worker ended")


def paired(candidates, a, b):
    """Median over the rounds of a's time / b's."""
    return statistics.median(x / y for x, y in zip(candidates[a]["samples"], candidates[b]["samples"]))


def race(block, parameters, libraries, target, options):
    ffn = block.ffn(parameters)
    with subprocess.Popen([str(options.build / "gatefold-worker")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as worker:
        ask(worker, {"kind": "hello", "protocol": 3})
        for rows in options.rows:
            reply = ask(worker, {"kind": "measure", "libraries": libraries, "sent": False, "lock": True, "memory_bytes": 0, "ffn": ffn,
                                 "target": target, "rows": rows, "threads": options.threads, "seed": 1, "timed": True, "cold": True,
                                 "min_rounds": 5, "max_rounds": 60, "budget_ms": 1000 * options.seconds, "min_sample_ms": 1,
                                 "drop_ratio": 0})
            yield rows, reply["candidates"]
        worker.stdin.close()


def cell_of(block, rows, candidates):
    bad = [c for c in candidates if c["kind"] != "ok"]
    if bad:
        raise SystemExit(f"effort_race: {block.name}, {rows} rows: {bad[0]['kind']}: {bad[0]['message']}")
    cell = {"block": block.name, "rows": rows, "default_ms": candidates[0]["median_ms"], "standard": paired(candidates, 0, 1),
            "deep": paired(candidates, 0, 2), "of_deep": paired(candidates, 2, 1)}
    cell["ok"] = cell["standard"] >= LEAST_OVER_DEFAULT and cell["of_deep"] >= LEAST_OF_DEEP
    return cell


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--blocks", default="swiglu:2048x768:f32", help="VARIANT:D_MODELxD_FF:DTYPE,… (default: %(default)s)")
    parser.add_argument("--rows", default="1,4,16,64,128", help="(default: %(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="(default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=4, help="of the last race, each row count (default: %(default)s)")
    parser.add_argument("--keep", type=pathlib.Path, help="folder in which the database, winners and libraries stay")
    parser.add_argument("--build", type=pathlib.Path, default=BUILT, help="folder of the programs (default: %(default)s)")
    parser.add_argument("--json", type=pathlib.Path, help="file for the table as JSON")
    options = parser.parse_args(arguments)
    options.rows = [int(r) for r in options.rows.split(",")]
    cells, parameters = [], parameters_of(options.build / "gatefold")
    blocks = list(map(Block, options.blocks.split(",")))
    unknown = [block.variant for block in blocks if block.variant not in parameters]
    if unknown:
        raise SystemExit(f"effort_race: --blocks: '{unknown[0]}', wanted one of {', '.join(parameters)}")
    print("block                      rows  default ms  standard   deep  of deep")
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or pathlib.Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        for block in blocks:
            libraries, target = libraries_of(block, options, folder)
            for rows, candidates in race(block, parameters[block.variant], libraries, target, options):
                c = cell_of(block, rows, candidates)
                cells.append(c)
                print(f"{c['block']:26} {rows:4} {c['default_ms']:11.4g} {c['standard']:9.3f} {c['deep']:6.3f} {c['of_deep']:8.3f}"
                      f"{'' if c['ok'] else '  below what is wanted'}", flush=True)
    if options.json:
        options.json.write_text(json.dumps({"threads": options.threads, "cells": cells}, indent=1) + "\n")
    return 0 if all(c["ok"] for c in cells) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
