"""Control flow, barriers, fences, warp operations and mbarriers."""

from __future__ import annotations

from ptxtool.isa.forms import Effect, Op
from ptxtool.isa.ops.rows import (
    ASYNC,
    BARRIER,
    CONTROL,
    CONVERGENT,
    VOLATILE,
    WAIT,
    op,
    row,
)

_CALL = frozenset(Effect)
_BARRIER_ROWS = (
    row("", "cluster", BARRIER, "barrier", "barrier"),
    row("r", "warp", BARRIER, "barrier", "barrier"),
    row("wr", "red", BARRIER | CONVERGENT, "barrier", "barrier"),
    row("r", "", BARRIER, "barrier", "barrier"),
)
_MBARRIER = "barrier"

OPS: tuple[Op, ...] = (
    op("bra", "Branch.", row("l", "", CONTROL, "branch", "branch")),
    op(
        "brx",
        "Branch by index through a table of labels.",
        row("rl", "idx", CONTROL, "branch", "branch"),
    ),
    op("call", "Call a device function.", row("c", "", _CALL, "call", "call")),
    op("ret", "Return.", row("", "", CONTROL, "branch", "branch")),
    op("exit", "End the thread.", row("", "", CONTROL, "branch", "branch")),
    op("trap", "Abort the kernel.", row("", "", CONTROL | VOLATILE, "branch", "branch")),
    op("brkpt", "Breakpoint.", row("", "", VOLATILE, "branch", "other")),
    op("pmevent", "Trigger a performance event.", row("r", "", VOLATILE, "move", "other")),
    op("nanosleep", "Sleep.", row("r", "", VOLATILE, "branch", "other")),
    op("setmaxnreg", "Change the registers of a warp.", row("r", "", BARRIER, "barrier", "other")),
    op("griddepcontrol", "Dependent grids.", row("", "", BARRIER, "barrier", "barrier")),
    op("bar", "Barrier among the threads of a CTA or warp.", *_BARRIER_ROWS),
    op("barrier", "Barrier among the threads of a CTA or cluster.", *_BARRIER_ROWS),
    op("membar", "Memory fence.", row("", "", BARRIER, "fence", "barrier")),
    op("fence", "Memory or proxy fence.", row("mr", "", BARRIER, "fence", "barrier")),
    op("vote", "Vote over the lanes.", row("wr", "", CONVERGENT, "warp", "warp")),
    op("match", "Lanes with the same value.", row("wr", "", CONVERGENT, "warp", "warp")),
    op("redux", "Reduce over the lanes.", row("wr", "", CONVERGENT, "warp", "warp")),
    op("shfl", "Exchange values between lanes.", row("wr", "", CONVERGENT, "shuffle", "warp")),
    op("elect", "Elect one lane.", row("wr", "", CONVERGENT, "warp", "warp")),
    op(
        "mbarrier",
        "Object that counts arrivals and transactions.",
        row("wr", "pending_count", latency=_MBARRIER, mix="barrier"),
        row("wmr", "test_wait", WAIT, _MBARRIER, "barrier"),
        row("wmr", "try_wait", WAIT, _MBARRIER, "barrier"),
        row("wmr", "arrive", WAIT, _MBARRIER, "barrier"),
        row("wmr", "arrive_drop", WAIT, _MBARRIER, "barrier"),
        row("mr", "", ASYNC, _MBARRIER, "barrier"),
    ),
    op(
        "clusterlaunchcontrol",
        "Cancel a launch of a cluster and take over its work.",
        row("wr", "query_cancel", latency="move", mix="other"),
        row("mm", "try_cancel", ASYNC, "async", "async copy"),
    ),
)
