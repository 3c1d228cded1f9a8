"""What the peers that use PyTorch share."""
import numpy as np
import peer
import torch
import torch.nn.functional as F

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}


def activations(block):
    return {
        "identity": lambda z: z,
        "sigmoid": torch.sigmoid,
        "relu": F.relu,
        "leaky_relu": lambda z: F.leaky_relu(z, block.slope),
        "relu2": lambda z: F.relu(z).square(),
        "gelu": F.gelu,
        "gelu_tanh": lambda z: F.gelu(z, approximate="tanh"),
        "silu": F.silu,
        "quick_gelu": lambda z: z * torch.sigmoid(block.alpha * z),
    }


def tensor(stored, dtype):
    """A copy of stored values as a tensor of the block's dtype."""
    copied = torch.from_numpy(np.array(stored))
    return copied.view(DTYPES[dtype])


def stored(result):
    """The values of a tensor as they are stored."""
    result = result.detach().contiguous()
    return result.view(torch.uint16).numpy() if result.dtype == torch.bfloat16 else result.numpy()


def size(weights):
    return sum(w.numel() * w.element_size() for w in weights.values() if w is not None)


def forward(act, w, x):
    up = F.linear(x, w["up"], w["up_bias"])
    hidden = act(F.linear(x, w["gate"], w["gate_bias"])) * up if w["gate"] is not None else act(up)
    return F.linear(hidden, w["down"], w["down_bias"])


class TorchPeer(peer.Peer):

    def __init__(self, block):
        super().__init__(block)
        self.act = block.activation_of(activations(block))
        torch.set_num_threads(block.threads)
        torch.set_grad_enabled(False)

    def tensors(self):
        names = ("gate", "up", "down", "gate_bias", "up_bias", "down_bias")
        found = self.block.weights
        return {name: tensor(found[name], self.block.dtype) if name in found else None for name in names}

    def output(self, result):
        return stored(result)
