"""Liveness and reaching definitions over blocks, with sets as bits of Python integers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, overload

from ptxtool.ir.register import Register

if TYPE_CHECKING:
    from ptxtool.ir.function import Block, Instruction


def bits_of(mask: int) -> Iterator[int]:
    """Positions of the ones, from the lowest."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class Liveness(Sequence[frozenset[Register]]):
    """The registers live after each instruction; special registers are never live."""

    def __init__(
        self,
        instructions: Sequence[Instruction],
        blocks: Sequence[Block],
        registers: Sequence[Register],
    ) -> None:
        self._blocks = blocks
        self._registers = registers
        self._reads = [_mask(i.reads) for i in instructions]
        self._kills = [_mask(i.writes) if i.kills else 0 for i in instructions]
        self._ends = self._solve()

    def _solve(self) -> list[int]:
        """Live masks at block ends."""
        ends, starts = [0] * len(self._blocks), [0] * len(self._blocks)
        transfer = [self._transfer(block) for block in self._blocks]
        waiting = list(range(len(self._blocks)))
        queued = set(waiting)
        while waiting:
            index = waiting.pop()
            queued.discard(index)
            block, (gen, kill) = self._blocks[index], transfer[index]
            end = 0
            for target in block.successors:
                end |= starts[target]
            ends[index] = end
            start = gen | (end & ~kill)
            if start != starts[index]:
                starts[index] = start
                fresh = [item for item in block.predecessors if item not in queued]
                waiting.extend(fresh)
                queued.update(fresh)
        return ends

    def _transfer(self, block: Block) -> tuple[int, int]:
        gen = kill = 0
        for index in range(block.stop - 1, block.start - 1, -1):
            gen = (gen & ~self._kills[index]) | self._reads[index]
            kill |= self._kills[index]
        return gen, kill

    @cached_property
    def masks(self) -> list[int]:
        """Per instruction, the registers live after it as bits by register number."""
        found = [0] * len(self._reads)
        for block, live in zip(self._blocks, self._ends, strict=True):
            for index in range(block.stop - 1, block.start - 1, -1):
                found[index] = live
                live = (live & ~self._kills[index]) | self._reads[index]
        return found

    def __len__(self) -> int:
        return len(self._reads)

    @overload
    def __getitem__(self, index: int) -> frozenset[Register]: ...
    @overload
    def __getitem__(self, index: slice) -> list[frozenset[Register]]: ...
    def __getitem__(self, index: int | slice) -> frozenset[Register] | list[frozenset[Register]]:
        if isinstance(index, slice):
            return [self._set(mask) for mask in self.masks[index]]
        return self._set(self.masks[index])

    def _set(self, mask: int) -> frozenset[Register]:
        return frozenset(self._registers[number] for number in bits_of(mask))


def _mask(registers: Sequence[Register]) -> int:
    mask = 0
    for register in registers:
        if register.number >= 0:
            mask |= 1 << register.number
    return mask


class Reaching:
    """Which definitions arrive where. A definition is one instruction writing one register.

    Bit n < registers stands for the value of register n at the entry; the rest are writes.
    """

    def __init__(
        self, instructions: Sequence[Instruction], blocks: Sequence[Block], registers: int
    ) -> None:
        self._instructions = instructions
        self._blocks = blocks
        self._of: list[int] = [1 << number for number in range(registers)]
        self._site: list[int] = [-1] * registers
        self._bits: list[tuple[tuple[int, int], ...]] = [self._number(i) for i in instructions]
        self._starts = self._solve(registers)

    def _number(self, instruction: Instruction) -> tuple[tuple[int, int], ...]:
        """(register number, definition bit) of each write."""
        found = []
        for register in instruction.writes:
            bit = len(self._site)
            self._site.append(instruction.index)
            self._of[register.number] |= 1 << bit
            found.append((register.number, bit))
        return tuple(found)

    def _solve(self, registers: int) -> list[int]:
        """Definitions arriving at block starts."""
        starts, ends = [0] * len(self._blocks), [-1] * len(self._blocks)
        transfer = [self._transfer(block) for block in self._blocks]
        entry = (1 << registers) - 1
        waiting = list(range(len(self._blocks) - 1, -1, -1))
        queued = set(waiting)
        while waiting:
            index = waiting.pop()
            queued.discard(index)
            start = entry if index == 0 else 0
            for source in self._blocks[index].predecessors:
                start |= max(ends[source], 0)
            gen, kill = transfer[index]
            end = gen | (start & ~kill)
            starts[index] = start
            if end != ends[index]:
                ends[index] = end
                fresh = [item for item in self._blocks[index].successors if item not in queued]
                waiting.extend(fresh)
                queued.update(fresh)
        return starts

    def _transfer(self, block: Block) -> tuple[int, int]:
        gen = kill = 0
        for index in range(block.start, block.stop):
            for register, bit in self._bits[index]:
                if self._instructions[index].kills:
                    kill |= self._of[register]
                    gen &= ~self._of[register]
                gen |= 1 << bit
        return gen, kill

    def before(self, index: int, register: Register) -> frozenset[int]:
        """Definition sites of a register that arrive before an instruction; -1 is the entry."""
        if register.number < 0:
            return frozenset({-1})
        known = self._table.get((index, register.number))
        return self._walk(index, register.number) if known is None else known

    def _walk(self, index: int, register: int) -> frozenset[int]:
        block = self._blocks[self._instructions[index].block]
        found = set()
        for earlier in range(index - 1, block.start - 1, -1):
            if any(number == register for number, _ in self._bits[earlier]):
                found.add(earlier)
                if self._instructions[earlier].kills:
                    return frozenset(found)
        arriving = self._starts[block.index] & self._of[register]
        return frozenset(found | {self._site[bit] for bit in bits_of(arriving)})

    @cached_property
    def _table(self) -> dict[tuple[int, int], frozenset[int]]:
        """(instruction, register it reads) -> definition sites."""
        table: dict[tuple[int, int], frozenset[int]] = {}
        for block in self._blocks:
            self._fill(block, table)
        return table

    def _fill(self, block: Block, table: dict[tuple[int, int], frozenset[int]]) -> None:
        current: dict[int, frozenset[int]] = {}
        for index in range(block.start, block.stop):
            instruction = self._instructions[index]
            for register in instruction.reads:
                number = register.number
                if number >= 0:
                    table[index, number] = self._now(current, number, block)
            for number, _ in self._bits[index]:
                old = frozenset() if instruction.kills else self._now(current, number, block)
                current[number] = old | {index}

    def _now(self, current: dict[int, frozenset[int]], number: int, block: Block) -> frozenset[int]:
        found = current.get(number)
        if found is None:
            arriving = self._starts[block.index] & self._of[number]
            found = current[number] = frozenset(self._site[bit] for bit in bits_of(arriving))
        return found

    @cached_property
    def _users(self) -> dict[int, frozenset[int]]:
        users: dict[int, set[int]] = {}
        for (index, _), sites in self._table.items():
            for site in sites:
                users.setdefault(site, set()).add(index)
        return {site: frozenset(found) for site, found in users.items()}

    def uses(self, definition: int) -> frozenset[int]:
        """Instructions that may read what this one wrote."""
        return self._users.get(definition, frozenset())
