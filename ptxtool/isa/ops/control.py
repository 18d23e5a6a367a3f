"""Control flow, barriers, warp operations, tensor cores, machine state."""

from __future__ import annotations

from ptxtool.isa.model import Effect, Op

CONTROL, SYNC = Effect.CONTROL, Effect.SYNCHRONISES
CONVERGENT = Effect.CONVERGENT
MACHINE = Effect.CHANGES_MACHINE
MEMORY = Effect.READS_MEMORY | Effect.WRITES_MEMORY


def _control(name: str, summary: str) -> Op:
    return Op(name, summary, "control", destinations=0, effects=CONTROL, latency="control")


def _sync(name: str, summary: str, **more: object) -> Op:
    effects = SYNC | CONVERGENT
    return Op(name, summary, "barrier", effects=effects, latency="barrier", **more)  # type: ignore[arg-type]


def _warp(name: str, summary: str) -> Op:
    return Op(name, summary, "warp", effects=CONVERGENT, latency="warp")


def _machine(name: str, summary: str, destinations: int = 0) -> Op:
    return Op(name, summary, "machine state", destinations=destinations, effects=MACHINE | SYNC)


OPS = [
    _control("bra", "Branch."),
    _control("brx", "Indexed branch."),
    _control("ret", "Return."),
    _control("exit", "End the thread."),
    _control("trap", "Abort the grid."),
    _control("brkpt", "Breakpoint."),
    Op(
        "call",
        "Call a function.",
        "call",
        effects=CONTROL | MEMORY | SYNC | MACHINE,
        latency="control",
    ),
    _sync("bar", "Barrier of the block.", written_by=frozenset({"red"})),
    _sync("barrier", "Barrier of the block or cluster.", written_by=frozenset({"red"})),
    _sync("membar", "Memory fence.", destinations=0),
    _sync("fence", "Memory fence.", destinations=0),
    _machine("griddepcontrol", "Dependent grids."),
    _machine("setmaxnreg", "Give registers back or ask for more."),
    _machine("nanosleep", "Sleep."),
    _machine("pmevent", "Performance monitor event."),
    Op(
        "clusterlaunchcontrol",
        "Cancel or query the launch of another cluster.",
        "machine state",
        effects=MACHINE | MEMORY | Effect.ASYNCHRONOUS,
        none_written_by=frozenset({"try_cancel"}),
    ),
    _warp("shfl", "Exchange values between lanes."),
    _warp("vote", "Vote over the warp."),
    _warp("match", "Which lanes hold the same value."),
    _warp("redux", "Reduce over the warp."),
    _warp("activemask", "Mask of the active lanes."),
    _warp("elect", "Elect one lane."),
    Op("mma", "Matrix multiply and add of a warp.", "tensor", effects=CONVERGENT, latency="tensor"),
    Op(
        "wmma",
        "Warp matrix load, store, multiply and add.",
        "tensor",
        effects=CONVERGENT | MEMORY,
        latency="tensor",
        none_written_by=frozenset({"store"}),
    ),
    Op(
        "wgmma",
        "Matrix multiply and add of a warp group, without waiting.",
        "tensor",
        effects=CONVERGENT | MEMORY | Effect.ASYNCHRONOUS,
        latency="tensor",
        accumulates=True,
        written_by=frozenset({"mma_async"}),
    ),
    Op(
        "tcgen05",
        "Fifth-generation tensor cores and their memory.",
        "tensor",
        effects=CONVERGENT | MEMORY | Effect.ASYNCHRONOUS | SYNC,
        latency="tensor",
        written_by=frozenset({"ld"}),
    ),
]
