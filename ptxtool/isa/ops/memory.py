"""Loads, stores, atomics, caches, asynchronous copies, surfaces and textures."""

from __future__ import annotations

from ptxtool.isa.forms import Op
from ptxtool.isa.ops.rows import ASYNC, ATOMIC, READ, VOLATILE, WAIT, WRITE, op, row

OPS: tuple[Op, ...] = (
    op("ld", "Load.", row("wmr", "", READ, "load", "load")),
    op("ldu", "Load, uniform over the warp.", row("wmr", "", READ, "load", "load")),
    op(
        "st",
        "Store.",
        row("mrm", "async", ASYNC, "store", "async copy"),
        row("mr", "bulk", ASYNC, "store", "async copy"),
        row("mr", "", WRITE, "store", "store"),
    ),
    op("atom", "Atomic that gives the old value.", row("wmr", "", ATOMIC, "atomic", "atomic")),
    op(
        "red",
        "Atomic without a result.",
        row("mrm", "async", ATOMIC | ASYNC, "atomic", "atomic"),
        row("mr", "", ATOMIC, "atomic", "atomic"),
    ),
    op(
        "multimem",
        "Load-reduce, store, reduce or copy on multicast memory.",
        row("wm", "ld_reduce", READ, "load", "load"),
        row("mr", "st", WRITE, "store", "store"),
        row("mmr", "cp", ASYNC, "async", "async copy"),
        row("mr", "red", ATOMIC, "atomic", "atomic"),
    ),
    op("prefetch", "Bring a line into a cache.", row("m", "", VOLATILE, "cache", "cache")),
    op(
        "prefetchu",
        "Bring a line into the uniform cache.",
        row("m", "", VOLATILE, "cache", "cache"),
    ),
    op("applypriority", "Set a cache priority.", row("mr", "", VOLATILE, "cache", "cache")),
    op("discard", "Drop cache lines unwritten.", row("mr", "", WRITE, "cache", "cache")),
    op("createpolicy", "Make a cache policy.", row("wr", latency="move", mix="cache")),
    op(
        "cp",
        "Asynchronous copy, its groups and reductions.",
        row("r", "async wait_group", WAIT, "async", "async copy"),
        row("r", "async wait_all", WAIT, "async", "async copy"),
        row("r", "async commit_group", ASYNC, "async", "async copy"),
        row("m", "async mbarrier", ASYNC, "async", "async copy"),
        row("mmr", "", ASYNC, "async", "async copy"),
    ),
    op(
        "tensormap",
        "Change or publish a tensor map.",
        row("mmr", "cp_fenceproxy", WAIT, "async", "async copy"),
        row("mr", "", WRITE, "store", "async copy"),
    ),
    op("tex", "Texture fetch.", row("wmr", "", READ, "texture", "texture")),
    op("tld4", "Four-texel gather.", row("wmr", "", READ, "texture", "texture")),
    op("txq", "Texture query.", row("wmr", "", READ, "texture", "texture")),
    op("suld", "Surface load.", row("wmr", "", READ, "texture", "texture")),
    op("sust", "Surface store.", row("mr", "", WRITE, "texture", "texture")),
    op("sured", "Surface reduction.", row("mr", "", ATOMIC, "texture", "texture")),
    op("suq", "Surface query.", row("wmr", "", READ, "texture", "texture")),
    op("alloca", "Allocate stack memory.", row("wr", "", VOLATILE, "move", "stack")),
    op("stacksave", "Read the stack pointer.", row("w", "", VOLATILE, "move", "stack")),
    op("stackrestore", "Set the stack pointer.", row("r", "", VOLATILE, "move", "stack")),
)
