"""The encoder of all-MiniLM-L6-v2 (BERT) in numpy and f64, from its safetensors file. Plain rather than fast."""
import json
import math
import pathlib

import numpy as np

HEADS = 12
EPSILON = 1e-12
erf = np.vectorize(math.erf, otypes=[np.float64])


def read_tensors(path):
    """The file's tensors by name, those of type F32 as f64."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = entry["data_offsets"]
            tensors[name] = np.frombuffer(data[begin:end], "<f4").reshape(entry["shape"])
    return tensors


def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


class Encoder:
    def __init__(self, weights):
        self.tensors = read_tensors(weights)
        words = (pathlib.Path(weights).parent / "vocab.txt").read_text(encoding="utf-8").splitlines()
        self.ids = {word: i for i, word in enumerate(words)}

    def tensor(self, name):
        return self.tensors[name].astype(np.float64)

    def linear(self, prefix, x):
        return x @ self.tensor(prefix + ".weight").T + self.tensor(prefix + ".bias")

    def norm(self, prefix, x):
        centred = x - x.mean(axis=-1, keepdims=True)
        scale = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
        return centred / scale * self.tensor(prefix + ".weight") + self.tensor(prefix + ".bias")

    def embed(self, tokens):
        words = self.tensor("embeddings.word_embeddings.weight")[[self.ids[token] for token in tokens]]
        places = self.tensor("embeddings.position_embeddings.weight")[: len(tokens)]
        kinds = self.tensor("embeddings.token_type_embeddings.weight")[0]
        return self.norm("embeddings.LayerNorm", words + places + kinds)

    def attention(self, layer, x):
        """Attention, residual and norm: the input of the layer's FFN."""
        prefix = f"encoder.layer.{layer}.attention."
        heads = [self.linear(prefix + "self." + part, x).reshape(len(x), HEADS, -1).swapaxes(0, 1)
                 for part in ("query", "key", "value")]
        query, key, value = heads
        mixed = softmax(query @ key.swapaxes(1, 2) / math.sqrt(query.shape[-1])) @ value
        joined = mixed.swapaxes(0, 1).reshape(x.shape)
        return self.norm(prefix + "output.LayerNorm", x + self.linear(prefix + "output.dense", joined))

    def ffn(self, layer, x):
        """down(gelu(up(x))) with the exact GELU: the reference."""
        prefix = f"encoder.layer.{layer}."
        hidden = self.linear(prefix + "intermediate.dense", x)
        hidden = 0.5 * hidden * (1 + erf(hidden / math.sqrt(2)))
        return self.linear(prefix + "output.dense", hidden)

    def after_ffn(self, layer, x, y):
        return self.norm(f"encoder.layer.{layer}.output.LayerNorm", x + y)
