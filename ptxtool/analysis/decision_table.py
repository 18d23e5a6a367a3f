"""What ptxas says when it drops or changes something, what that means, and what to do.

Messages are told apart by their words: their numbers move between releases (C7519 and C7520 swap
meanings between 13.0 and 13.5). A row that no test provokes with a real ptxas says so.
"""

from __future__ import annotations

from dataclasses import dataclass

from ptxtool.core.diagnostics import Severity


@dataclass(frozen=True)
class Decision:
    """A kind of message: `pattern` is searched for in its text, the first row that fits wins."""

    code: str
    name: str
    severity: Severity
    pattern: str
    cause: str
    fix: str
    provoked: bool = True  # by a test, with a real ptxas


_SETMAXNREG = "setmaxnreg' ignored"
_SERIAL = "wgmma.mma_async instructions are serialized due to"

REGISTERS = (
    Decision(
        "PTX401", "setmaxnreg-without-entry-count", Severity.WARNING,
        f"{_SETMAXNREG}.*unable to determine register count at entry",
        "setmaxnreg moves registers relative to the count at launch, and nothing in the kernel "
        "fixes that count, so every setmaxnreg in it was dropped",
        "give the kernel .maxnreg, or .maxntid (or .reqntid) with .minnctapersm; in CUDA C++ "
        "__launch_bounds__(threads, 1)",
    ),
    Decision(
        "PTX402", "setmaxnreg-across-units", Severity.WARNING,
        f"{_SETMAXNREG}.*across compilation units",
        "a relocatable object keeps the register count that its callers expect",
        "compile the kernel as a whole program: without -c, without -rdc=true",
    ),
    Decision(
        "PTX403", "setmaxnreg-under-debug", Severity.WARNING,
        f"{_SETMAXNREG}.*allow debugging",
        "a debugger must find every register where the debug information says it is",
        "assemble without -g; -lineinfo keeps line numbers and setmaxnreg",
    ),
    Decision(
        "PTX404", "setmaxnreg-with-calls", Severity.WARNING,
        f"{_SETMAXNREG}.*extern",
        "the kernel calls a function that could not be inlined; the callee is compiled for the "
        "register count of the launch",
        "inline the callee, and remove recursion and calls through pointers",
    ),
    Decision(
        "PTX405", "setmaxnreg-below-need", Severity.WARNING,
        f"{_SETMAXNREG}.*minimum register requirements",
        "some instruction after the setmaxnreg needs more registers than it leaves",
        "raise the count of that setmaxnreg, or move the instruction to another warp role",
    ),
    Decision(
        "PTX406", "setmaxnreg-ignored", Severity.WARNING, _SETMAXNREG,
        "ptxas dropped setmaxnreg", "read the message for the reason", provoked=False,
    ),
    Decision(
        "PTX407", "too-few-registers", Severity.ERROR, r"Insufficient registers \(",
        "one instruction alone needs more registers than the limit allows",
        "raise .maxnreg (or -maxrregcount) to the count that the message names, or use a smaller "
        "tile shape",
    ),
    Decision(
        "PTX408", "register-allocation-failed", Severity.ERROR,
        "Register allocation failed with register count",
        "the allocator found no assignment within the limit, not even with spills",
        "raise .maxnreg (or -maxrregcount), or reduce the threads per block", provoked=False,
    ),
    Decision(
        "PTX409", "registers-spilled", Severity.WARNING, "Registers are spilled to local memory",
        "the kernel needs more registers at once than it may use",
        "raise the register limit, shorten live ranges, or accept fewer resident blocks",
    ),
    Decision(
        "PTX410", "maxnreg-out-of-range", Severity.WARNING, "Too many maxnreg specified",
        "a thread can have at most 255 registers, so .maxnreg of 256 or more limits nothing",
        "use .maxnreg 255 or less",
    ),
    Decision(
        "PTX411", "maxrregcount-out-of-range", Severity.WARNING, "Too big maxrregcount value",
        "a thread can have at most 255 registers", "use -maxrregcount 255 or less",
    ),
    Decision(
        "PTX412", "register-limit-raised", Severity.WARNING,
        "adjusting per thread register count of",
        "the calling convention needs at least 24 registers: a lower limit is raised to that",
        "ask for 24 registers or more",
    ),
    Decision(
        "PTX413", "register-limit-overridden", Severity.NOTE,
        "Overriding (?:global maxrregcount|maximum register limit)",
        "a directive and an option name different limits, and only one of them holds",
        "drop one of the two; by default the directive wins, with --override-directive-values "
        "the option does",
    ),
    Decision(
        "PTX414", "launch-bounds-out-of-range", Severity.WARNING,
        r"Value of .* for entry .* is out of range",
        "the launch bounds ask for more threads or blocks than an SM of this target holds, so "
        "ptxas works as if they were not there",
        "make threads x blocks fit the SM of every target that the file is assembled for",
    ),
    Decision(
        "PTX415", "minnctapersm-alone", Severity.WARNING, ".minnctapersm is ignored when neither",
        "blocks per SM say nothing about registers while the block size is open",
        "add .maxntid or .reqntid",
    ),
    Decision(
        "PTX416", "conflicting-options", Severity.WARNING, "Conflicting options",
        "two options limit registers in different ways, and one of them was dropped",
        "keep either -maxrregcount or -maxntid with -minnctapersm",
    ),
    Decision(
        "PTX417", "setmaxnreg-above-entry", Severity.ERROR,
        "setmaxnreg.dec has register count",
        "setmaxnreg.dec can only give registers back: its count must not exceed what the kernel "
        "starts with",
        "use setmaxnreg.inc, or raise .maxnreg",
    ),
)  # fmt: skip

WGMMA = (
    Decision(
        "PTX420", "wgmma-serialised-extern-call", Severity.WARNING, f"{_SERIAL} .*Extern calls",
        "a call that stays a call lies in the kernel, so no wgmma may be in flight across it",
        "inline the callee; remove printf, assert, recursion and calls through pointers",
    ),
    Decision(
        "PTX421", "wgmma-serialised-function-boundary", Severity.WARNING,
        f"{_SERIAL} .*crossing function boundary",
        "a call that stays a call (printf, assert, a library function) lies in the kernel; a "
        "wgmma may not be in flight across one, even if no path leads from one to the other",
        "remove printf and assert from this kernel, inline the callee, or move the call into "
        "another kernel",
    ),
    Decision(
        "PTX422", "wgmma-serialised-registers", Severity.WARNING,
        f"{_SERIAL} insufficient register resources",
        "accumulators that are in flight cannot be spilled, and they do not all fit",
        "raise .maxnreg or setmaxnreg of the consumer warps, shrink the tile, or keep fewer "
        "accumulators in flight",
    ),
    Decision(
        "PTX423", "wgmma-serialised-input-written", Severity.WARNING,
        f"{_SERIAL} .*defining input registers",
        "a register of an A fragment is written while a wgmma that reads it may be in flight",
        "wait for the group first, or load the next fragment into other registers",
    ),
    Decision(
        "PTX424", "wgmma-serialised-accumulator-read", Severity.WARNING,
        f"{_SERIAL} .*reading accumulator registers",
        "an accumulator is read before the wgmma that writes it has been waited for",
        "move the read behind wgmma.wait_group, also on the back edge of a loop",
    ),
    Decision(
        "PTX425", "wgmma-serialised-accumulator-written", Severity.WARNING,
        f"{_SERIAL} .*defining accumulator registers",
        "an accumulator is written between the fence and the wait of its pipeline stage",
        "initialise accumulators before wgmma.fence, or let the first wgmma ignore them "
        "(scale-d = 0)",
    ),
    Decision(
        "PTX426", "wgmma-serialised-ill-formed", Severity.WARNING, f"{_SERIAL} ill formed",
        "fence, mma, commit and wait do not follow each other on every path",
        "give each stage one fence before it, one commit and one wait after it, in straight "
        "code", provoked=False,
    ),
    Decision(
        "PTX427", "wgmma-serialised-divergent", Severity.WARNING, f"{_SERIAL} .*divergent path",
        "ptxas had to add a fence or a wait, and the place lies on a path that not every warp "
        "of the group takes",
        "put wgmma.fence and wgmma.wait_group where the code needs them, outside of divergent "
        "branches and on the back edge of the loop",
    ),
    Decision(
        "PTX428", "wgmma-serialised", Severity.WARNING, _SERIAL,
        "ptxas waits after every wgmma", "read the message for the reason", provoked=False,
    ),
    Decision(
        "PTX429", "wgmma-wait-injected", Severity.WARNING,
        r"(?:wgmma\.wait_group|warpgroup\.wait|warpgroup\.depbar) is injected",
        "a register of a wgmma is used before any wait in the file covers it",
        "write wgmma.wait_group yourself where the result is needed; an added wait covers all "
        "groups",
    ),
    Decision(
        "PTX430", "wgmma-fence-injected", Severity.NOTE,
        r"(?:wgmma\.fence|warpgroup\.arrive) is injected",
        "registers of a wgmma were written since the last wgmma.fence",
        "write wgmma.fence between those writes and the first wgmma",
    ),
)  # fmt: skip
