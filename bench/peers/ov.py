"""OpenVINO's CPU plugin: a model of matmuls and the activation, compiled with the rows left open.

Each copy is a compiled model of its own. The precision is pinned: left alone it would run f32 models in bf16 on some CPUs.
"""
import numpy as np
import openvino as ov
import peer
from openvino import opset13 as ops




def activations(block):
    return {
        "identity": lambda z: z,
        "sigmoid": ops.sigmoid,
        "relu": ops.relu,
        "gelu": lambda z: ops.gelu(z, "erf"),
        "gelu_tanh": lambda z: ops.gelu(z, "tanh"),
        "silu": ops.swish,
        "quick_gelu": lambda z: ops.swish(z, ops.constant(np.float32(block.alpha))),
    }


class OpenVino(peer.Peer):

    def __init__(self, block):
        super().__init__(block)
        self.act = block.activation_of(activations(block))
        self.core = ov.Core()
        able = self.core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
        name = {"f32": "FP32", "bf16": "BF16", "f16": "FP16"}[block.dtype]
        if name not in able:
            raise peer.Declined(f"no {block.dtype} on this CPU ({', '.join(able)})")
        self.uses = f"OpenVINO {ov.__version__.split('-')[0]} CPU plugin, {block.dtype}"
        self.requests = {}

    def model(self):
        """f32 constants and inputs: the precision hint makes the plugin convert both as it likes."""
        block = self.block
        constant = {name: ops.constant(peer.widened(w, block.dtype)) for name, w in block.weights.items()}

        def product(x, name):
            y = ops.matmul(x, constant[name], False, True)
            bias = constant.get(name + "_bias")
            return ops.add(y, bias) if bias is not None else y

        x = ops.parameter([-1, block.d_model], ov.Type.f32)
        up = product(x, "up")
        hidden = ops.multiply(self.act(product(x, "gate")), up) if block.gated else self.act(up)
        return ov.Model([product(hidden, "down")], [x])

    def make_copy(self):
        compiled = self.core.compile_model(
            self.model(), "CPU", {
                "INFERENCE_PRECISION_HINT": self.block.dtype,
                "INFERENCE_NUM_THREADS": self.block.threads,
                "NUM_STREAMS": 1,
                "PERFORMANCE_HINT": "LATENCY",
            })
        return compiled, self.block.weight_bytes()

    def call(self, copy, x):
        rows = x.shape[0]
        key = (id(copy), rows)
        if key not in self.requests:
            request = copy.create_infer_request()
            request.set_input_tensor(ov.Tensor(np.zeros(x.shape, np.float32)))
            request.set_output_tensor(ov.Tensor(np.zeros(x.shape, np.float32)))
            self.requests[key] = request
        request = self.requests[key]
        request.get_input_tensor().data[:] = peer.widened(x, self.block.dtype)

        def infer():
            request.start_async()
            request.wait()
            return request

        return infer

    def output(self, request):
        return peer.narrowed(request.get_output_tensor().data, self.block.dtype)


peer.serve(OpenVino)
