"""The encoder of multilingual-e5-small (BERT's, Devlin et al., NAACL 2019) as an ONNX graph in 8 bit, for one text.

Weights take 7 bits and a scale an output channel: processors without VNNI add pairs of products in 16 bit, which 8 bits
of both would overflow. Activations take 8 bits and a scale a token, so that a vector depends on its own text alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from context import Vectors
from corpus.embeddings.e5 import onnx_format
from corpus.embeddings.e5.onnx_format import CONTRIB, ELEMENTS, Attribute
from corpus.embeddings.e5.weights import Weights

INPUT: Final = "embedded"
"""Sum of a text's word, position and type embeddings, shape (1, tokens, width); the output has shape (1, width)."""

_WEIGHT_TOP: Final = 63
_ACTIVATION_TOP: Final = 127
_MIDDLE: Final = 128  # activations are stored without a sign


class Rounded(NamedTuple):
    """Names of activations in 8 bit and of their scales, one a token."""

    numbers: str
    scales: str


def encoder(weights: Weights) -> bytes:
    """The model, from embeddings to the vector of length one."""
    return _Encoder(weights).model()


def rounded(matrix: Vectors) -> tuple[NDArray[np.int8], Vectors]:
    """A matrix, shape (out, in), in 7 bit, with the scale of each output channel."""
    scales = np.maximum(np.abs(matrix).max(axis=1), np.finfo(np.float32).tiny) / np.float32(_WEIGHT_TOP)
    return np.rint(matrix / scales[:, None]).astype(np.int8), scales


class _Encoder:
    """Collects the nodes and constants of the graph; methods take and return names of values in it."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._nodes: list[bytes] = []
        self._tensors: list[bytes] = []

    def model(self) -> bytes:
        sizes = self._weights.sizes
        self._prepare()
        hidden = self._normalised(INPUT, "emb.ln")
        for layer in range(sizes.layers):
            hidden = self._layer(hidden, f"l{layer}")
        mean = self._add("ReduceMean", [hidden, "tokens axis"], keepdims=0)
        vector = self._add("LpNormalization", [mean], axis=-1, p=2)
        inputs = [onnx_format.value(INPUT, (1, "tokens", sizes.width))]
        outputs = [onnx_format.value(vector, (1, sizes.width))]
        return onnx_format.model(self._nodes, self._tensors, inputs, outputs)

    def _prepare(self) -> None:
        """What every layer uses."""
        self._constant("tokens axis", np.array([1]))
        self._constant("last axis", np.array([-1]))
        self._constant("one row", np.array([-1]))
        self._constant("step", np.float32(1 / _ACTIVATION_TOP))
        self._constant("middle", np.uint8(_MIDDLE))
        length = self._add("Shape", [INPUT], start=1, end=2)
        self._middles = self._add("Expand", ["middle", length])

    def _layer(self, hidden: str, name: str) -> str:
        heads = self._attention(self._round(hidden), name)
        attended = self._residual(hidden, self._product(self._round(heads), f"{name}.ao"), f"{name}.ao", f"{name}.aln")
        inner = self._product(self._round(attended), f"{name}.fi")
        activated = self._add("BiasGelu", [inner, self._numbers(f"{name}.fi.b")], CONTRIB)
        spread = self._product(self._round(activated), f"{name}.fo")
        return self._residual(attended, spread, f"{name}.fo", f"{name}.oln")

    def _attention(self, hidden: Rounded, name: str) -> str:
        parts = [f"{name}.{part}" for part in "qkv"]
        biases = np.concatenate([self._weights.numbers(f"{part}.b") for part in parts])
        given = [*(self._product(hidden, part) for part in parts), self._constant(f"{name}.qkv.b", biases)]
        return self._add("MultiHeadAttention", given, CONTRIB, num_heads=self._weights.sizes.heads)

    def _round(self, values: str) -> Rounded:
        """Each token's activations divided by a scale that makes the largest of them 127."""
        largest = self._add("ReduceMax", [self._add("Abs", [values]), "last axis"], keepdims=1)
        scales = self._add("Mul", [largest, "step"])
        flat = self._add("Reshape", [scales, "one row"])
        return Rounded(self._add("QuantizeLinear", [values, flat, self._middles], axis=1), scales)

    def _product(self, given: Rounded, name: str) -> str:
        """Activations times a matrix, without its bias."""
        whole = self._weights.numbers(f"{name}.b").size
        matrix, scales = rounded(self._weights.blocks(f"{name}.w", whole).rows(np.arange(whole)))
        sums = self._add("MatMulInteger", [given.numbers, self._constant(f"{name}.w", matrix.T), "middle"])
        real = self._add("Cast", [sums], to=ELEMENTS["float32"])
        by_channel = self._add("Mul", [real, self._constant(f"{name}.scales", scales)])
        return self._add("Mul", [by_channel, given.scales])

    def _residual(self, before: str, change: str, bias: str, norm: str) -> str:
        biased = self._add("Add", [change, self._numbers(f"{bias}.b")])
        return self._normalised(self._add("Add", [before, biased]), norm)

    def _normalised(self, values: str, name: str) -> str:
        gains = [self._numbers(f"{name}.w"), self._numbers(f"{name}.b")]
        return self._add("LayerNormalization", [values, *gains], axis=-1, epsilon=self._weights.sizes.epsilon)

    def _numbers(self, name: str) -> str:
        return self._constant(name, self._weights.numbers(name))

    def _constant(self, name: str, values: NDArray[Any] | np.generic) -> str:
        self._tensors.append(onnx_format.tensor(name, np.asarray(values)))
        return name

    def _add(self, operator: str, inputs: Sequence[str], domain: str = "", **attributes: Attribute) -> str:
        output = f"value {len(self._nodes)}"
        self._nodes.append(onnx_format.node(operator, inputs, [output], domain, **attributes))
        return output
