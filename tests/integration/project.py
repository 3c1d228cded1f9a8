"""Builds projects outside gatefold's tree, as an application does, and looks at what came out. Standard library only."""
import json
import os
import pathlib
import re
import shutil
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CONSUMERS = SOURCE / "tests" / "integration" / "consumers"
EXAMPLES = SOURCE / "examples"
# Of the runtime and the kernels nothing may reach either.
COMPILER = re.compile(r"libHalide|libLLVM", re.I)
COMPILER_SYMBOL = re.compile(r"_ZN4llvm|_ZNK?6Halide8Internal|LLVM[A-Z]\w+")


def call(*command, cwd=None, env=None):
    """stdout of a command that must succeed; all it printed is in the failure."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{' '.join(words)}\nexit {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def python_with_numpy():
    """The interpreter of the build may be a bare one; the system's has the package python3-numpy."""
    for python in ("python3", "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0:
            return python
    raise AssertionError("no python3 with numpy; on Debian: apt-get install python3-numpy")


class Setting:
    """The build folder under test and a folder of this test alone, empty at first."""

    def __init__(self, build, pipeline_generator, case):
        self.build = pathlib.Path(build).resolve()
        self.pipeline_generator = pathlib.Path(pipeline_generator).resolve()
        self.all_work = self.build / "tests" / "integration" / "work"
        self.prefix = self.all_work / "prefix"  # made by the case Install
        self.work = self.all_work / case
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.gatefold = self.build / "gatefold"

    def configured(self, source, *definitions, package=None):
        """The project's build folder, configured and built against the build folder or `package`."""
        folder = self.work / source.name
        places = ";".join(map(str, [package or self.build, self.work]))
        call("cmake", "-G", "Ninja", "-S", source, "-B", folder, f"-DCMAKE_PREFIX_PATH={places}",
             "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *definitions)
        call("cmake", "--build", folder, "--parallel", "2")
        return folder


def include_folders(project):
    """Where the project's compiler looks, apart from the system's own folders."""
    folders = set()
    for entry in json.loads((project / "compile_commands.json").read_text()):
        words = entry["command"].split()
        for i, word in enumerate(words):
            if word in ("-I", "-isystem"):
                folders.add(words[i + 1])
            elif word.startswith("-I"):
                folders.add(word[2:])
    return folders


def compiler_headers(project):
    """Halide.h and what else of the compiler a consumer could include by accident."""
    return [str(file) for folder in include_folders(project) for file in pathlib.Path(folder).glob("Halide*.h")]


def needed(binary):
    """All shared libraries that the loader takes for it."""
    return call("ldd", binary)


def symbols(binary, *options):
    """(type letter, name) of each symbol; capital letters are visible to other files."""
    found = []
    for line in call("nm", *options, binary).splitlines():
        match = re.fullmatch(r"[0-9a-f ]*\s([A-Za-z]) (\S+)(?: .*)?", line)
        if match:
            found.append((match.group(1), match.group(2)))
    return found


def compiler_traces(binary):
    """What of Halide's compiler or LLVM a program needs or holds."""
    traces = [line.strip() for line in needed(binary).splitlines() if COMPILER.search(line)]
    return traces + [name for _, name in symbols(binary) if COMPILER_SYMBOL.search(name)]


def environment(**changes):
    return {**os.environ, **changes}
