#!/usr/bin/env python3
"""Applications for arm64, built here and run under qemu-aarch64: consumer_test.py BUILD ARM64_BUILD QEMU SYSROOT CASE.

Each case is a CTest test. BUILD has the generator, ARM64_BUILD the package that applications for arm64 find.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))
import project
from project import CONSUMERS, EXAMPLES, SOURCE, call

BUILD, ARM64, QEMU, SYSROOT = "", "", "", ""
TOOLCHAIN = SOURCE / "cmake" / "aarch64-linux-gnu.cmake"
BLOCK = ["--variant", "swiglu", "--d-model", "48", "--d-ff", "100", "--rows", "1,8"]
BOTH = "arm64-neon,arm64-neon-dotprod"
REPORT = re.compile(r"kernel (\S+), isa (\S+), origin (\S+), match (\S+)")


def outcome(*command, **changes):
    """(exit code, stdout and stderr) of a command that may fail; a signal's number is negative."""
    done = subprocess.run([str(word) for word in command], env=project.environment(**changes), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def emulated(cpu, program, *arguments, **changes):
    return outcome(QEMU, "-cpu", cpu, "-L", SYSROOT, program, *arguments, **changes)


class Case(unittest.TestCase):
    def setUp(self):
        self.setting = project.Setting(BUILD, "", f"neon-{type(self).__name__}")
        self.work = self.setting.work

    def cross_compiled(self, source, *definitions, package=None):
        """With the native package named first: it has the generator, and its runtime must be passed over."""
        return self.setting.configured(source, f"-DCMAKE_TOOLCHAIN_FILE={TOOLCHAIN}", *definitions,
                                       package=package or f"{self.setting.build};{ARM64}")

    def generate(self, folder, *flags):
        return outcome(self.setting.gatefold, "generate", *BLOCK, "--name", "k", "-o", self.work / folder, *flags)

    def generated(self, folder, *flags):
        code, printed = self.generate(folder, *flags)
        self.assertEqual(code, 0, printed)
        return self.work / folder

    def assert_right(self, isa, match, code_and_text):
        """All row counts agree with the plain loops, and each ran a kernel of `isa` for its bucket."""
        code, printed = code_and_text
        self.assertEqual(code, 0, printed)
        self.assertEqual(printed.count("largest difference"), 3, printed)
        reports = REPORT.findall(printed)
        suffix = isa.removeprefix("arm64-").replace("-", "_")
        kernels = [f"ffn_swiglu_f32_48x100_{suffix}_rows_{rows}" for rows in ("1_1", "2_up", "2_up")]
        self.assertEqual(reports, [(kernel, isa, "default", match) for kernel in kernels], printed)


class Consumer(Case):
    """Without --target the library is for plain NEON, which every arm64 CPU runs."""

    def test_static_shared_and_opened(self):
        folder = self.cross_compiled(CONSUMERS / "cross")
        for arguments in (["cross_static"], ["cross_shared"], ["cross_static", "--open", folder / "mlp" / "libmlp.so"]):
            with self.subTest(arguments[0], opened=len(arguments) > 1):
                self.assert_right("arm64-neon", "exact", emulated("cortex-a53", folder / arguments[0], *arguments[1:]))
        self.assert_right("arm64-neon", "exact", outcome(QEMU, "-cpu", "cortex-a53", folder / "cross_alone"))
        needs = {name: call("readelf", "-d", folder / name) for name in ("cross_static", "cross_shared", "cross_alone")}
        self.assertIn("libmlp.so", needs["cross_shared"])
        self.assertNotRegex(needs["cross_static"], "libmlp|libgatefold")
        self.assertNotIn("NEEDED", needs["cross_alone"])
        self.assertEqual(project.compiler_headers(folder), [])


class FatLibrary(Case):
    def test_takes_what_the_core_has_and_refuses_what_it_lacks(self):
        folder = self.cross_compiled(CONSUMERS / "cross", f"-DTARGET=--target;{BOTH}")
        program, shared = folder / "cross_static", folder / "mlp" / "libmlp.so"
        for opened in ([], ["--open", shared]):
            self.assert_right("arm64-neon", "lower_isa", emulated("cortex-a72", program, *opened))
            for cpu in ("neoverse-n1", "max"):
                self.assert_right("arm64-neon-dotprod", "exact", emulated(cpu, program, *opened))
        self.assert_right("arm64-neon", "exact", emulated("max", program, "--isa", "arm64-neon"))
        self.assert_right("arm64-neon", "exact", emulated("max", program, GATEFOLD_ISA="arm64-neon"))
        self.assert_refused(program)

    def assert_refused(self, program):
        """Forcing what the core lacks gives a status, in either way."""
        refused = "target 'arm64-neon-dotprod' cannot run on this CPU (best here: arm64-neon)"
        code, printed = emulated("cortex-a72", program, "--isa", "arm64-neon-dotprod")
        self.assertEqual((code, printed), (3, f"refused: GF_UNAVAILABLE: isa: {refused}\n"))
        code, printed = emulated("cortex-a72", program, GATEFOLD_ISA="arm64-neon-dotprod")
        self.assertEqual((code, printed), (3, f"refused: GF_UNAVAILABLE: GATEFOLD_ISA: {refused}\n"))


class Examples(Case):
    def test_as_they_are_from_an_installed_package(self):
        prefix = self.work / "prefix"
        call("cmake", "--install", ARM64, "--prefix", prefix)
        program = f"-DGATEFOLD_PROGRAM={self.setting.gatefold}"
        for name, shared in (("swiglu_c", "OFF"), ("swiglu_cpp", "ON")):
            folder = self.cross_compiled(EXAMPLES / name, program, f"-Dgatefold_USE_SHARED={shared}", package=prefix)
            code, printed = emulated("cortex-a53", folder / name)
            self.assertEqual(code, 0, printed)
            self.assertIn("0 of 384 values are off", printed)
            self.assertIn("on arm64-neon", printed)
            runtime = "libgatefold.so" in call("readelf", "-d", folder / name)
            self.assertEqual(runtime, shared == "ON")
        # It times calls, which says nothing under an emulator and takes long: linked only.
        folder = self.cross_compiled(EXAMPLES / "two_thirds", program, package=prefix)
        self.assertIn("AArch64", call("readelf", "-h", folder / "two_thirds"))


class GeneratedLibrary(Case):
    FILES = ["k.h", "k.json", "kConfig.cmake", "libk.a", "libk.so"]

    def test_is_whole_for_arm64_and_the_same_each_time(self):
        once, again = self.generated("once", "--target", BOTH), self.generated("again", "--target", BOTH, "--jobs", "1")
        for folder in (once, again):
            self.assertEqual(sorted(file.name for file in folder.iterdir()), self.FILES)
        for name in self.FILES:
            self.assertEqual((once / name).read_bytes(), (again / name).read_bytes(), name)
        for name in ("libk.a", "libk.so"):
            machines = re.findall(r"Machine:\s+(\S+)", call("readelf", "-h", once / name))
            self.assertEqual(machines, ["AArch64"], name)
        manifest = json.loads((once / "k.json").read_text())
        self.assertEqual(manifest["architecture"], "arm64")
        self.assertEqual(manifest["dtype"], "f32", "what this machine multiplies says nothing of the other")
        self.assertEqual([kernel["target"] for kernel in manifest["kernels"]], sorted(BOTH.split(",") * 2))

    def test_exports_its_table_only(self):
        folder = self.generated("library", "--target", "arm64-neon")
        given = call("aarch64-linux-gnu-nm", "-g", "--defined-only", folder / "libk.a")
        self.assertEqual(re.findall(r" [A-Z] (\S+)", given), ["k_kernels"])
        exported = call("aarch64-linux-gnu-nm", "-D", "--defined-only", folder / "libk.so")
        self.assertEqual(sorted(re.findall(r" [A-Z] (\S+)", exported)), ["gatefold_kernels", "k_kernels"])
        loaded = call("readelf", "-d", folder / "libk.so")
        self.assertLessEqual(set(re.findall(r"NEEDED.*\[(\S+)\]", loaded)), {"libc.so.6"})
        self.assertNotIn("TEXTREL", loaded)

    def test_without_cross_tools_the_package_is_named(self):
        empty = self.work / "empty"
        empty.mkdir()
        code, printed = outcome(self.setting.gatefold, "generate", *BLOCK, "--target", "arm64-neon", "-o", self.work / "none",
                                PATH=str(empty))
        self.assertEqual(code, 1, printed)
        self.assertIn("'aarch64-linux-gnu-gcc' is not on the PATH", printed)
        self.assertIn("apt-get install gcc-aarch64-linux-gnu", printed)
        self.assertFalse((self.work / "none").exists())


class WrongMachine(Case):
    def test_commands_that_run_kernels_say_what_is_wrong(self):
        library = self.generated("arm64", "--target", "arm64-neon") / "k.json"
        here = "k.json: the library's kernels are for arm64, this machine is x86_64\n"
        for command in (["check"], ["bench", "--rows", "1"],
                        ["run", "--weights", "w", "--gate", "g", "--up", "u", "--down", "d", "--input", "x", "--output", "y"]):
            code, printed = outcome(self.setting.gatefold, *command, "--library", library)
            self.assertEqual(code, 3, printed)
            self.assertTrue(printed.startswith("gatefold: error: ") and printed.endswith(here), printed)

    def test_find_package_refuses_in_words(self):
        for target, processor in (("arm64-neon", "x86_64"), ("x86-avx2", "aarch64")):
            folder = self.generated(processor, "--target", target)
            code, printed = self.configure_alone(processor, f"find_package(k REQUIRED PATHS {folder})")
            self.assertNotEqual(code, 0, printed)
            other = "aarch64" if target == "arm64-neon" else "x86_64"
            words = f"Its kernels are for {other}; CMAKE_SYSTEM_PROCESSOR is '{processor}', wanted {other}."
            self.assertIn(words, " ".join(printed.split()))

    def test_a_package_for_another_processor_is_passed_over(self):
        code, printed = self.configure_alone("aarch64", f"find_package(gatefold REQUIRED PATHS {self.setting.build})")
        self.assertNotEqual(code, 0, printed)
        self.assertIn("for x86_64 only", printed)

    def test_gatefold_add_ffn_refuses_x86_kernels_in_a_cross_build(self):
        code, printed = self.configure_alone(
            "aarch64", f"find_package(gatefold REQUIRED PATHS {ARM64})\ngatefold_add_ffn(mlp {' '.join(BLOCK)} --target x86-avx2)")
        self.assertNotEqual(code, 0, printed)
        self.assertIn("gatefold_add_ffn(mlp): --target 'x86-avx2', wanted arm64-… for aarch64", " ".join(printed.split()))

    def configure_alone(self, processor, text):
        """A project that looks for packages and has nothing to compile."""
        source = self.work / f"project-{processor}"
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir()
        (source / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.25)\nproject(alone LANGUAGES C)\n{text}\n")
        return outcome("cmake", "-G", "Ninja", "-S", source, "-B", source / "build", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF",
                       *([f"-DCMAKE_TOOLCHAIN_FILE={TOOLCHAIN}"] if processor == "aarch64" else []))


if __name__ == "__main__":
    BUILD, ARM64, QEMU, SYSROOT, case = sys.argv[1:]
    unittest.main(argv=[sys.argv[0], case], verbosity=2)
