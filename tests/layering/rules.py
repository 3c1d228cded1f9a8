"""Who may include what: the table of the layers as data. The first layer whose patterns match a path is its layer.

Patterns are fnmatch patterns of paths in the repository; `*` also matches `/`.
"""
import dataclasses

# The C and C++ standard library, without what reads, writes or starts anything.
PURE_STD = set(
    "algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits "
    "cmath compare complex concepts condition_variable coroutine csetjmp cstdarg cstddef cstdint cstring cwchar deque "
    "exception execution expected forward_list functional future initializer_list iterator latch limits list locale map "
    "memory memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator "
    "semaphore set shared_mutex source_location span sstream stack stdexcept stop_token streambuf string string_view "
    "system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector "
    "version stdint.h stddef.h stdbool.h limits.h float.h math.h string.h".split())
IO_STD = set("csignal cstdio cstdlib ctime clocale filesystem fstream iomanip ios iosfwd iostream istream".split())

# Third-party headers by name; everything else in angle brackets that is not standard is the operating system's.
THIRD_PARTY = {
    "Halide.h": "Halide",
    "HalideRuntime*.h": "HalideRuntime",
    "HalideBuffer.h": "HalideBuffer",
    "CLI/*": "CLI11",
    "SQLiteCpp/*": "SQLite",
    "sqlite3.h": "SQLite",
    "nlohmann/*": "json",
    "fmt/*": "fmt",
    "toml++/*": "toml",
    "gtest/*": "gtest",
    "gmock/*": "gtest",
    "benchmark/*": "benchmark",
    "zlib.h": "zlib",
    "mlir/*": "MLIR",
    "llvm/*": "MLIR",
}


@dataclasses.dataclass(frozen=True)
class Layer:
    name: str
    files: tuple  # patterns of the files that it holds
    uses: str  # the layers, beside itself, whose files they may include, or "*"
    outside: frozenset  # of "pure", "io", "system" and the names in THIRD_PARTY
    forbidden_text: tuple = ()  # (regular expression, reason), searched without comments


NO_ACTIVATION = (r"(?i)\b\w*(relu|gelu|silu|swish|sigmoid|swiglu|bilinear|erf|tanh)\w*\b",
                 "a schedule never knows an activation")
NO_FILES = (r"\b(std::(i|o)?fstream|fopen|std::filesystem)\b", "this layer reads and writes no file")
NO_PRINT = (r"\b(std::(cout|cerr|clog)\b|(v?f?printf|f?puts|perror)\s*\()", "a runtime never prints")
NO_EXIT = (r"\b(abort|_?exit|quick_exit|terminate)\s*\(", "a runtime never ends the process")

NO_WALL_CLOCK = (r"\b(system_clock|CLOCK_REALTIME|gettimeofday)\b", "durations are of a clock that nobody sets")


def outside(*names):
    """Every layer but the pure ones may use the system; `names` come on top."""
    return frozenset({"pure", "io", "system", *names})


PURE = frozenset({"pure"})

# What puts kernels together, without Halide; each pattern is a header and its source.
LIBRARY = tuple(f"generator/{name}.*" for name in "device_services emit_kernels emitter_arguments library link_tools manifest process table_source kernel_table_text".split())
TENSOR_CORES = tuple(f"generator/mlir/{name}.*" for name in "kernel_parameters scalar_program tensor_core_point tile".split())
# What a worker is made of, beside the runtime: it is linked statically for machines of other architectures.
MEASURING = tuple(f"tuning/{name}.*" for name in (
    "arena base64 contestant emulator host mapped_library mapped_library_load "
    "measure_lock noise oracle quantiles race roof roof_meters run_folder sampling trial weight_rotation worker_exit "
    "worker_machine worker_main worker_protocol worker_replies worker_service").split()) + (
    "tuning/candidate_library*", "tuning/roof_probes*")
# Headers that CMake writes into the build folder.
GENERATED = {"generator/kernel_table_text.h", "bench/ladder/page_template.h"}

LAYERS = (
    Layer("spec", ("spec/*",), "", PURE),
    Layer("formats", ("formats/*",), "spec", outside("json", "fmt", "zlib")),
    Layer("spaces", ("schedules/*space*",), "spec", PURE, (NO_ACTIVATION, NO_FILES)),
    Layer("schedules", ("schedules/*",), "spaces spec", PURE | {"fmt", "Halide"}, (NO_ACTIVATION, NO_FILES)),
    Layer("guardian", ("generator/guardian.*",), "", outside()),
    # C text that both kinds of generated calls of device kernels begin with.
    Layer("buffer-text", ("generator/device_buffer.h",), "", PURE),
    Layer("text-file", ("generator/text_file.*",), "spec", outside()),
    Layer("library", LIBRARY, "buffer-text tiles text-file guardian formats spec public", outside("json", "fmt"), (NO_WALL_CLOCK,)),
    Layer("emitter", ("generator/emit_command.*",), "spec", outside("CLI11")),
    Layer("emitter program", ("generator/emit_main.cpp",), "emitter generator spec", outside()),
    # What a tensor-core kernel is, for whoever ranks points or launches; making one takes MLIR, in a process of its own.
    Layer("tiles", TENSOR_CORES, "spec", PURE),
    Layer("tensor-core generator", ("generator/mlir/*",), "tiles buffer-text text-file emitter generator public spec", outside("Halide", "MLIR")),
    Layer("generator", ("generator/*",), "library text-file guardian schedules spaces spec public",
          outside("json", "fmt", "Halide", "HalideRuntime")),
    Layer("public", ("runtime/include/gatefold/*",), "", PURE, (NO_PRINT, NO_EXIT)),
    Layer("reference", ("runtime/reference/*",), "spec public", PURE, (NO_PRINT, NO_EXIT)),
    Layer("runtime", ("runtime/*",), "public", outside("HalideRuntime"),
          (NO_PRINT, NO_EXIT, NO_WALL_CLOCK)),
    Layer("accuracy", ("accuracy/*",), "runtime reference public library spec", outside()),
    Layer("measuring", MEASURING, "guardian accuracy runtime reference public spec", outside("json"), (NO_WALL_CLOCK,)),
    Layer("tuning", ("tuning/*",), "measuring guardian accuracy runtime reference public formats library tiles spaces spec",
          outside("json", "fmt", "SQLite", "toml"), (NO_WALL_CLOCK,)),
    Layer("cli", ("cli/*",), "*", outside("json", "fmt", "CLI11", "SQLite")),
    # These test what is made of Halide, or are an application that has a Halide of its own.
    Layer("tests of Halide code", ("tests/generator/*", "tests/schedules/*", "tests/integration/*",
                                    "tests/neon/*", "tests/opencl/*", "tests/cuda/*", "tests/mlir/*"), "*",
          outside("json", "fmt", "gtest", "Halide", "HalideRuntime", "HalideBuffer")),
    Layer("tests", ("tests/*",), "*", outside("json", "fmt", "gtest", "SQLite", "CLI11", "HalideRuntime")),
    # Programs of their own, which know gatefold by its lines on a pipe only.
    Layer("peers", ("bench/peers/*",), "", outside("json")),
    # The schedules by hand, and the emitter that knows them: a process apart from the one that measures.
    Layer("ladder schedules", ("bench/ladder/autoscheduler.*", "bench/ladder/hand_schedules.*", "bench/ladder/emit_main.cpp"),
          "ladder emitter generator schedules spaces spec", outside("Halide")),
    Layer("ladder", ("bench/ladder/*",), "bench tuning measuring accuracy reference runtime public formats library spaces spec",
          outside("json", "fmt", "CLI11")),
    Layer("bench", ("bench/*",), "*", outside("json", "fmt", "benchmark"), (NO_WALL_CLOCK,)),
    Layer("examples", ("examples/*",), "*", outside("json", "HalideRuntime")),
)
