"""Loads, stores, atomics, copies, caches and address management."""

from __future__ import annotations

from collections.abc import Sequence

from ptxtool.isa.model import Effect, Op

READ, WRITE = Effect.READS_MEMORY, Effect.WRITES_MEMORY
BOTH = READ | WRITE
ASYNC = Effect.ASYNCHRONOUS
_SPACES = ("global", "shared", "local", "param", "const")


def _by_space(verb: str) -> object:
    def classify(modifiers: Sequence[str]) -> str:
        names = [word.partition("::")[0] for word in modifiers]
        space = next((word for word in names if word in _SPACES), "generic")
        return f"{space} {verb}"

    return classify


def _op(name: str, summary: str, mix: object, effects: Effect, **more: object) -> Op:
    return Op(name, summary, mix, effects=effects, latency="memory", **more)  # type: ignore[arg-type]


_NOT_STATE = frozenset({"init", "inval", "expect_tx", "complete_tx"})

OPS = [
    _op("ld", "Load.", _by_space("load"), READ),
    _op("ldu", "Load through the read-only path.", _by_space("load"), READ),
    _op("st", "Store.", _by_space("store"), WRITE, destinations=0),
    _op("atom", "Read, change and write at once.", _by_space("atomic"), BOTH),
    _op("red", "Change memory at once, no result.", _by_space("atomic"), BOTH, destinations=0),
    _op(
        "multimem",
        "Load, store or reduce over all memories of a multicast object.",
        "multimem",
        BOTH,
        written_by=frozenset({"ld_reduce"}),
    ),
    _op(
        "cp",
        "Copy without waiting; bulk and tensor copies.",
        "async copy",
        BOTH | ASYNC,
        destinations=0,
    ),
    _op("prefetch", "Bring a line into a cache.", "cache control", READ, destinations=0),
    _op("prefetchu", "Bring a line into the uniform cache.", "cache control", READ, destinations=0),
    _op("discard", "Drop a line without writing it back.", "cache control", WRITE, destinations=0),
    _op(
        "applypriority",
        "Set the eviction priority of a line.",
        "cache control",
        WRITE,
        destinations=0,
    ),
    Op("createpolicy", "Make a cache eviction policy.", "cache control"),
    _op(
        "ldmatrix", "Load 8x8 matrices from shared memory.", "matrix load", READ | Effect.CONVERGENT
    ),
    _op(
        "stmatrix",
        "Store 8x8 matrices to shared memory.",
        "matrix store",
        WRITE | Effect.CONVERGENT,
        destinations=0,
    ),
    Op("movmatrix", "Transpose an 8x8 matrix across the warp.", "warp", effects=Effect.CONVERGENT),
    _op(
        "mbarrier",
        "Barrier object in shared memory.",
        "mbarrier",
        BOTH | Effect.SYNCHRONISES,
        none_written_by=_NOT_STATE,
    ),
    _op("tensormap", "Change a tensor map in memory.", "tensor map", BOTH, destinations=0),
    Op("alloca", "Allocate on the stack.", "stack", effects=Effect.CHANGES_MACHINE),
    Op("stacksave", "Save the stack pointer.", "stack", effects=Effect.CHANGES_MACHINE),
    Op(
        "stackrestore",
        "Restore the stack pointer.",
        "stack",
        destinations=0,
        effects=Effect.CHANGES_MACHINE,
    ),
    Op("mapa", "Address of shared memory in another block of the cluster.", "address"),
    Op("getctarank", "Rank of the block that owns a shared address.", "address"),
    *(
        _op(name, summary, "texture", READ)
        for name, summary in {
            "tex": "Texture fetch.",
            "tld4": "Gather four texels.",
            "suld": "Surface load.",
        }.items()
    ),
    Op("txq", "Query a texture.", "texture"),
    Op("suq", "Query a surface.", "texture"),
    _op("sust", "Surface store.", "texture", WRITE, destinations=0),
    _op("sured", "Surface reduction.", "texture", BOTH, destinations=0),
]
