"""torch.compile at its best: frozen weights, max-autotune, C++ templates with the grouped GEMM one switched on.

Frozen weights are constants of the compiled code, so each copy is compiled, for each row count, in its first call, which is
not timed. What the row count before left is dropped first.
"""
import peer
import torch
import torch._inductor.config as config
import torch_block
from torch._dynamo.utils import counters

config.freezing = True
config.max_autotune = True
config.max_autotune_gemm_backends = "CPP,ATEN"
config.cpp.enable_grouped_gemm_template = True
config.fx_graph_cache = False  # a cached graph does not count which templates it has
config.compile_threads = 1


class Module(torch.nn.Module):

    def __init__(self, act, weights):
        super().__init__()
        self.act = act
        self.names = list(weights)
        for name, value in weights.items():
            self.register_parameter(name, None if value is None else torch.nn.Parameter(value, requires_grad=False))

    def forward(self, x):
        return torch_block.forward(self.act, {name: getattr(self, name) for name in self.names}, x)


class Compiled(torch_block.TorchPeer):

    def __init__(self, block):
        super().__init__(block)
        self.compiled = {}
        self.rows = None
        self.uses = f"PyTorch {torch.__version__} torch.compile"

    def make_copy(self):
        weights = self.tensors()
        return weights, torch_block.size(weights)

    def call(self, copy, x):
        if x.shape[0] != self.rows:
            torch._dynamo.reset()
            self.compiled, self.rows = {}, x.shape[0]
        if id(copy) not in self.compiled:
            self.compiled[id(copy)] = self.compile(copy, torch_block.tensor(x, self.block.dtype))
        function = self.compiled[id(copy)]
        x = torch_block.tensor(x, self.block.dtype)
        return lambda: function(x)

    def compile(self, copy, x):
        counters.clear()
        function = torch.compile(Module(self.act, copy).eval(), dynamic=False)
        function(x)
        chosen = counters["inductor"]
        grouped = "chosen" if chosen["cpp_grouped_gemm_template"] else "not chosen"
        self.uses = (f"PyTorch {torch.__version__} torch.compile: {chosen['cpp_templated_kernel_counter']} C++ templates, "
                     f"grouped GEMM {grouped}")
        return function


peer.serve(Compiled)
