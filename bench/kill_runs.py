#!/usr/bin/env python3
"""Kills `gatefold tune` with SIGKILL at random moments and resumes it on the same database, N times, then lets it end.

    bench/kill_runs.py 50

Between the runs the database must open, no trial that was there may be gone, at most one candidate may have been measured in
vain, and nothing that the tuner started may live two seconds longer. In the end the points must be those of a run that nobody
disturbed, in its order: the strategy is `exhaustive`, since what every other one proposes depends on the times, which differ
(`random` too leaves a packing that is far behind). What stands after -- goes to the command. The exit status is 1 if any of that does not hold. Standard library only."""
import argparse
import json
import os
import pathlib
import random
import shlex
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid

import bench_runs

BUILT = pathlib.Path(__file__).resolve().parents[1] / "build"
BLOCK = "--variant swiglu --d-model 256 --d-ff 704 --dtype f32 --threads 1 --rows 1,8 --strategy exhaustive".split()
MARK = "GATEFOLD_KILL_RUNS"
LONGEST_BEFORE_THE_KILL_S = 6.0


class Tuner:
    """The same command again and again; its worker's requests are kept in a log."""

    def __init__(self, folder, build, trials, passed_on):
        self.log = folder / "requests"
        self.mark = uuid.uuid4().hex
        self.gatefold = build / "gatefold"
        self.trials = trials
        wrapped = f"tee -a {shlex.quote(str(self.log))} | {shlex.quote(str(build / 'gatefold-worker'))}"
        self.arguments = [*BLOCK, *passed_on, "--trials", str(trials), "--worker", f"sh -c {shlex.quote(wrapped)}", "--json"]

    def start(self, database):
        self.log.write_text("")
        return subprocess.Popen([str(self.gatefold), "tune", *self.arguments, "--db", str(database)],
                                env={**os.environ, MARK: self.mark}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def measured(self):
        """The candidates whose measuring began: each is the last library of a request that times. One that is cut short is none."""
        seen = []
        for line in self.log.read_text(errors="replace").splitlines():
            try:
                request = json.loads(line)
            except ValueError:
                continue
            if request.get("kind") == "measure" and (not seen or seen[-1] != request["libraries"][-1]):
                seen.append(request["libraries"][-1])
        return len(seen)

    def alive(self):
        wanted = f"{MARK}={self.mark}".encode()
        found = []
        for environment in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                if wanted in environment.read_bytes().split(b"\0"):
                    found.append(environment.parent.name)
            except OSError:
                continue  # ended meanwhile, or another user's
        return found


def trials_in(database):
    """(rows, packing, point, hash of the code), in the order in which they were stored; none before the database is there."""
    if not database.exists():
        return []
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        if connection.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            raise SystemExit(f"kill_runs: {database}: damaged")
        if not connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'trial'").fetchone()[0]:
            return []
        return connection.execute("SELECT rows, packing, point, code_hash FROM trial ORDER BY id").fetchall()


def number_timed(trials):
    """Without those that took over the result of an equal kernel of their place."""
    return len({(rows, packing, code or point) for rows, packing, point, code in trials})


def finish(process):
    out, errors = process.communicate()
    if process.returncode != 0:
        raise SystemExit(f"kill_runs: exit status {process.returncode}: {errors.strip()}")
    return json.loads(out)


def gone_in_time(tuner):
    until = time.monotonic() + 2
    while tuner.alive():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def kill_once(tuner, database, chance):
    """What one killed run did: trials gained, candidates measured in vain, and what does not hold."""
    before = trials_in(database)
    process = tuner.start(database)
    try:
        process.wait(timeout=chance.uniform(0.05, LONGEST_BEFORE_THE_KILL_S))
    except subprocess.TimeoutExpired:
        process.kill()
    process.communicate()
    faults = [] if gone_in_time(tuner) else [f"alive after 2 s: {' '.join(tuner.alive())}"]
    after = trials_in(database)
    if after[:len(before)] != before:
        faults.append("stored trials are gone")
    racing = len(after) == tuner.trials  # what was timed last were the leaders once more
    lost = 0 if racing else max(0, tuner.measured() - (number_timed(after) - number_timed(before)))
    if lost > 1:
        faults.append(f"{lost} candidates were measured in vain, wanted at most 1")
    return len(after) - len(before), lost, faults


def main(arguments):
    arguments, passed_on = bench_runs.parted(arguments)
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("kills", type=int, metavar="N")
    parser.add_argument("--trials", type=int, help="of the whole (default: eight for each kill)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments (default: %(default)s)")
    parser.add_argument("--build", type=pathlib.Path, default=BUILT, help="folder of the programs (default: %(default)s)")
    options = parser.parse_args(arguments)
    if options.kills < 1:
        parser.error(f"N: {options.kills}, wanted 1 or more")
    chance = random.Random(options.seed)
    ok = True
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tuner = Tuner(folder, options.build, options.trials or 8 * options.kills, passed_on)
        database = folder / "killed.db"
        for number in range(options.kills):
            gained, lost, faults = kill_once(tuner, database, chance)
            ok = ok and not faults
            print(f"kill {number + 1:3}: {gained:3} trials, {lost} lost{''.join('; ' + f for f in faults)}", flush=True)
        result = finish(tuner.start(database))
        finish(tuner.start(folder / "undisturbed.db"))
        same = trials_in(database) == trials_in(folder / "undisturbed.db")
        print(f"{result['trials']} trials in the end, {'the same points in the same order' if same else 'OTHER points'} as undisturbed")
    return 0 if ok and same else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
