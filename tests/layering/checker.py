"""Reads the sources of a tree and says, one line each, what breaks the layers of rules.py."""
import fnmatch
import os
import re

from rules import GENERATED, IO_STD, LAYERS, PURE_STD, THIRD_PARTY

CODE = (".h", ".c", ".cpp")
TEXT = CODE + (".py", ".sh", ".cmake", ".in", ".txt", ".json", ".md")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
# A folder of one person's machine. The lookbehind lets "https://a/home/x" and "build/tmp/x" pass.
MACHINE_PATH = re.compile(r"(?<![\w./}])/(work|root|home|tmp|mnt|scratch)/[A-Za-z0-9_]")
PUBLIC_ROOT = "runtime/include/"


def matches(path, patterns):
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


def files_of(root):
    """All text files of the tree, relative, without build folders and hidden ones."""
    for folder, names, files in os.walk(root):
        relative = os.path.relpath(folder, root)
        names[:] = sorted(n for n in names if not n.startswith(".") and not (relative == "." and n.startswith("build")))
        for name in sorted(files):
            if name.endswith(TEXT) or name == "Makefile":
                yield os.path.normpath(os.path.join(relative, name))


def layer_of(path):
    return next((layer for layer in LAYERS if matches(path, layer.files)), None)


class Tree:
    def __init__(self, root):
        self.text = {}
        for path in files_of(root):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                self.text[path] = file.read()
        self.code = [path for path in self.text if path.endswith(CODE)]

    def resolve(self, name):
        """The project's file that an include names, or None."""
        if name in GENERATED:
            return name
        return next((path for path in (name, PUBLIC_ROOT + name) if path in self.text), None)

    def includes(self, path):
        for match in INCLUDE.finditer(self.text.get(path, "")):
            yield self.text[path].count("\n", 0, match.start(2)) + 1, match.group(1), match.group(2)

    def without_comments(self, path):
        """The code with comments blanked and strings kept, its lines where they were."""
        return COMMENT_OR_STRING.sub(
            lambda m: m.group() if m.group()[0] == '"' else re.sub(r"[^\n]", " ", m.group()), self.text[path])

    def reaches_halide(self, path, seen):
        """The chain of includes from path to Halide.h, or None."""
        seen.add(path)
        for _, _, name in self.includes(path):
            if name == "Halide.h":
                return [path, name]
            target = self.resolve(name)
            chain = self.reaches_halide(target, seen) if target and target not in seen else None
            if chain:
                return [path] + chain
        return None


def outside_kind(name):
    for pattern, kind in THIRD_PARTY.items():
        if fnmatch.fnmatchcase(name, pattern):
            return kind
    if name in PURE_STD:
        return "pure"
    return "io" if name in IO_STD else "system"


def include_problem(tree, path, layer, bracket, name):
    """Why this include breaks a rule, or None."""
    target = tree.resolve(name)
    if target:
        used = layer_of(target)
        allowed = layer.uses == "*" or used is layer or (used and used.name in layer.uses.split())
        return None if allowed else f"{layer.name} may not include {target}"
    if ".." in name.split("/"):
        return f'"{name}": includes are relative to the repository, without ..'
    kind = outside_kind(name)
    if bracket == '"' and kind == "system":
        # A consumer of its own project, and the tests' own generated headers, have files that are not of this tree.
        return None if path.startswith(("tests/", "examples/")) else f'"{name}" is no file of the project'
    return None if kind in layer.outside else f"{layer.name} may not include <{name}>"


def code_problems(tree, path):
    layer = layer_of(path)
    if layer is None:
        yield f"{path}: this folder has no layer in rules.py"
        return
    for line, bracket, name in tree.includes(path):
        problem = include_problem(tree, path, layer, bracket, name)
        if problem:
            yield f"{path}:{line}: {problem}"
    code = tree.without_comments(path)
    for pattern, reason in layer.forbidden_text:
        for match in re.finditer(pattern, code):
            yield f"{path}:{code.count(chr(10), 0, match.start()) + 1}: '{match.group()}': {reason}"
    chain = None if "Halide" in layer.outside else tree.reaches_halide(path, set())
    if chain and len(chain) > 2:
        yield f"{path}: reaches Halide.h: {' -> '.join(chain)}"


def text_problems(tree, path):
    for match in MACHINE_PATH.finditer(tree.text[path]):
        line = tree.text[path].count("\n", 0, match.start()) + 1
        yield f"{path}:{line}: '{match.group()}…' is a folder of one machine"
    if re.match(r"utils?\b", os.path.basename(path)) or "utils" in path.split("/"):
        yield f"{path}: a file is named after what it holds, not utils"


def problems(root):
    tree = Tree(root)
    found = [problem for path in tree.code for problem in code_problems(tree, path)]
    return found + [problem for path in tree.text for problem in text_problems(tree, path)]
