"""ZenDNN through zentorch: prepacked weights; the activation and the product with up are post-ops of the gate product."""
import peer
import torch
import torch_block
import zentorch

POST_OPS = {"silu": "silu", "gelu": "gelu_erf", "gelu_tanh": "gelu_tanh", "relu": "relu", "sigmoid": "sigmoid", "identity": "none"}
linear = torch.ops.zentorch.zentorch_linear_unary
linear_binary = torch.ops.zentorch.zentorch_linear_unary_binary
prepack = torch.ops.zentorch.zentorch_weight_prepack_for_linear


class Zen(torch_block.TorchPeer):

    def __init__(self, block):
        super().__init__(block)
        self.post_op = block.activation_of(POST_OPS)
        self.uses = f"zentorch {zentorch.__version__}, torch {torch.__version__}, prepacked, post-op {self.post_op}"

    def make_copy(self):
        weights = self.tensors()
        for name in ("gate", "up", "down"):
            if weights[name] is not None:
                weights[name] = prepack(weights[name])
        return weights, torch_block.size(weights)

    def forward(self, w, x):
        if w["gate"] is None:
            hidden = linear(x, w["up"], w["up_bias"], is_weight_prepacked=True, post_op=self.post_op)
        else:
            up = linear(x, w["up"], w["up_bias"], is_weight_prepacked=True)
            hidden = linear_binary(x, w["gate"], up, w["gate_bias"], is_weight_prepacked=True, post_op_1=self.post_op,
                                   post_op_2="mul")
        return linear(hidden, w["down"], w["down_bias"], is_weight_prepacked=True)

    def call(self, copy, x):
        x = torch_block.tensor(x, self.block.dtype)
        return lambda: self.forward(copy, x)


peer.serve(Zen)
