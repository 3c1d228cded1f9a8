"""PyTorch eager: F.linear and the activation, one after the other."""
import peer
import torch
import torch_block


class Eager(torch_block.TorchPeer):

    def make_copy(self):
        weights = self.tensors()
        return weights, torch_block.size(weights)

    def call(self, copy, x):
        x = torch_block.tensor(x, self.block.dtype)
        return lambda: torch_block.forward(self.act, copy, x)


def make(block):
    it = Eager(block)
    it.uses = f"PyTorch {torch.__version__} eager"
    return it


peer.serve(make)
