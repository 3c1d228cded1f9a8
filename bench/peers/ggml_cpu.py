"""ggml's CPU backend, through ctypes on the shared libraries in the folder that its argument names.

Activations are f32 in ggml, whatever the weights are: x and y are converted outside the timed call, and what a product
converts them to is inside, as in every use of it.
"""
import ctypes
import os
import sys

import numpy as np
import peer

TYPES = {"f32": 0, "f16": 1, "bf16": 30}  # of enum ggml_type
GATED = {
    "silu": "ggml_swiglu_split",
    "gelu": "ggml_geglu_erf_split",
    "gelu_tanh": "ggml_geglu_split",
    "relu": "ggml_reglu_split",
    "quick_gelu": "ggml_geglu_quick_split",
}
DENSE = {
    "silu": "ggml_silu",
    "gelu": "ggml_gelu_erf",
    "gelu_tanh": "ggml_gelu",
    "relu": "ggml_relu",
    "quick_gelu": "ggml_gelu_quick",
    "sigmoid": "ggml_sigmoid",
}


class InitParams(ctypes.Structure):
    _fields_ = [("mem_size", ctypes.c_size_t), ("mem_buffer", ctypes.c_void_p), ("no_alloc", ctypes.c_bool)]


class Library:
    """The C functions used here. All but those named in INTEGERS return a pointer."""

    INTEGERS = {
        "ggml_tensor_overhead": ctypes.c_size_t,
        "ggml_graph_overhead": ctypes.c_size_t,
        "ggml_nbytes": ctypes.c_size_t,
        "ggml_backend_graph_compute": ctypes.c_int,
        "ggml_version": ctypes.c_char_p,
    }

    def __init__(self):
        names = ("libggml-base.so", "libggml-cpu.so")
        self.loaded = [ctypes.CDLL(os.path.join(sys.argv[1], name), mode=ctypes.RTLD_GLOBAL) for name in names]

    def __getattr__(self, name):
        function = next(getattr(library, name) for library in self.loaded if hasattr(library, name))
        function.restype = self.INTEGERS.get(name, ctypes.c_void_p)
        setattr(self, name, function)
        return function


def pointer(value):
    return ctypes.c_void_p(value)


class Ggml(peer.Peer):

    def __init__(self, block):
        super().__init__(block)
        block.only("f32", "bf16", "f16")
        self.act = block.activation_of(GATED if block.gated else DENSE)
        self.lib = Library()
        self.backend = pointer(self.lib.ggml_backend_cpu_init())
        self.lib.ggml_backend_cpu_set_n_threads(self.backend, block.threads)
        self.graphs = {}
        self.uses = f"ggml {self.lib.ggml_version().decode()} mul_mat, {self.act}"

    def context(self, tensors):
        size = tensors * self.lib.ggml_tensor_overhead() + self.lib.ggml_graph_overhead()
        context = self.lib.ggml_init(InitParams(size, None, True))
        return pointer(context)

    def allocate(self, context):
        if not self.lib.ggml_backend_alloc_ctx_tensors(context, self.backend):
            raise MemoryError("ggml_backend_alloc_ctx_tensors")

    def tensor(self, context, kind, cols, rows):
        return pointer(self.lib.ggml_new_tensor_2d(context, kind, ctypes.c_int64(cols), ctypes.c_int64(rows)))

    def fill(self, tensor, values):
        values = np.ascontiguousarray(values)
        self.lib.ggml_backend_tensor_set(tensor, pointer(values.ctypes.data), ctypes.c_size_t(0),
                                         ctypes.c_size_t(values.nbytes))

    def make_copy(self):
        context = self.context(len(self.block.weights))
        copy = {}
        for name, values in self.block.weights.items():
            rows, cols = values.shape if values.ndim == 2 else (1, values.shape[0])
            kind = TYPES["f32"] if values.ndim == 1 else TYPES[self.block.dtype]
            copy[name] = self.tensor(context, kind, cols, rows)
        self.allocate(context)
        for name, values in self.block.weights.items():
            self.fill(copy[name], values if values.ndim == 2 else peer.widened(values, self.block.dtype))
        return copy, sum(self.lib.ggml_nbytes(t) for t in copy.values())

    def product(self, context, copy, name, x):
        y = pointer(self.lib.ggml_mul_mat(context, copy[name], x))
        bias = copy.get(name + "_bias")
        return pointer(self.lib.ggml_add(context, y, bias)) if bias else y

    def build(self, copy, rows):
        """x, y and the graph between them."""
        context = self.context(12)
        x = self.tensor(context, TYPES["f32"], self.block.d_model, rows)
        up = self.product(context, copy, "up", x)
        act = getattr(self.lib, self.act)
        if self.block.gated:
            hidden = pointer(act(context, self.product(context, copy, "gate", x), up))
        else:
            hidden = pointer(act(context, up))
        y = self.product(context, copy, "down", hidden)
        graph = pointer(self.lib.ggml_new_graph(context))
        self.lib.ggml_build_forward_expand(graph, y)
        self.allocate(context)
        return x, y, graph

    def call(self, copy, x):
        key = (id(copy), x.shape[0])
        if key not in self.graphs:
            self.graphs[key] = self.build(copy, x.shape[0])
        x_tensor, y_tensor, graph = self.graphs[key]
        self.fill(x_tensor, peer.widened(x, self.block.dtype))

        def compute():
            if self.lib.ggml_backend_graph_compute(self.backend, graph) != 0:
                raise RuntimeError("ggml_backend_graph_compute failed")
            return y_tensor, x.shape

        return compute

    def output(self, result):
        tensor, shape = result
        values = np.empty(shape, np.float32)
        self.lib.ggml_backend_tensor_get(tensor, pointer(values.ctypes.data), ctypes.c_size_t(0),
                                         ctypes.c_size_t(values.nbytes))
        return peer.narrowed(values, self.block.dtype)


peer.serve(Ggml)
