"""The rest of what ptxas says: memory, calls, deprecated forms, debug information."""

from __future__ import annotations

from ptxtool.analysis.decision_table import REGISTERS, WGMMA, Decision
from ptxtool.core.diagnostics import Severity

MEMORY = (
    Decision(
        "PTX440", "shared-spilling-with-calls", Severity.ERROR,
        "Smem spilling should not be enabled when functions use abi",
        "spilling to shared memory needs the whole kernel in one function, and a call that "
        "stays a call (printf, assert, a library function) is in it",
        'drop .pragma "enable_smem_spilling" from this kernel, or inline the callee',
    ),
    Decision(
        "PTX441", "shared-spilling-refused", Severity.ERROR,
        "Pragma 'enable_smem_spilling' (?:is not allowed|cannot be specified|is allowed only)",
        "spilling to shared memory needs a kernel of a whole-program compilation, without "
        "dynamic shared memory and without -g",
        "put the pragma first in the body of the kernel, or drop it in such builds",
    ),
    Decision(
        "PTX442", "local-memory-used", Severity.WARNING, "Local memory used for function",
        "an array that is indexed at run time, or has its address taken, lives in local memory",
        "index with constants (unroll), or move the array to shared memory",
    ),
    Decision(
        "PTX443", "stack-size-unknown", Severity.WARNING,
        "Stack size for entry function .* cannot be statically determined",
        "the call graph has recursion or a call through a pointer, so the driver's default "
        "stack (1 KiB for each thread) is what the kernel gets",
        "remove the recursion, or set the limit at run time (cudaLimitStackSize)",
    ),
    Decision(
        "PTX444", "stack-limit-exceeded", Severity.ERROR, r"uses \d+ bytes stack but limited to",
        "the frames of a function exceed what local memory allows",
        "move large arrays to global memory", provoked=False,
    ),
    Decision(
        "PTX445", "too-much-shared-data", Severity.ERROR, "uses too much shared data",
        "static shared memory stops at 48 KiB in every kernel",
        "declare the array as .extern .shared, pass its size at launch, and raise the kernel's "
        "dynamic limit on the host",
    ),
    Decision(
        "PTX446", "extern-ignored", Severity.WARNING, "Unresolved extern variable",
        "no other file is there that could define the variable, so this one does",
        "define it in the file, or assemble with -c and link",
    ),
    Decision(
        "PTX447", "address-width", Severity.ERROR,
        "Program uses 32-bit address|32-Bit compilation is no longer supported",
        "an address register is narrower than .address_size", "use 64-bit address registers",
    ),
    Decision(
        "PTX448", "out-of-bounds", Severity.WARNING, "Potential out of bound access",
        "an access of constant address lies beyond its symbol",
        "correct the offset or the size of the symbol", provoked=False,
    ),
    Decision(
        "PTX449", "uninitialised-register", Severity.WARNING, "potentially uninitialized register",
        "a register is read on a path that never writes it",
        "initialise it before the branch", provoked=False,
    ),
)  # fmt: skip

FORMS = (
    Decision(
        "PTX450", "double-demoted", Severity.WARNING, "Demoting to float",
        "the target has no double precision: the values lose 29 bits of mantissa",
        "raise .target, or write the code in f32", provoked=False,
    ),
    Decision(
        "PTX451", "double-precision-used", Severity.NOTE, "doing double precision computations",
        "double precision runs at a small fraction of the f32 rate on most boards",
        "use f32 where its precision is enough",
    ),
    Decision(
        "PTX452", "slow-on-later-targets", Severity.WARNING,
        "Advisory: .*substantially reduced performance",
        "the form still works but later targets run it slowly",
        "use the modifier or the target that the message names",
    ),
    Decision(
        "PTX453", "without-sync", Severity.WARNING, r"without '\.sync'",
        "from sm_70 on the threads of a warp need not run together, and this form does not say "
        "which of them take part",
        "use the .sync form with a member mask",
    ),
    Decision(
        "PTX454", "deprecated", Severity.WARNING,
        "[Dd]eprecated|will be discontinued|may produce unexpected results",
        "a later PTX version drops the form", "use the form that replaces it",
    ),
    Decision(
        "PTX455", "pragma-unsupported", Severity.WARNING,
        r"Pragma '[^']*' (?:unsupported|not supported)|Pragma '",
        "ptxas does not know the pragma and goes on without it",
        "check its spelling, and the PTX version that it needs",
    ),
    Decision(
        "PTX456", "abi-disabled", Severity.WARNING, "multiple return values found, disabling ABI",
        "several return registers do not fit the calling convention: the function is always "
        "inlined and cannot be linked",
        "return one value, a vector or a structure in .param space",
    ),
    Decision(
        "PTX457", "loc-without-file", Severity.WARNING, ".loc directive without .file",
        "the line table has no name for the file number", "add the .file directive",
    ),
    Decision(
        "PTX458", "debug-sections-missing", Severity.NOTE, r"\.debug_\w+ section not found",
        "-g was asked for, but the file carries no DWARF sections",
        "compile the source with -G, or assemble with -lineinfo",
    ),
)  # fmt: skip

DECISIONS: tuple[Decision, ...] = (*REGISTERS, *WGMMA, *MEMORY, *FORMS)

UNKNOWN = Decision(
    "PTX499", "other-message", Severity.WARNING, "",
    "", "", provoked=False,
)  # fmt: skip
