"""Matrix instructions: mma, wmma, wgmma, tcgen05 and the loads and stores of their tiles."""

from __future__ import annotations

from ptxtool.isa.forms import Effect, Op
from ptxtool.isa.ops.rows import ASYNC, CONVERGENT, READ, TENSOR, WAIT, WRITE, op, row

_ASYNC_TENSOR = ASYNC | CONVERGENT | {Effect.VOLATILE}

OPS: tuple[Op, ...] = (
    op("mma", "Matrix multiply-accumulate of a warp.", row("wr", "", TENSOR, "tensor", "tensor")),
    op(
        "wmma",
        "Matrix multiply-accumulate of a warp on opaque fragments.",
        row("wmr", "load", READ | TENSOR, "load", "load"),
        row("mr", "store", WRITE | TENSOR, "store", "store"),
        row("wr", "mma", TENSOR, "tensor", "tensor"),
    ),
    op("ldmatrix", "Load 8x8 tiles.", row("wm", "", READ | TENSOR, "load", "load")),
    op("stmatrix", "Store 8x8 tiles.", row("mr", "", WRITE | TENSOR, "store", "store")),
    op("movmatrix", "Transpose a tile over the warp.", row("wr", "", TENSOR, "shuffle", "warp")),
    op(
        "wgmma",
        "Asynchronous matrix multiply-accumulate of a warpgroup.",
        row("xr", "mma_async", _ASYNC_TENSOR, "tensor", "tensor"),
        row("r", "", WAIT | TENSOR, "barrier", "barrier"),
    ),
    op(
        "tcgen05",
        "Fifth-generation tensor core: tensor memory and its matrix operations.",
        row("wwmr", "ld red", ASYNC | TENSOR, "load", "load"),
        row("wmr", "ld", ASYNC | TENSOR, "load", "load"),
        row("mr", "st", ASYNC | TENSOR, "store", "store"),
        row("mr", "alloc", WAIT | TENSOR, "barrier", "other"),
        row("r", "dealloc", WAIT | TENSOR, "barrier", "other"),
        row("", "relinquish_alloc_permit", WAIT | TENSOR, "barrier", "other"),
        row("mr", "cp", _ASYNC_TENSOR, "async", "async copy"),
        row("mr", "shift", _ASYNC_TENSOR, "async", "async copy"),
        row("mr", "commit", _ASYNC_TENSOR, "barrier", "barrier"),
        row("mr", "mma", _ASYNC_TENSOR, "tensor", "tensor"),
        row("", "", WAIT, "barrier", "barrier"),
    ),
)
