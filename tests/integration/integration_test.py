#!/usr/bin/env python3
"""Applications outside the tree: integration_test.py BUILD_FOLDER PIPELINE_GENERATOR CASE. Each case is a CTest test."""
import json
import shutil
import sys
import unittest

import project
from project import CONSUMERS, EXAMPLES, call

BUILD, GENERATOR = "", ""
SMALL = ["--variant", "swiglu", "--d-model", "48", "--d-ff", "100", "--dtype", "f32", "--target", "x86-avx2"]


class Case(unittest.TestCase):
    def setUp(self):
        self.setting = project.Setting(BUILD, GENERATOR, type(self).__name__)
        self.work = self.setting.work

    def assert_clean(self, folder, program):
        """The program runs without the compiler, which its project could not even include."""
        self.assertEqual(project.compiler_traces(folder / program), [])
        self.assertEqual(project.compiler_headers(folder), [])


class Install(Case):
    """Runs before those that use the prefix. Moved after the installation, so that nothing in it knows its place."""

    def test_prefix_can_be_moved(self):
        staged = self.work / "staged"
        call("cmake", "--install", self.setting.build, "--prefix", staged)
        shutil.rmtree(self.setting.prefix, ignore_errors=True)
        staged.rename(self.setting.prefix)
        for file in self.setting.prefix.rglob("*.cmake"):
            self.assertNotIn(str(self.setting.build), file.read_text(), file)
        self.assertEqual([str(f) for f in self.setting.prefix.rglob("Halide*.h")], [])
        listed = json.loads(call(self.setting.prefix / "bin" / "gatefold", "list", "targets", "--json"))
        self.assertIn("x86-avx2", [item["name"] for item in listed["items"]])
        programs = ["gatefold-emit", "gatefold-gengen"]
        if (self.setting.build / "gatefold-emit-mlir").exists():
            programs.append("gatefold-emit-mlir")
        for program in programs:
            self.assertIn(str(self.setting.prefix), project.needed(self.setting.prefix / "bin" / program))

    def test_prefix_has_the_halide_generator_as_documented(self):
        document = (EXAMPLES.parent / "docs" / "halide.md").read_text()
        command = document.split("```sh\n")[1].split("```")[0].replace("\\\n", " ").split()
        self.assertEqual(command[0], "gatefold-gengen")
        folder = self.work / "halide"
        folder.mkdir()
        call(self.setting.prefix / "bin" / command[0], *command[1:], cwd=folder)
        self.assertEqual(sorted(f.name for f in folder.iterdir()), ["my_ffn.h", "my_ffn.o"])


class CFromBuildTree(Case):
    def test_static(self):
        folder = self.setting.configured(EXAMPLES / "swiglu_c")
        printed = call(folder / "swiglu_c")
        self.assertIn("0 of 384 values are off", printed)
        self.assert_clean(folder, "swiglu_c")
        self.assertNotIn("libgatefold", project.needed(folder / "swiglu_c"))
        self.assertNotIn("libmlp", project.needed(folder / "swiglu_c"))


class CppFromPrefix(Case):
    def test_shared_runtime(self):
        folder = self.setting.configured(EXAMPLES / "swiglu_cpp", "-Dgatefold_USE_SHARED=ON",
                                         package=self.setting.prefix)
        self.assertIn("0 of 384 values are off", call(folder / "swiglu_cpp"))
        self.assert_clean(folder, "swiglu_cpp")
        self.assertIn(str(self.setting.prefix), project.needed(folder / "swiglu_cpp"))


class CFromPrefix(Case):
    def test_static(self):
        folder = self.setting.configured(EXAMPLES / "swiglu_c", package=self.setting.prefix)
        self.assertIn("0 of 384 values are off", call(folder / "swiglu_c"))
        self.assert_clean(folder, "swiglu_c")


class PkgConfig(Case):
    """Neither CMake nor a C++ compiler: the compiler's command line."""

    def test_command_line(self):
        prefix = self.setting.prefix
        call(prefix / "bin" / "gatefold", "generate", "--variant", "swiglu", "--d-model", 128, "--d-ff", 341, "--dtype",
             "f32", "--rows", "1,4,16", "--name", "mlp", "-o", self.work)
        found = next(prefix.rglob("gatefold.pc")).parent
        flags = call("pkg-config", "--cflags", "--libs", "--static", "gatefold",
                     env=project.environment(PKG_CONFIG_PATH=str(found))).split()
        # The linker takes libgatefold.so where it finds one beside libgatefold.a; -Bstatic asks for the latter.
        split = flags.index("-lgatefold")
        flags = flags[:split] + ["-Wl,-Bstatic", "-lgatefold", "-Wl,-Bdynamic"] + flags[split + 1:]
        program = self.work / "swiglu_c"
        call("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", EXAMPLES / "swiglu_c" / "main.c", "-I", self.work,
             self.work / "libmlp.a", *flags, "-o", program)
        self.assertIn("0 of 384 values are off", call(program))
        self.assertEqual(project.compiler_traces(program), [])


class TwoLibraries(Case):
    def test_together(self):
        call(self.setting.gatefold, "generate", "--variant", "gelu", "--d-model", "40", "--d-ff", "70", "--bias", "--dtype",
             "f32", "--target", "x86-avx2", "--rows", "2", "--name", "beta", "-o", self.work)
        folder = self.setting.configured(CONSUMERS / "two_libraries")
        self.assertIn("0 concurrent calls with other bits", call(folder / "two_libraries"))
        self.assert_clean(folder, "two_libraries")
        self.assertIn("libgamma.so", project.needed(folder / "two_libraries"))


class OwnHalideRuntime(Case):
    def test_side_by_side(self):
        folder = self.setting.configured(CONSUMERS / "own_halide",
                                         f"-DPIPELINE_GENERATOR={self.setting.pipeline_generator}",
                                         f"-DHALIDE_RUNTIME_INCLUDE={self.setting.build / 'halide_runtime'}")
        self.assertNotIn(": NO", call(folder / "own_halide"))
        # The look for traces sees them where they are.
        self.assertNotEqual(project.compiler_traces(self.setting.pipeline_generator), [])
        self.assertEqual(project.compiler_traces(folder / "own_halide"), [])
        self.assert_one_runtime(folder / "own_halide")
        self.assert_private_services(folder / "mlp" / "libmlp.a")

    def assert_one_runtime(self, program):
        """Visible Halide functions are there once, those of the application."""
        visible = [name for kind, name in project.symbols(program) if kind in "TWVDB" and name.startswith("halide_")]
        self.assertIn("halide_do_par_for", visible)
        self.assertEqual(len(visible), len(set(visible)))

    def assert_private_services(self, archive):
        """The kernels neither give nor take a Halide function."""
        shared = [name for kind, name in project.symbols(archive) if kind.isupper() and "halide" in name.lower()]
        self.assertEqual(shared, [])


class Plugin(Case):
    def test_position_independent(self):
        folder = self.setting.configured(CONSUMERS / "plugin")
        self.assertIn("gelu 21 rows", call(folder / "host"))
        plugin = folder / "libplugin.so"
        self.assertEqual(project.compiler_traces(plugin), [])
        self.assertNotIn("TEXTREL", call("readelf", "-d", plugin))
        exported = [name for kind, name in project.symbols(plugin, "-D", "--defined-only") if kind in "TD"]
        self.assertEqual(exported, ["plugin_check"])


class GeneratedFiles(Case):
    FILES = ["k.h", "k.json", "kConfig.cmake", "libk.a", "libk.so"]

    def generate(self, name, *flags):
        folder = self.work / name
        call(self.setting.gatefold, "generate", *SMALL, "--rows", "1,4", "--name", "k", "-o", folder, *flags)
        self.assertEqual(sorted(file.name for file in folder.iterdir()), self.FILES)
        return folder

    def test_same_bytes(self):
        once, again = self.generate("once", "--jobs", "1"), self.generate("again", "--jobs", "2")
        for name in self.FILES:
            self.assertEqual((once / name).read_bytes(), (again / name).read_bytes(), name)

    def test_exports(self):
        folder = self.generate("library")
        given = [name for kind, name in project.symbols(folder / "libk.a", "-g", "--defined-only")]
        self.assertEqual(given, ["k_kernels"])
        exported = [name for kind, name in project.symbols(folder / "libk.so", "-D", "--defined-only")]
        self.assertEqual(sorted(exported), ["gatefold_kernels", "k_kernels"])
        self.assertEqual(project.compiler_traces(folder / "libk.so"), [])


class TwoThirds(Case):
    def test_counts_and_runs_both(self):
        folder = self.setting.configured(EXAMPLES / "two_thirds")
        table = {line.split()[0]: line.split() for line in call(folder / "two_thirds").splitlines()}
        self.assertEqual(table["relu"][1:3], ["2048", "2097152"])
        self.assertEqual(table["swiglu"][1:3], ["1365", "2096640"])


class MiniLm(Case):
    def test_all_layers(self):
        printed = call(project.python_with_numpy(), "-B", EXAMPLES / "minilm" / "minilm.py", "--gatefold",
                       self.setting.gatefold, "--work", self.work)
        lines = [line.split() for line in printed.splitlines()[1:7]]
        self.assertEqual([line[0] for line in lines], ["0", "1", "2", "3", "4", "5"])
        self.assertTrue(all(line[-1] == "yes" for line in lines), printed)


if __name__ == "__main__":
    BUILD, GENERATOR, case = sys.argv[1:]
    unittest.main(argv=[sys.argv[0], case], verbosity=2)
