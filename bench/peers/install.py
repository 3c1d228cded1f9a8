#!/usr/bin/env python3
"""Installs the competitors of list.json: FOLDER/NAME.json says how each is started, or why it could not be installed.

Each line of the list has `name`, `program` (a file beside this one and its arguments), `venv` (its Python environment, which
lines may share) and, where needed, `pip` and `without_dependencies` (packages), `environment`, `build_environment` (of
pip) and `seconds` (for each answer). {venv} and {site} stand for the environment's folder and its site-packages. A C++
program says in a line "// build: …" what its compiler needs; $PREFIX is {venv}.
"""
import argparse
import glob
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


class Unavailable(Exception):
    """Why a competitor cannot be installed."""


def run(command, what, environment=None):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(environment or {})})
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()] or ["no message"]
        errors = [line for line in lines if "error" in line.lower()] or lines
        raise Unavailable(f"{what}: {errors[-1].strip()[:200]}")


class Environment:
    """One virtual environment with the packages of all its lines in the list."""

    def __init__(self, folder, lines):
        self.path = folder
        self.wanted = {
            key: sorted({package for line in lines for package in line.get(key, [])})
            for key in ("without_dependencies", "pip")
        }
        self.build = {k: v for line in lines for k, v in line.get("build_environment", {}).items()}
        self.failure = None

    def site(self):
        return next(iter(glob.glob(f"{self.path}/lib/python3*/site-packages")), "")

    def install(self):
        """At once when repeated: a stamp holds what was installed."""
        if self.failure:
            raise Unavailable(self.failure)
        stamp = self.path / "installed.json"
        if stamp.exists() and json.loads(stamp.read_text()) == self.wanted:
            return
        try:
            self.fill()
        except Unavailable as reason:
            self.failure = str(reason)
            raise
        stamp.write_text(json.dumps(self.wanted))

    def fill(self):
        run([sys.executable, "-m", "venv", str(self.path)], "python3 -m venv")
        pip = [str(self.path / "bin/python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        for key, flags in (("without_dependencies", ["--no-deps"]), ("pip", [])):
            if self.wanted[key]:
                run(pip + flags + self.wanted[key], "pip", self.build)

    def library_path(self):
        """The libraries that wheels leave beside Python packages."""
        return ":".join(sorted(glob.glob(f"{self.site()}/nvidia/*/lib")))


def compiled(source, environment, folder):
    """The program made from one C++ file."""
    found = re.search(r"^// build: (.*)$", source.read_text(), re.MULTILINE)
    flags = (found.group(1) if found else "").replace("$PREFIX", str(environment.path)).split()
    program = folder / "bin" / source.stem
    program.parent.mkdir(exist_ok=True)
    compiler = [os.environ.get("CXX", "g++"), "-std=c++20", "-O3", f"-I{ROOT}"]
    run([*compiler, str(source), "-o", str(program), *flags], source.name)
    return [str(program)]


def entry(line, environment, folder):
    """What `gatefold bench` reads."""
    environment.install()
    source = HERE / line["program"][0]
    names = {"{venv}": str(environment.path), "{site}": environment.site()}

    def filled(text):
        for name, value in names.items():
            text = text.replace(name, value)
        return text

    command = (compiled(source, environment, folder) if source.suffix == ".cpp" else
               [str(environment.path / "bin/python"), "-B", str(source)])
    variables = {name: filled(value) for name, value in line.get("environment", {}).items()}
    if environment.library_path():
        variables.setdefault("LD_LIBRARY_PATH", environment.library_path())
    return {
        "command": command + [filled(argument) for argument in line["program"][1:]],
        "environment": variables,
        "seconds": line.get("seconds", 300),
    }


def install(lines, folder, only):
    venvs = {line["venv"] for line in lines}
    environments = {v: Environment(folder / "venv" / v, [l for l in lines if l["venv"] == v]) for v in venvs}
    for line in lines:
        if only and line["name"] not in only:
            continue
        print(f"installing {line['name']}", file=sys.stderr, flush=True)
        try:
            content = entry(line, environments[line["venv"]], folder)
        except Unavailable as reason:
            content = {"unavailable": str(reason)}
            print(f"  skipped: {reason}", file=sys.stderr)
        path = folder / f"{line['name']}.json"
        path.with_suffix(".tmp").write_text(json.dumps(content, indent=1) + "\n")
        path.with_suffix(".tmp").rename(path)


def main():
    parser = argparse.ArgumentParser(description="Installs the competitors of bench/peers/list.json.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="", help="names from the list, comma-separated")
    options = parser.parse_args()
    lines = json.loads((HERE / "list.json").read_text())
    only = [name for name in options.only.split(",") if name]
    unknown = sorted(set(only) - {line["name"] for line in lines})
    if unknown:
        parser.error(f"--only: '{unknown[0]}' is not among {' '.join(line['name'] for line in lines)}")
    options.folder.mkdir(parents=True, exist_ok=True)
    install(lines, options.folder.resolve(), only)


if __name__ == "__main__":
    main()
