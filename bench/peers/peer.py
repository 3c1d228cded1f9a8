"""What every peer in Python shares: the lines that `gatefold bench` and a peer exchange (docs/peers.md).

A peer derives from Peer and ends with `peer.serve(ItsClass)`.
"""
import gc
import json
import os
import resource
import sys
import time

import numpy as np

# bf16 is unknown to NumPy: its values travel as the upper halves of f32.
STORED = {"f32": np.dtype("<f4"), "bf16": np.dtype("<u2"), "f16": np.dtype("<f2")}


class Declined(Exception):
    """The peer has no such block; the message says what it lacks."""


def widened(values, dtype):
    """Stored values as f32."""
    if dtype == "bf16":
        return (values.astype(np.uint32) << 16).view(np.float32)
    return values.astype(np.float32)


def narrowed(values, dtype):
    """f32 values as they are stored, rounded to nearest even."""
    values = np.ascontiguousarray(values, np.float32)
    if dtype != "bf16":
        return values.astype(STORED[dtype])
    bits = values.view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(values), np.uint16(0x7FC0), rounded)


class Block:
    """One feed-forward block: h = act(gate) * up, or h = act(up), and y = down(h)."""

    def __init__(self, load):
        for name in ("variant", "activation", "gated", "slope", "alpha", "limit", "up_offset", "bias", "dtype", "d_model",
                     "d_ff", "threads", "rows"):
            setattr(self, name, load[name])
        if self.dtype not in STORED:
            raise Declined(f"dtype {self.dtype}")
        stored = STORED[self.dtype]
        self.weights = {
            name: np.memmap(load["weights"], stored, "r", place["offset"], tuple(place["shape"]))
            for name, place in load["tensors"].items()
        }
        most = max(self.rows) * self.d_model
        self._x = np.memmap(load["x"], stored, "r", 0, (most,))
        self._y = np.memmap(load["y"], stored, "r+", 0, (most,))

    def x(self, rows):
        return self._x[:rows * self.d_model].reshape(rows, self.d_model)

    def y(self, rows):
        return self._y[:rows * self.d_model].reshape(rows, self.d_model)

    def weight_bytes(self):
        return sum(w.nbytes for w in self.weights.values())

    def activation_of(self, known):
        """What `known` has for the block's activation: plain formulas only, by variant's activation name."""
        if self.limit or self.up_offset:
            raise Declined(f"no clamp and no offset of {self.variant}")
        name = self.activation
        if name == "swish":
            name = "silu" if self.alpha == 1 else "quick_gelu"
        if name not in known:
            raise Declined(f"no {name}, which {self.variant} needs")
        return known[name]

    def only(self, *dtypes):
        if self.dtype not in dtypes:
            raise Declined(f"no {self.dtype} (only {', '.join(dtypes)})")


class Peer:
    """One competitor with its copies of the weights. `uses` says in one line what it calls."""

    uses = ""

    def __init__(self, block):
        self.block = block

    def make_copy(self):
        """(copy, its bytes): the weights packed once more, as this competitor likes them."""
        raise NotImplementedError

    def call(self, copy, x):
        """A function without arguments that computes the block: it alone is timed. x is as stored."""
        raise NotImplementedError

    def output(self, result):
        """What the function returned, as stored."""
        raise NotImplementedError


class Session:
    """The answers to the lines of one bench."""

    def __init__(self, make):
        self.make = make
        self.peer = None
        self.copies = []

    def answer(self, request):
        return getattr(self, request["do"])(request)

    def load(self, request):
        self.peer = self.make(Block(request))
        return {"uses": self.peer.uses}

    def copy(self, _request):
        copy, size = self.peer.make_copy()
        self.copies.append(copy)
        return {"weight_bytes": int(size)}

    def run(self, request):
        rows = request["rows"]
        x = self.peer.block.x(rows)
        before = self.peer.call(self.copies[request["before"]], x)
        timed = self.peer.call(self.copies[request["copy"]], x)
        ms, switches, result = measured(before, timed)
        self.peer.block.y(rows)[:] = self.peer.output(result)
        return {"ms": ms, "switches": switches, "uses": self.peer.uses}


def measured(before, timed):
    """Milliseconds of `timed` alone, right after `before`, and the involuntary context switches in it."""
    gc.collect()
    gc.disable()
    try:
        before()
        switches = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
        begin = time.perf_counter_ns()
        result = timed()
        end = time.perf_counter_ns()
        switches = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw - switches
    finally:
        gc.enable()
    return (end - begin) / 1e6, switches, result


def one_line(error):
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def serve(make):
    """Answers until stdin ends. What libraries print goes to stderr: stdout belongs to the answers."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    session = Session(make)
    for line in sys.stdin:
        try:
            reply = session.answer(json.loads(line))
        except Declined as reason:
            reply = {"declined": str(reason)}
        except Exception as error:  # whatever a framework throws is its answer
            reply = {"error": one_line(error)}
        out.write(json.dumps(reply) + "\n")
        out.flush()
    os._exit(0)  # thread pools of some frameworks do not end by themselves
