#!/usr/bin/env python3
"""What gating costs: geglu 768x2048 against gelu 768x3072, which have as many weights and do as many multiplications.

`gatefold bench` times one block, so short runs of the two take turns. The two runs of a round are neighbours in time and make
one ratio, gated / dense; the round after begins with the other block, so that a machine that gets slower or faster favours
neither. Per cell: the median of the ratios and its 95 % interval.
"""
import math
import statistics
import sys
import tempfile

import bench_runs

GATED, DENSE = ("geglu", 768, 2048), ("gelu", 768, 3072)
NEAR = 1.03  # at most 3 % slower
LEVEL = 0.05


def name_of(block):
    return "{} {}x{}".format(*block)


def ranks_outside(count):
    """How many of `count` sorted values lie on each side outside the 95 % interval of their median, by the sign test; None
    if they are too few for one."""
    tail, outside = 0.0, None
    for rank in range(count // 2 + 1):
        tail += math.comb(count, rank) / 2**count
        if 2 * tail > LEVEL:
            return outside
        outside = rank
    return outside


def ratio_of(pairs):
    """Median of gated / dense, and its interval, of [(gated ms, dense ms)]."""
    ratios = sorted(gated / dense for gated, dense in pairs)
    outside = ranks_outside(len(ratios))
    low, high = (None, None) if outside is None else (ratios[outside], ratios[-1 - outside])
    return statistics.median(ratios), low, high


def cell_of(threads, rows, pairs):
    """Of the [(gated cell, dense cell)] that bench printed."""
    for name, runs in zip((name_of(GATED), name_of(DENSE)), zip(*pairs)):
        wrong = [cell for cell in runs if not cell["output_ok"]]
        if wrong:
            raise bench_runs.Failed(f"{name}, {rows} rows: wrong output: {wrong[0]['note']}")
    times = [(gated["median_ms"], dense["median_ms"]) for gated, dense in pairs]
    ratio, low, high = ratio_of(times)
    return {
        "threads": threads, "rows": rows, "weights": pairs[0][0]["weights"],
        "gated_ms": statistics.median(gated for gated, _ in times), "dense_ms": statistics.median(dense for _, dense in times),
        "ratio": ratio, "ratio_low": low, "ratio_high": high, "rounds": len(pairs), "within_3_pct": ratio <= NEAR
    }


def verdict(cell):
    """Whether gated is within 3 % of dense, and whether the interval leaves that open."""
    near, low, high = cell["within_3_pct"], cell["ratio_low"], cell["ratio_high"]
    word = "yes" if near else "no"
    if low is None:
        return f"{word}, too few rounds for an interval"
    certain = high <= NEAR if near else low > NEAR
    return word if certain else f"{word}, not beyond doubt"


def table_of(cells):
    table = [["threads", "rows", "weights", "gated ms", "dense ms", "gated / dense", "95 %", "within 3 %"]]
    for cell in cells:
        interval = "-" if cell["ratio_low"] is None else f"{cell['ratio_low']:.3f}-{cell['ratio_high']:.3f}"
        table.append([
            str(cell["threads"]), str(cell["rows"]), cell["weights"], f"{cell['gated_ms']:.4g}", f"{cell['dense_ms']:.4g}",
            f"{cell['ratio']:.3f}", interval, verdict(cell)
        ])
    return table


def remarks_of(cells, dtype):
    yield f"gated: {name_of(GATED)}, dense: {name_of(DENSE)}, {dtype}; {cells[0]['rounds']} rounds"
    for threads in dict.fromkeys(cell["threads"] for cell in cells):
        of_threads = [cell for cell in cells if cell["threads"] == threads]
        near = [str(cell["rows"]) for cell in of_threads if cell["within_3_pct"]]
        far = [str(cell["rows"]) for cell in of_threads if not cell["within_3_pct"]]
        yield f"{threads} threads: within 3 % at rows {', '.join(near) or 'none'}; not at {', '.join(far) or 'none'}"


def measured(options, libraries, threads, rows):
    """[(gated cell, dense cell)] of the rounds."""
    pairs = []
    for number in range(options.rounds):
        cells = {}
        for block in (GATED, DENSE) if number % 2 == 0 else (DENSE, GATED):
            cells[block] = bench_runs.bench(options, libraries[block], [rows], threads)["cells"][0]
        pairs.append((cells[GATED], cells[DENSE]))
    return pairs


def main():
    options = bench_runs.parser_of("What gating costs, per row count.", "1,2,4,8,16,32,64,128,512", 12, 0.3).parse_args()
    cells = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            libraries = {block: bench_runs.generate(options, *block, folder) for block in (GATED, DENSE)}
            for threads in options.threads:
                for rows in options.rows:
                    print(f"{threads} threads, {rows} rows", file=sys.stderr)
                    cells.append(cell_of(threads, rows, measured(options, libraries, threads, rows)))
    except bench_runs.Failed as error:
        sys.exit(f"gating_cost: {error}")
    found = {"gated": name_of(GATED), "dense": name_of(DENSE), "dtype": options.dtype, "schedule": options.schedule,
             "cells": cells}
    bench_runs.publish(options, table_of(cells), list(remarks_of(cells, options.dtype)), found)


if __name__ == "__main__":
    main()
