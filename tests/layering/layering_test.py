#!/usr/bin/env python3
"""The layering test: the tree keeps the rules of rules.py, and each rule can fail. Standard library only."""
import os
import pathlib
import tempfile
import unittest

import checker

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A small tree that keeps every rule; the tests below each spoil one thing.
CLEAN = {
    "spec/variant.h": "#pragma once\n#include <string>\n",
    "formats/npy.h": '#include <fstream>\n#include "nlohmann/json.hpp"\n#include "spec/variant.h"\n',
    "schedules/avx2_space.h": '#include "spec/variant.h"\n',
    "schedules/avx2.cpp": '#include "Halide.h"\n#include "schedules/avx2_space.h"\n// swiglu: measured so\n',
    "generator/ffn.h": '#include "Halide.h"\n#include "gatefold/kernel_table.h"\n#include "schedules/avx2_space.h"\n',
    "generator/library.h": '#include "gatefold/kernel_table.h"\n#include "spec/variant.h"\n',
    "runtime/include/gatefold/kernel_table.h": "#include <stdint.h>\n",
    "runtime/pool.cpp": '#include <thread>\n#include "HalideRuntime.h"\n#include "gatefold/kernel_table.h"\n',
    "runtime/registry.cpp": "#include <vector>\n",
    "runtime/reference/reference.h": '#include "spec/variant.h"\n',
    "tuning/store.cpp": '#include "SQLiteCpp/SQLiteCpp.h"\n#include "generator/library.h"\n'
                        '#include "runtime/reference/reference.h"\n#include "schedules/avx2_space.h"\n',
    "tuning/arena.cpp": '#include "nlohmann/json.hpp"\n#include "runtime/registry.cpp"\n',
    "bench/peers/blas.cpp": "#include <dlfcn.h>\n",
    "cli/main.cpp": '#include "CLI/CLI.hpp"\n#include "tuning/store.cpp"\n',
    "tests/generator/ffn_test.cpp": '#include "generator/ffn.h"\n#include "gtest/gtest.h"\n',
}


def include(name):
    return f'#include "{name}"\n'


# Path, text added to it, and a part of the message that must come.
VIOLATIONS = (
    ("spec/variant.h", "#include <fstream>\n", "spec may not include <fstream>"),
    ("spec/variant.h", include("Halide.h"), "spec may not include <Halide.h>"),
    ("spec/variant.h", include("formats/npy.h"), "spec may not include formats/npy.h"),
    ("formats/npy.h", include("generator/library.h"), "formats may not include generator/library.h"),
    ("schedules/avx2_space.h", include("Halide.h"), "spaces may not include <Halide.h>"),
    ("schedules/avx2.cpp", include("generator/ffn.h"), "schedules may not include generator/ffn.h"),
    ("schedules/avx2.cpp", "void gelu_stage();\n", "'gelu_stage': a schedule never knows an activation"),
    ("schedules/avx2.cpp", "#include <fstream>\n", "schedules may not include <fstream>"),
    ("generator/ffn.h", include("formats/npy.h"), "generator may not include formats/npy.h"),
    ("generator/ffn.h", include("runtime/pool.cpp"), "generator may not include runtime/pool.cpp"),
    ("generator/ffn.h", include("tuning/store.cpp"), "generator may not include tuning/store.cpp"),
    ("generator/library.h", include("Halide.h"), "library may not include <Halide.h>"),
    ("generator/library.h", include("generator/ffn.h"), "library may not include generator/ffn.h"),
    ("runtime/pool.cpp", include("Halide.h"), "runtime may not include <Halide.h>"),
    ("runtime/pool.cpp", include("spec/variant.h"), "runtime may not include spec/variant.h"),
    ("runtime/pool.cpp", include("runtime/reference/reference.h"), "runtime may not include runtime/reference"),
    ("runtime/pool.cpp", include("nlohmann/json.hpp"), "runtime may not include <nlohmann/json.hpp>"),
    ("runtime/pool.cpp", "void f() { std::abort(); }\n", "never ends the process"),
    ("runtime/pool.cpp", 'void f() { fprintf(stderr, "x"); }\n', "never prints"),
    ("runtime/include/gatefold/kernel_table.h", include("HalideRuntime.h"), "public may not include <HalideRuntime.h>"),
    ("runtime/include/gatefold/kernel_table.h", include("runtime/registry.cpp"), "may not include runtime/registry.cpp"),
    ("tuning/store.cpp", include("generator/ffn.h"), "tuning may not include generator/ffn.h"),
    ("tuning/store.cpp", include("schedules/avx2.cpp"), "tuning may not include schedules/avx2.cpp"),
    ("tuning/store.cpp", "auto t = std::chrono::system_clock::now();\n", "a clock that nobody sets"),
    ("tuning/arena.cpp", include("tuning/store.cpp"), "measuring may not include tuning/store.cpp"),
    ("tuning/arena.cpp", include("SQLiteCpp/SQLiteCpp.h"), "measuring may not include <SQLiteCpp/SQLiteCpp.h>"),
    ("tuning/arena.cpp", include("generator/library.h"), "measuring may not include generator/library.h"),
    ("bench/peers/blas.cpp", include("spec/variant.h"), "peers may not include spec/variant.h"),
    ("cli/main.cpp", include("Halide.h"), "cli may not include <Halide.h>"),
    ("cli/main.cpp", include("generator/ffn.h"), "reaches Halide.h: cli/main.cpp -> generator/ffn.h -> Halide.h"),
    ("cli/main.cpp", include("../spec/variant.h"), "without .."),
    ("cli/main.cpp", include("parser.h"), "is no file of the project"),
    ("cli/main.cpp", 'auto p = "' + "/" + 'work/main";\n', "is a folder of one machine"),
    ("cli/main.cpp", 'auto p = "' + "/" + 'tmp/x1";\n', "is a folder of one machine"),
    ("cli/utils.h", "", "not utils"),
    ("extra/a.h", "", "has no layer"),
)


class Tree(unittest.TestCase):
    def test_keeps_the_layers(self):
        found = checker.problems(ROOT)
        self.assertFalse(found, "\n" + "\n".join(found))

    def test_sees_the_tree(self):
        tree = checker.Tree(ROOT)
        self.assertIn("spec/error.h", tree.code)
        self.assertIn("CMakeLists.txt", tree.text)


class SeededViolations(unittest.TestCase):
    def problems_of(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for path, text in files.items():
                full = os.path.join(folder, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                pathlib.Path(full).write_text(text)
            return checker.problems(folder)

    def test_clean_tree_passes(self):
        self.assertEqual(self.problems_of(CLEAN), [])

    def test_each_violation_is_found(self):
        for path, added, message in VIOLATIONS:
            with self.subTest(path=path, added=added):
                found = self.problems_of({**CLEAN, path: CLEAN.get(path, "") + added})
                self.assertTrue(any(problem.startswith(path) and message in problem for problem in found), found)

    def test_names_that_only_look_alike_pass(self):
        files = {"cli/string_utilities.h": "", "docs/x.md": "https://a.example/home/x and $DIR/tmp/x\n"}
        self.assertEqual(self.problems_of(files), [])

    def test_comments_are_no_code(self):
        text = "// printf and abort() are named here\n/* std::cerr\n */\n"
        self.assertEqual(self.problems_of({"runtime/pool.cpp": text}), [])


if __name__ == "__main__":
    unittest.main()
