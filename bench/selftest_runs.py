#!/usr/bin/env python3
"""How often `gatefold tune --selftest` claims a difference of 1 % or more between a schedule and itself: N runs, and their share.

    bench/selftest_runs.py 40            # on a quiet machine
    bench/selftest_runs.py 40 --busy     # beside a process that computes all the time

What stands after -- goes to the command (a SPEC, --threads). The exit status is 1 if more than --most runs claim one. Standard
library only."""
import argparse
import json
import pathlib
import subprocess
import sys

import bench_runs

BUILT = pathlib.Path(__file__).resolve().parents[1] / "build" / "gatefold"
BUSY = [sys.executable, "-c", "while True: pass"]


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text}, wanted 1 or more")
    return number


def outcome_of(returncode, stdout, stderr):
    """The JSON object of one run; SystemExit where there is none, since then nothing was tested."""
    try:
        result = json.loads(stdout)
    except ValueError:
        result = None
    if not isinstance(result, dict) or "claimed" not in result or returncode not in (0, 1):
        said = stderr.strip().splitlines() or [f"exit status {returncode}, and no JSON"]
        raise SystemExit(f"selftest_runs: {said[-1]}")
    return result


def run_once(gatefold, arguments):
    done = subprocess.run([str(gatefold), "tune", "--selftest", "--json", *arguments], capture_output=True, text=True,
                          check=False)
    return outcome_of(done.returncode, done.stdout, done.stderr)


def summary(results):
    claims = sum(bool(r["claimed"]) for r in results)
    ratios = [r["ratio"] for r in results]
    return {"runs": len(results), "claims": claims, "share": claims / len(results), "ratio_min": min(ratios),
            "ratio_max": max(ratios)}


def text_of(s):
    return (f"{s['claims']} of {s['runs']} runs claim a difference of 1 % or more ({100 * s['share']:.1f} %); "
            f"ratios {s['ratio_min']:.4f} to {s['ratio_max']:.4f}")


def main(arguments):
    arguments, passed_on = bench_runs.parted(arguments)
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("runs", type=positive, metavar="N")
    parser.add_argument("--busy", action="store_true", help="beside a process that computes all the time")
    parser.add_argument("--most", type=float, default=0.05, help="share of runs that may claim one (default: %(default)s)")
    parser.add_argument("--gatefold", default=BUILT, help="the program (default: %(default)s)")
    parser.add_argument("--json", help="file for the summary and every run")
    options = parser.parse_args(arguments)
    neighbour = subprocess.Popen(BUSY) if options.busy else None
    results = []
    try:
        for number in range(options.runs):
            results.append(run_once(options.gatefold, passed_on))
            r = results[-1]
            print(f"{number + 1:4} ratio {r['ratio']:.4f}  {r['ratio_low']:.4f} - {r['ratio_high']:.4f}"
                  f"{'  claimed' if r['claimed'] else ''}", flush=True)
    finally:
        if neighbour:
            neighbour.kill()
            neighbour.wait()
    found = summary(results)
    print(text_of(found))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({**found, "busy": options.busy, "results": results}, indent=1) + "\n")
    return 1 if found["share"] > options.most else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
