#!/usr/bin/env python3
"""How close to the roofline swiglu blocks are, from 1 MB to 2 GB of f32 weights and from 1 to 4096 rows.

One line for each shape, one column for each row count: the efficiency (roofline time / median time) and which side of the
roofline binds; `!` marks what is more than 20 % off. What has no efficiency has its reason below.
"""
import math
import statistics
import sys
import tempfile

import bench_runs

VARIANT, MATRICES = "swiglu", 3
LEAST = 0.8  # efficiency
BYTES = {"f32": 4, "bf16": 2, "f16": 2}


def rounded(value):
    return max(64, round(value / 64) * 64)


def shape_of(mib):
    """Multiples of 64 with d_ff = 8/3 d_model, as most models have, whose f32 weights are about so many MiB."""
    d_model = rounded(math.sqrt(mib * 2**20 / (MATRICES * 4 * 8 / 3)))
    return d_model, rounded(d_model * 8 / 3)


def weight_bytes(shape, dtype):
    return MATRICES * shape[0] * shape[1] * BYTES[dtype]


def predicted_s(shape, rows, dtype, roof):
    """What one call takes at the roof."""
    peak = roof["bf16_gflops"] if dtype == "bf16" else roof["f32_gflops"]
    flops = 2 * MATRICES * shape[0] * shape[1] * rows
    return max(flops / peak, weight_bytes(shape, dtype) / roof["read_gbps"]) / 1e9


def without_figure(rows, reason):
    return {"rows": rows, "efficiency": None, "median_ms": None, "roofline_ms": None, "bound": None, "off": False,
            "reason": reason}


def cell_of(bench_cell):
    """What the table needs of one cell of `bench --json`."""
    reason = None if bench_cell["ok"] else bench_cell["note"] or "not ok"
    if reason is None and bench_cell["efficiency"] is None:
        reason = "copies of the weights stay in the cache" if bench_cell["weights"] == "warm" else "no efficiency"
    efficiency = bench_cell["efficiency"] if reason is None else None
    return {
        "rows": bench_cell["rows"], "efficiency": efficiency, "median_ms": bench_cell["median_ms"],
        "roofline_ms": bench_cell["roofline_ms"], "bound": bench_cell["bound"],
        "off": efficiency is not None and efficiency < LEAST, "reason": reason
    }


def middle_of(cells):
    """Of one cell's runs: the one of median efficiency, or the first that has none."""
    for cell in cells:
        if cell["efficiency"] is None:
            return cell
    median = statistics.median_low(cell["efficiency"] for cell in cells)
    return next(cell for cell in cells if cell["efficiency"] == median)


def cells_of_shape(options, shape, library, threads, roof):
    """Cells by row count; those that would take too long are not run."""
    cells = {}
    for rows in options.rows:
        seconds = predicted_s(shape, rows, options.dtype, roof)
        if seconds > options.most_seconds:
            cells[rows] = without_figure(
                rows, f"a call takes {seconds:.0f} s at the roof, more than {options.most_seconds:g} s")
    wanted = [rows for rows in options.rows if rows not in cells]
    if wanted:
        try:
            runs = [bench_runs.bench(options, library, wanted, threads)["cells"] for _ in range(options.rounds)]
            cells.update({same[0]["rows"]: middle_of([cell_of(cell) for cell in same]) for same in zip(*runs)})
        except bench_runs.Failed as error:
            cells.update({rows: without_figure(rows, str(error)) for rows in wanted})
    return [cells[rows] for rows in options.rows]


def text_of(cell):
    if cell["efficiency"] is None:
        return "-"
    return f"{cell['efficiency']:.2f}{'!' if cell['off'] else ''} {cell['bound']}"


def table_of(lines, rows):
    table = [["weights", "block", "threads"] + [f"{count} rows" for count in rows]]
    for line in lines:
        table.append([f"{line['mib']:.4g} MiB", line["block"], str(line["threads"])] + [text_of(c) for c in line["cells"]])
    return table


def remarks_of(lines):
    cells = [(line, cell) for line in lines for cell in line["cells"]]
    with_figure = [cell for _, cell in cells if cell["efficiency"] is not None]
    off = [(line, cell) for line, cell in cells if cell["off"]]
    yield f"{len(cells)} cells, {len(with_figure)} with a figure, {len(off)} more than 20 % off the roofline (!)"
    for line, cell in off:
        yield (f"{line['block']}, {cell['rows']} rows, {line['threads']} threads: {cell['median_ms']:.4g} ms where the roofline "
               f"({cell['bound']}) says {cell['roofline_ms']:.4g} ms")
    for line, cell in cells:
        if cell["reason"]:
            yield f"{line['block']}, {cell['rows']} rows, {line['threads']} threads: {cell['reason']}"


def measured(options):
    """One line of cells for each thread count and shape."""
    shapes = [shape_of(mib) for mib in options.sizes]
    with tempfile.TemporaryDirectory() as folder:
        libraries = {shape: bench_runs.generate(options, VARIANT, *shape, folder) for shape in shapes}
        for threads in options.threads:
            # What this machine can do, for the predictions: any run tells.
            roof = bench_runs.bench(options, libraries[shapes[0]], options.rows[:1], threads)["best_roof"]
            for shape in shapes:
                print(f"{threads} threads, {shape[0]}x{shape[1]}", file=sys.stderr)
                yield {
                    "mib": weight_bytes(shape, options.dtype) / 2**20, "block": f"{VARIANT} {shape[0]}x{shape[1]}",
                    "threads": threads, "cells": cells_of_shape(options, shape, libraries[shape], threads, roof)
                }


def main():
    parser = bench_runs.parser_of("Efficiency by size of the weights and row count.", "1,4,16,64,256,1024,4096", 1, 2)
    parser.add_argument("--sizes", type=bench_runs.ascending, default="1,4,16,64,256,1024,2048",
                        help="f32 weights in MiB (default: %(default)s)")
    parser.add_argument("--most-seconds", type=bench_runs.positive(float), default=20,
                        help="cells whose calls would take longer are left out (default: %(default)s)")
    options = parser.parse_args()
    if options.dtype not in BYTES:
        parser.error(f"argument --dtype: '{options.dtype}', wanted {', '.join(BYTES)}")
    try:
        lines = list(measured(options))
    except bench_runs.Failed as error:
        sys.exit(f"scaling: {error}")
    found = {"variant": VARIANT, "dtype": options.dtype, "schedule": options.schedule, "lines": lines}
    bench_runs.publish(options, table_of(lines, options.rows), list(remarks_of(lines)), found)


if __name__ == "__main__":
    main()
