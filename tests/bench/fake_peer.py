"""A competitor for the tests: right by default, else with the fault that its argument names."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/peers"))
import numpy as np
import peer

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""


def silu(z):
    return z / (1 + np.exp(-z))


class Fake(peer.Peer):
    uses = "numpy"

    def __init__(self, block):
        super().__init__(block)
        if FAULT == "declines":
            raise peer.Declined("no swiglu here")
        self.act = block.activation_of({"silu": silu})
        self.calls = 0

    def make_copy(self):
        weights = {name: peer.widened(w, self.block.dtype) for name, w in self.block.weights.items()}
        return weights, self.block.weight_bytes()

    def call(self, w, x):
        x = peer.widened(x, self.block.dtype)
        return lambda: (self.act(x @ w["gate"].T) * (x @ w["up"].T)) @ w["down"].T

    def output(self, y):
        self.calls += 1
        if FAULT == "wrong":
            y[-1, -1] += 0.125
        if FAULT == "dies later" and self.calls == 2:
            os._exit(7)
        if FAULT == "raises":
            raise ValueError("two\nlines")
        if FAULT == "hangs":
            time.sleep(60)
        return peer.narrowed(y, self.block.dtype)


def answer_with(text):
    for _ in sys.stdin:
        print(text, flush=True)


if FAULT == "dies":
    sys.exit("fake: cannot find its library")
elif FAULT == "garbage":
    answer_with("OpenMP: warning")
elif FAULT == "no numbers":
    answer_with('{"uses": "nothing", "weight_bytes": "many"}')
elif FAULT == "boasts":
    peer.measured = lambda before, timed: (1e6, 0, timed())
peer.serve(Fake)
