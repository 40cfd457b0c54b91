"""As much of the ONNX file format as one graph needs, so that no package has to be installed to write it.

ONNX is Protocol Buffers, whose field numbers never change; those below are from `onnx.proto` of IR version 9.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any, Final

from numpy.typing import NDArray

Attribute = int | float | Sequence[int]

CONTRIB: Final = "com.microsoft"
"""The domain of onnxruntime's own operators."""

ELEMENTS: Final = {"float32": 1, "uint8": 2, "int64": 7}
"""Numbers of the element types, by numpy's names."""

_IR_VERSION: Final = 9
_OPERATOR_SETS: Final = {"": 20, CONTRIB: 1}
_FLOAT, _INT, _INTS = 1, 2, 7  # kinds of attributes


def node(operator: str, inputs: Sequence[str], outputs: Sequence[str], domain: str, **attributes: Attribute) -> bytes:
    """A `NodeProto`."""
    fields = [
        *(_text(1, name) for name in inputs),
        *(_text(2, name) for name in outputs),
        _text(4, operator),
        *(_message(5, _attribute(name, value)) for name, value in attributes.items()),
        _text(7, domain),
    ]
    return b"".join(fields)


def tensor(name: str, values: NDArray[Any]) -> bytes:
    """A `TensorProto` with its values in it."""
    raw = values.astype(values.dtype.newbyteorder("<")).tobytes()
    dimensions = b"".join(_integer(1, size) for size in values.shape)
    return dimensions + _integer(2, ELEMENTS[values.dtype.name]) + _text(8, name) + _message(9, raw)


def value(name: str, shape: Sequence[int | str]) -> bytes:
    """A `ValueInfoProto` of floats; a size that is known only at run time has a name."""
    sizes = b"".join(_message(1, _text(2, size) if isinstance(size, str) else _integer(1, size)) for size in shape)
    return _text(1, name) + _message(2, _message(1, _integer(1, ELEMENTS["float32"]) + _message(2, sizes)))


def model(nodes: Iterable[bytes], tensors: Iterable[bytes], inputs: Iterable[bytes], outputs: Iterable[bytes]) -> bytes:
    """A `ModelProto`."""
    parts = ((1, nodes), (5, tensors), (11, inputs), (12, outputs))
    graph = b"".join(_message(field, part) for field, found in parts for part in found) + _text(2, "graph")
    sets = (_message(8, _text(1, domain) + _integer(2, version)) for domain, version in _OPERATOR_SETS.items())
    return b"".join([_integer(1, _IR_VERSION), *sets, _message(7, graph)])


def _attribute(name: str, given: Attribute) -> bytes:
    named = _text(1, name)
    if isinstance(given, float):
        return named + _key(2, 5) + struct.pack("<f", given) + _integer(20, _FLOAT)
    if isinstance(given, int):
        return named + _integer(3, given) + _integer(20, _INT)
    return named + b"".join(_integer(8, number) for number in given) + _integer(20, _INTS)


def _text(field: int, text: str) -> bytes:
    return _message(field, text.encode())


def _message(field: int, content: bytes) -> bytes:
    return _key(field, 2) + _varint(len(content)) + content


def _integer(field: int, number: int) -> bytes:
    return _key(field, 0) + _varint(number % 2**64)


def _key(field: int, wire_type: int) -> bytes:
    return _varint(field << 3 | wire_type)


def _varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; the top bit says that more follow."""
    encoded = bytearray()
    while number > 127:
        encoded.append(number & 127 | 128)
        number >>= 7
    return bytes([*encoded, number])
