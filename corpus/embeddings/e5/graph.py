"""The encoder of multilingual-e5-small (BERT's, Devlin et al., NAACL 2019) as an ONNX graph, for one text at a time.

Matrices stay in the 4 bit in which they are kept; onnxruntime multiplies them by activations that it rounds to 8 bit in
blocks of 32, as the C engine does. So a vector depends on its own text alone, and hardly on the processor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from corpus.embeddings.e5 import onnx_format
from corpus.embeddings.e5.onnx_format import CONTRIB, Attribute
from corpus.embeddings.e5.weights import BLOCK, Blocks, Weights

INPUT: Final = "embedded"
"""Sum of a text's word, position and type embeddings, shape (1, tokens, width); the output has shape (1, width)."""

_BITS: Final = 4
_EIGHT_BIT_ACTIVATIONS: Final = 4  # the operator's own number for this accuracy


def encoder(weights: Weights) -> bytes:
    """The model, from embeddings to the vector of length one."""
    return _Encoder(weights).model()


def packed(blocks: Blocks) -> NDArray[np.uint8]:
    """Nibbles as `MatMulNBits` wants them: byte j of a block has weight 2j in its low half and 2j + 1 in its high."""
    in_order = np.concatenate([blocks.nibbles & 15, blocks.nibbles >> 4], axis=-1)
    low, high = in_order[..., 0::2], in_order[..., 1::2]
    return np.asarray(low | high << 4, np.uint8)


class _Encoder:
    """Collects the nodes and constants of the graph; methods take and return names of values in it."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._nodes: list[bytes] = []
        self._tensors: list[bytes] = []

    def model(self) -> bytes:
        sizes = self._weights.sizes
        hidden = self._normalised(INPUT, "emb.ln")
        for layer in range(sizes.layers):
            hidden = self._layer(hidden, f"l{layer}")
        mean = self._add("ReduceMean", [hidden, self._constant("tokens axis", np.array([1]))], keepdims=0)
        vector = self._add("LpNormalization", [mean], axis=-1, p=2)
        inputs = [onnx_format.value(INPUT, (1, "tokens", sizes.width))]
        outputs = [onnx_format.value(vector, (1, sizes.width))]
        return onnx_format.model(self._nodes, self._tensors, inputs, outputs)

    def _layer(self, hidden: str, name: str) -> str:
        heads = self._attention(hidden, name)
        attended = self._residual(hidden, self._product(heads, f"{name}.ao"), f"{name}.ao", f"{name}.aln")
        inner = self._product(attended, f"{name}.fi")
        activated = self._add("BiasGelu", [inner, self._numbers(f"{name}.fi.b")], CONTRIB)
        return self._residual(attended, self._product(activated, f"{name}.fo"), f"{name}.fo", f"{name}.oln")

    def _attention(self, hidden: str, name: str) -> str:
        parts = [f"{name}.{part}" for part in "qkv"]
        biases = np.concatenate([self._weights.numbers(f"{part}.b") for part in parts])
        given = [*(self._product(hidden, part) for part in parts), self._constant(f"{name}.qkv.b", biases)]
        return self._add("MultiHeadAttention", given, CONTRIB, num_heads=self._weights.sizes.heads)

    def _product(self, values: str, name: str) -> str:
        """Activations times a matrix, without its bias."""
        rows = self._weights.numbers(f"{name}.b").size
        blocks = self._weights.blocks(f"{name}.w", rows)
        nibbles = self._constant(f"{name}.w", packed(blocks))
        scales = self._constant(f"{name}.scales", blocks.scales.astype(np.float32))
        return self._add(
            "MatMulNBits",
            [values, nibbles, scales],
            CONTRIB,
            K=blocks.scales.shape[1] * BLOCK,
            N=rows,
            bits=_BITS,
            block_size=BLOCK,
            accuracy_level=_EIGHT_BIT_ACTIVATIONS,
        )

    def _residual(self, before: str, change: str, bias: str, norm: str) -> str:
        biased = self._add("Add", [change, self._numbers(f"{bias}.b")])
        return self._normalised(self._add("Add", [before, biased]), norm)

    def _normalised(self, values: str, name: str) -> str:
        gains = [self._numbers(f"{name}.w"), self._numbers(f"{name}.b")]
        return self._add("LayerNormalization", [values, *gains], axis=-1, epsilon=self._weights.sizes.epsilon)

    def _numbers(self, name: str) -> str:
        return self._constant(name, self._weights.numbers(name))

    def _constant(self, name: str, values: NDArray[Any]) -> str:
        self._tensors.append(onnx_format.tensor(name, values))
        return name

    def _add(self, operator: str, inputs: Sequence[str], domain: str = "", **attributes: Attribute) -> str:
        output = f"value {len(self._nodes)}"
        self._nodes.append(onnx_format.node(operator, inputs, [output], domain, **attributes))
        return output
