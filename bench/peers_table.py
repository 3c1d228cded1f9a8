#!/usr/bin/env python3
"""One table of what several `gatefold bench --json` runs found: text on stdout, and JSON and Markdown on request.

A cell is one shape, dtype, thread count, kind of weights and row count. Ratios are times divided by gatefold's in the same
rounds: above 1 gatefold is faster. Files of the same cells (competitors in several batches) are merged.
"""
import argparse
import json
import math
import sys

import bench_runs

OWN = ("gatefold", "unfused")
TIED = 1 / 0.98  # a competitor at most 2 % faster is as fast
CLEARLY = 1.05


def key_of(run, cell):
    return (f"{run['variant']} {run['d_model']}x{run['d_ff']}", cell["dtype"], cell["threads"], cell["weights"], cell["rows"])


def merged(runs):
    """{cell key: {impl: cell}}; the first run's figures of an implementation that stands in several."""
    cells = {}
    for run in runs:
        for cell in run["cells"]:
            cells.setdefault(key_of(run, cell), {}).setdefault(cell["impl"], cell)
    return cells


def is_competitor(cell):
    """A competitor that gave right outputs; whether the roof was slower than it is beside the point."""
    return cell["impl"] not in OWN and cell["output_ok"] and cell["ratio"]


def best_competitor(impls):
    return min((c for c in impls.values() if is_competitor(c)), key=lambda c: c["ratio"], default=None)


def verdict(best):
    """How gatefold stands against the best competitor."""
    if best is None:
        return "no competitor"
    if best["ratio"] >= CLEARLY:
        return "faster"
    if best["ratio"] >= 1 / TIED:
        return "tied or faster"
    return "slower"


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def summary(cells):
    best = [(key, best_competitor(impls)) for key, impls in cells.items()]
    ratios = [(key[-1], b["ratio"]) for key, b in best if b]
    return {
        "cells": len(cells),
        "cells_with_a_competitor": len(ratios),
        "fastest_or_tied": sum(r >= 1 / TIED for _, r in ratios),
        "at_least_1.05x": sum(r >= CLEARLY for _, r in ratios),
        "mean_over_best_rows_2_to_64": geometric_mean([r for rows, r in ratios if 2 <= rows <= 64]),
        "wrong_outputs_of_gatefold": sum(not impls["gatefold"]["output_ok"] for impls in cells.values()),
    }


def text_of(cell):
    """Median and ratio with its interval, in one table field."""
    if cell is None:
        return "-"
    if not cell.get("ran", True):
        return "not run"
    ms = f"{cell['median_ms']:.4g}"
    if not cell["output_ok"]:
        return f"{ms} WRONG"
    if cell["ratio"] is None:
        return ms
    interval = f" [{cell['ratio_low']:.2f}-{cell['ratio_high']:.2f}]" if cell["ratio_high"] else ""
    return f"{ms} {cell['ratio']:.2f}x{interval}"


def heading(names):
    return ["block", "dtype", "threads", "weights", "rows", "efficiency", "best competitor", "verdict"] + names


def lines_of(cells, names):
    for key, impls in cells.items():
        best = best_competitor(impls)
        efficiency = impls["gatefold"]["efficiency"]
        yield [str(part) for part in key] + [
            f"{efficiency:.2f}" if efficiency else "-", f"{best['impl']} {best['ratio']:.2f}x" if best else "-",
            verdict(best)
        ] + [text_of(impls.get(name)) for name in names]


def notes_of(cells):
    """Each reason once, with the cells that it stands for."""
    notes = {}
    for key, impls in cells.items():
        for cell in impls.values():
            if not cell["ok"]:
                notes.setdefault((cell["impl"], cell["note"]), []).append(key)
    for (impl, note), keys in sorted(notes.items()):
        first = " ".join(str(part) for part in keys[0])
        more = f" and {len(keys) - 1} more" if len(keys) > 1 else ""
        yield f"{impl}: {note} ({first}{more})"


def used_by(cells):
    """What each implementation said it is: the last word on versions."""
    used = {}
    for impls in cells.values():
        for cell in impls.values():
            if cell["impl"] not in OWN and cell["kernel"]:
                used.setdefault(cell["impl"], set()).add(cell["kernel"])
    return [f"{impl}: {'; '.join(sorted(kernels))}" for impl, kernels in sorted(used.items())]


def summary_lines(s):
    mean = s["mean_over_best_rows_2_to_64"]
    yield (f"{s['cells']} cells, {s['cells_with_a_competitor']} with a competitor: fastest or tied (at most 2 % behind) in "
           f"{s['fastest_or_tied']}, at least 1.05x in {s['at_least_1.05x']}")
    if mean:
        yield f"geometric mean over the best competitor, rows 2 to 64: {mean:.3f}x"
    if s["wrong_outputs_of_gatefold"]:
        yield f"gatefold's own output is WRONG in {s['wrong_outputs_of_gatefold']} cells"


def as_text(cells, names):
    table = bench_runs.as_text([heading(names), *lines_of(cells, names)])
    return "\n".join([table, "", *summary_lines(summary(cells)), *used_by(cells), *notes_of(cells)])


def as_markdown(cells, names):
    table = bench_runs.as_markdown([heading(names), *lines_of(cells, names)])
    lists = [f"- {line}" for line in [*summary_lines(summary(cells)), *used_by(cells), *notes_of(cells)]]
    return "\n".join([table, "", *lists])


def as_json(cells):
    listed = [{
        "block": key[0], "dtype": key[1], "threads": key[2], "weights": key[3], "rows": key[4],
        "best_competitor": (best_competitor(impls) or {}).get("impl"),
        "best_ratio": (best_competitor(impls) or {}).get("ratio"),
        "verdict": verdict(best_competitor(impls)), "impls": impls
    } for key, impls in cells.items()]
    return json.dumps({"summary": summary(cells), "cells": listed}, indent=1)


def names_of(cells):
    """Columns: ours first, the others in the order of the runs."""
    names = list(dict.fromkeys(name for impls in cells.values() for name in impls))
    return [n for n in OWN if n in names] + [n for n in names if n not in OWN]


def main():
    parser = argparse.ArgumentParser(description="One table of several `gatefold bench --json` runs.")
    parser.add_argument("runs", nargs="+", help="their JSON files")
    parser.add_argument("--json", help="file for the table as JSON")
    parser.add_argument("--markdown", help="file for the table as Markdown")
    options = parser.parse_args()
    runs = []
    for name in options.runs:
        try:
            with open(name, encoding="utf-8") as file:
                runs.append(json.load(file))
        except ValueError as error:
            sys.exit(f"{name}: not the JSON of `gatefold bench`: {error}")
    cells = merged(runs)
    names = names_of(cells)
    print(as_text(cells, names))
    for path, text in ((options.json, as_json(cells)), (options.markdown, as_markdown(cells, names))):
        if path:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text + "\n")


if __name__ == "__main__":
    main()
