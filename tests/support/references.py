"""What the samples must compute, in NumPy and hashlib: written from the descriptions, not the code.

Each function takes the initial arrays of a launch by buffer name and its sizes, and returns the
outputs by buffer name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping

import numpy as np

Arrays = Mapping[str, np.ndarray]
Sizes = Mapping[str, int]


def saxpy(data: Arrays, sizes: Sizes) -> Arrays:
    # Two roundings: the shim is compiled without contraction.
    return {"y": np.float32(2.5) * data["x"] + data["y"]}


def block_reduce(data: Arrays, sizes: Sizes) -> Arrays:
    padded = np.zeros(sizes["blocks"] * 256)
    padded[: sizes["n"]] = data["in"]
    return {"sums": padded.reshape(-1, 256).sum(axis=1).astype(np.float32)}


def sgemm(data: Arrays, sizes: Sizes) -> Arrays:
    return {"c": (data["a"].astype(np.float64) @ data["b"]).astype(np.float32)}


def softmax(data: Arrays, sizes: Sizes) -> Arrays:
    shifted = data["in"].astype(np.float64)
    shifted = np.exp(shifted - shifted.max(axis=1, keepdims=True))
    return {"out": (shifted / shifted.sum(axis=1, keepdims=True)).astype(np.float32)}


def layernorm(data: Arrays, sizes: Sizes) -> Arrays:
    x = data["in"].astype(np.float64)
    centred = x - x.mean(axis=1, keepdims=True)
    scale = 1 / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)
    return {"out": (centred * scale * data["weight"] + data["bias"]).astype(np.float32)}


def transpose(data: Arrays, sizes: Sizes) -> Arrays:
    return {"out": np.ascontiguousarray(data["in"].T)}


def histogram(data: Arrays, sizes: Sizes) -> Arrays:
    counts = np.bincount(data["in"].view(np.uint8).ravel(), minlength=256)
    return {"counts": counts.astype(np.uint32)}


def sha256(data: Arrays, sizes: Sizes) -> Arrays:
    digests = [
        np.frombuffer(hashlib.sha256(row.astype(">u4").tobytes()).digest(), dtype=">u4")
        for row in data["messages"]
    ]
    return {"digests": np.array(digests, dtype=np.uint32)}


def integer_divide(data: Arrays, sizes: Sizes) -> Arrays:
    index = np.arange(sizes["n"], dtype=np.uint64)
    value = data["in"].astype(np.uint64)
    row, column = index // 64 % 48, index % 64
    return {"out": value * 3 // 4096 + row * column + value % 10}


REFERENCES: dict[str, Callable[[Arrays, Sizes], Arrays]] = {
    "saxpy": saxpy,
    "block_reduce": block_reduce,
    "sgemm": sgemm,
    "softmax": softmax,
    "layernorm": layernorm,
    "transpose": transpose,
    "histogram": histogram,
    "sha256": sha256,
    "integer_divide": integer_divide,
}
