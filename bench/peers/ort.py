"""ONNX Runtime's CPU provider, which fuses what it knows (SiLU becomes one QuickGelu)."""
import numpy as np
import onnx
import onnxruntime
import peer
from onnx import TensorProto, helper, numpy_helper

# One node's operator and attributes each; silu and quick_gelu are spelled with sigmoid.
OPERATORS = {
    "sigmoid": ("Sigmoid", {}),
    "relu": ("Relu", {}),
    "gelu": ("Gelu", {"approximate": "none"}),
    "gelu_tanh": ("Gelu", {"approximate": "tanh"}),
    "silu": ("Sigmoid", {}),
    "identity": ("Identity", {}),
}


class OnnxRuntime(peer.Peer):

    def __init__(self, block):
        super().__init__(block)
        block.only("f32")
        self.act = block.activation_of(OPERATORS)
        self.model = self.build().SerializeToString()
        self.uses = f"ONNX Runtime {onnxruntime.__version__} CPU provider"

    def build(self):
        """Weights transposed to [in, out], which the provider packs ahead of the first call."""
        block = self.block
        names = [name for name in ("gate", "up", "down") if name in block.weights]
        constants, nodes = [], []

        def product(x, name, y):
            constants.append(numpy_helper.from_array(np.ascontiguousarray(block.weights[name].T), name))
            if name + "_bias" not in block.weights:
                nodes.append(helper.make_node("MatMul", [x, name], [y]))
                return
            constants.append(numpy_helper.from_array(np.array(block.weights[name + "_bias"]), name + "_bias"))
            nodes.append(helper.make_node("Gemm", [x, name, name + "_bias"], [y]))

        def activate(z, y):
            operator, attributes = OPERATORS["silu" if self.is_silu() else block.activation]
            if self.is_silu():
                nodes.append(helper.make_node("Sigmoid", [z], ["s"]))
                nodes.append(helper.make_node("Mul", [z, "s"], [y]))
            else:
                nodes.append(helper.make_node(operator, [z], [y], **attributes))

        product("x", "up", "u")
        if "gate" in names:
            product("x", "gate", "g")
            activate("g", "a")
            nodes.append(helper.make_node("Mul", ["a", "u"], ["h"]))
        else:
            activate("u", "h")
        product("h", "down", "y")
        ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [None, block.d_model]) for n in ("x", "y")]
        graph = helper.make_graph(nodes, "block", ends[:1], ends[1:], constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)

    def is_silu(self):
        return self.block.activation == "swish"

    def make_copy(self):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.block.threads
        options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(self.model, options, providers=["CPUExecutionProvider"])
        return session, self.block.weight_bytes()

    def call(self, copy, x):
        binding = copy.io_binding()
        y = np.empty(x.shape, np.float32)
        x = onnxruntime.OrtValue.ortvalue_from_numpy(np.array(x))
        binding.bind_ortvalue_input("x", x)
        binding.bind_output("y", "cpu", 0, np.float32, y.shape, y.ctypes.data)

        def run():
            copy.run_with_iobinding(binding)
            return y

        return run

    def output(self, result):
        return result


peer.serve(OnnxRuntime)
