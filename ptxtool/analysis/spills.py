"""Local memory traffic of one function, told apart: spills, saved registers, arrays, arguments.

ptxas -v counts spills and the callee-saved registers of a device function in one figure; local
arrays and call arguments share the frame but not the figure. nvdisasm marks the accesses that the
register allocator made; a store at [R1+n] of a register that the function has not written yet
saves it for the caller. On every function of the corpus the two add up to ptxas's figure.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

_MARK = "SpillRefill"  # nvdisasm's note on what the register allocator added
_SLOW_PATH = re.compile(r"__internal_\d+_|\$__cuda_")
_ACCESS = re.compile(
    r"\b(?P<op>STL|LDL)(?P<modifiers>(?:\.\w+)*)\s+"
    r"(?:(?P<loaded>R\d+|RZ)\s*,\s*)?\[(?P<base>U?R\d+|RZ)?(?P<rest>[^\]]*)\]"
    r"(?:\s*,\s*(?P<stored>R\d+|RZ))?"
)
_RESULT = re.compile(r"^(?:@!?U?P\w+\s+)?(?P<op>[A-Z]\S*)\s+R(?P<first>\d+)\b")
_MEMORY = {"STL": ("st", "atom", "red"), "LDL": ("ld", "ldu")}  # PTX that these come from
_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16, "256": 32}


class LocalUse(StrEnum):
    """Why a function touches local memory."""

    SPILL = "spill"
    SAVED = "saved register"  # for the caller, by the calling convention
    ARRAY = "local array"  # written or read by the PTX itself
    ARGUMENT = "call argument"
    SLOW_PATH = "slow path"  # of a division, square root or the like
    OTHER = "other"


class SassInstruction(Protocol):
    """What this analysis reads of a disassembled instruction."""

    @property
    def text(self) -> str: ...
    @property
    def ptx_line(self) -> int | None: ...


class SassAt(SassInstruction, Protocol):
    """An instruction that knows its place, in bytes from the start of its section."""

    @property
    def offset(self) -> int: ...


class Resources(Protocol):
    """What ptxas -v says of a function; None is unknown."""

    @property
    def kind(self) -> str: ...
    @property
    def spill_store_bytes(self) -> int | None: ...
    @property
    def spill_load_bytes(self) -> int | None: ...
    @property
    def stack_bytes(self) -> int | None: ...


@dataclass(frozen=True)
class LocalAccess:
    """One STL or LDL: `index` in the function, `size` in bytes per thread."""

    index: int
    line: int | None  # 1-based PTX line
    is_store: bool
    size: int
    use: LocalUse
    slot: str  # as addressed, such as "R1+0x8"


@dataclass(frozen=True)
class Traffic:
    """Static bytes per thread: each instruction counts once, loops are not weighted."""

    store_bytes: int = 0
    load_bytes: int = 0

    def __add__(self, other: Traffic) -> Traffic:
        return Traffic(self.store_bytes + other.store_bytes, self.load_bytes + other.load_bytes)


@dataclass(frozen=True)
class LocalMemory:
    """The local memory of one function."""

    function: str
    accesses: tuple[LocalAccess, ...]
    stack_bytes: int | None
    stated: Traffic | None  # spills as ptxas -v counts them
    guessed: bool  # nothing was marked, and SPILL is a guess from PTX lines

    def total(self, *uses: LocalUse) -> Traffic:
        """Traffic of some uses; of all when none is named."""
        chosen = (_traffic(each) for each in self.accesses if not uses or each.use in uses)
        return sum(chosen, Traffic())

    @property
    def spills(self) -> Traffic:
        """What ptxas calls spills: the allocator's own and the saved registers."""
        return self.total(LocalUse.SPILL, LocalUse.SAVED)

    @property
    def agrees(self) -> bool | None:
        """Whether the instructions add up to ptxas -v; None when that is unknown."""
        return None if self.stated is None else self.spills == self.stated

    def by_line(self, *uses: LocalUse) -> dict[int | None, Traffic]:
        """Traffic per PTX line, heaviest first; None is code without a line."""
        lines: dict[int | None, Traffic] = defaultdict(Traffic)
        for each in self.accesses:
            if not uses or each.use in uses:
                lines[each.line] += _traffic(each)
        return dict(sorted(lines.items(), key=lambda item: -_bytes(item[1])))


def local_memory(
    name: str,
    instructions: Iterable[SassInstruction],
    resources: Resources | None = None,
    *,
    opcode_at: Callable[[int], str | None] | None = None,
) -> LocalMemory:
    """Sort the local accesses of one function.

    `name` is the function's SASS symbol, `opcode_at` gives the dotted PTX opcode of a line
    ("st.local.u32"): it tells arguments from arrays, and spills where nothing is marked.
    """
    listed = list(instructions)
    marked = any(_MARK in each.text for each in listed)
    entry = resources is not None and resources.kind == "entry"
    slow = bool(_SLOW_PATH.search(name))

    def sort(guess: bool) -> LocalMemory:
        accesses = tuple(_Sorter(slow, entry, guess, opcode_at).accesses(listed))
        stack = None if resources is None else resources.stack_bytes
        return LocalMemory(name, accesses, stack, _stated(resources), guess)

    strict = sort(guess=False)
    # An older nvdisasm marks nothing: then PTX lines are the only hint there is.
    return sort(guess=True) if strict.agrees is False and not marked else strict


def local_memories(
    section: str,
    instructions: Sequence[SassAt],
    labels: Mapping[str, int],
    resources: Mapping[str, Resources],
    *,
    opcode_at: Callable[[int], str | None] | None = None,
) -> tuple[LocalMemory, ...]:
    """Sort the local accesses of a code section: a kernel and the functions that it calls.

    Called functions lie in the kernel's section behind labels such as "$kernel$function"; labels
    map to offsets, `resources` to ptxas -v by function name.
    """
    starts = {offset: label for label, offset in labels.items() if label.startswith("$")}
    parts: dict[str, list[SassAt]] = {section: []}
    current = section
    for each in instructions:
        current = starts.get(each.offset, current)
        parts.setdefault(current, []).append(each)
    prefix = f"${section}$"
    return tuple(
        local_memory(name, part, resources.get(name.removeprefix(prefix)), opcode_at=opcode_at)
        for name, part in parts.items()
    )


def _stated(resources: Resources | None) -> Traffic | None:
    if resources is None or resources.spill_store_bytes is None:
        return None
    return Traffic(resources.spill_store_bytes, resources.spill_load_bytes or 0)


def _traffic(access: LocalAccess) -> Traffic:
    return Traffic(access.size, 0) if access.is_store else Traffic(0, access.size)


def _bytes(traffic: Traffic) -> int:
    return traffic.store_bytes + traffic.load_bytes


class _Sorter:
    """One pass over a function, in program order."""

    def __init__(
        self,
        slow_path: bool,
        entry: bool,
        guess: bool,
        opcode_at: Callable[[int], str | None] | None,
    ) -> None:
        self.slow_path = slow_path
        self.entry = entry  # a kernel has no caller to save registers for
        self.guess = guess
        self.opcode_at = opcode_at
        self.written: dict[int, str] = {}
        self.saved: set[str] = set()

    def accesses(self, instructions: Iterable[SassInstruction]) -> Iterable[LocalAccess]:
        for index, each in enumerate(instructions):
            match = _ACCESS.search(each.text)
            if match is not None:
                yield self._access(index, each, match)
            self._note_result(each.text)

    def _access(
        self, index: int, instruction: SassInstruction, match: re.Match[str]
    ) -> LocalAccess:
        parts = match["modifiers"].split(".")
        size = next((_BYTES[part] for part in parts if part in _BYTES), 4)
        slot = f"{match['base'] or ''}{match['rest']}"
        use = self._use(instruction, match, slot)
        return LocalAccess(index, instruction.ptx_line, match["op"] == "STL", size, use, slot)

    def _use(self, instruction: SassInstruction, match: re.Match[str], slot: str) -> LocalUse:
        if self.slow_path:
            return LocalUse.SLOW_PATH
        if _MARK in instruction.text:
            return LocalUse.SPILL
        if not self.entry and match["base"] == "R1" and self._saves(match, slot):
            return LocalUse.SAVED
        line = instruction.ptx_line
        opcode = (self.opcode_at(line) if self.opcode_at and line else None) or ""
        if opcode.startswith(("call", "st.param", "ld.param")):
            return LocalUse.ARGUMENT
        kind = opcode.split(".")[0]
        if not kind or match["base"] != "R1" or kind in _MEMORY[match["op"]]:
            return LocalUse.ARRAY
        return LocalUse.SPILL if self.guess else LocalUse.OTHER

    def _saves(self, match: re.Match[str], slot: str) -> bool:
        """Whether a store keeps the caller's register or barrier, or a load brings it back."""
        if match["op"] == "LDL":
            return slot in self.saved
        stored = match["stored"] or "RZ"
        if stored == "RZ":
            return False
        source = self.written.get(int(stored[1:]))
        # A convergence barrier goes through a register: BMOV R2, B6; STL [R1], R2.
        if source is None or source.startswith("BMOV"):
            self.saved.add(slot)
            return True
        return False

    def _note_result(self, text: str) -> None:
        match = _RESULT.search(text.strip())
        if match is None or match["op"].startswith("ST"):
            return
        first = int(match["first"])
        for register in range(first, first + _width(match["op"])):
            self.written[register] = match["op"]


def _width(opcode: str) -> int:
    """Registers that an instruction's first operand spans, as far as its name says."""
    parts = opcode.split(".")
    if "128" in parts:
        return 4
    return 2 if "64" in parts or "WIDE" in parts or parts[0] == "CS2R" else 1
