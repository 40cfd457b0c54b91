"""The written format is read by onnxruntime, which is asked what it read."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.embeddings.e5 import onnx_format


def session(nodes: list[bytes], tensors: list[bytes], output: str) -> Any:
    runtime = importlib.import_module("onnxruntime")
    inputs = [onnx_format.value("x", ("rows", 3))]
    outputs = [onnx_format.value(output, ("rows", 3))]
    model = onnx_format.model(nodes, tensors, inputs, outputs)
    return runtime.InferenceSession(model, providers=["CPUExecutionProvider"])


def test_nodes_constants_and_attributes_of_each_kind_arrive() -> None:
    pytest.importorskip("onnxruntime")
    nodes = [
        onnx_format.node("Add", ["x", "ones"], ["sum"], ""),
        onnx_format.node("Elu", ["sum"], ["bent"], "", alpha=0.5),
        onnx_format.node("Transpose", ["bent"], ["turned"], "", perm=[1, 0]),
        onnx_format.node("Softmax", ["turned"], ["shares"], "", axis=-2),
        onnx_format.node("Transpose", ["shares"], ["y"], "", perm=[1, 0]),
    ]
    run = session(nodes, [onnx_format.tensor("ones", np.ones(3, np.float32))], "y")
    x = np.array([[0.0, -3.0, 2.0]], np.float32)
    bent = np.where(x + 1 > 0, x + 1, 0.5 * np.expm1(x + 1))
    np.testing.assert_allclose(run.run(None, {"x": x})[0], np.exp(bent) / np.exp(bent).sum(), rtol=1e-5)
    assert run.get_inputs()[0].shape == ["rows", 3]


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=3, max_size=3))
def test_whole_numbers_arrive(numbers: list[int]) -> None:
    pytest.importorskip("onnxruntime")
    nodes = [
        onnx_format.node("Equal", ["numbers", "attributes"], ["same"], ""),
        onnx_format.node("Constant", [], ["attributes"], "", value_ints=numbers),
        onnx_format.node("Cast", ["same"], ["real"], "", to=onnx_format.ELEMENTS["float32"]),
        onnx_format.node("Mul", ["x", "real"], ["y"], ""),
    ]
    nodes = [nodes[1], nodes[0], *nodes[2:]]
    run = session(nodes, [onnx_format.tensor("numbers", np.array(numbers, np.int64))], "y")
    assert run.run(None, {"x": np.ones((1, 3), np.float32)})[0].tolist() == [[1, 1, 1]]
