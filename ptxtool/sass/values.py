"""Whether two functions of the same shape compute the same values: a relational value numbering.

Both functions are walked together, block by block. Every value gets a number from the instruction
that makes it and the numbers that go in; registers of either side that hold the same number hold
the same value. Where control joins, two registers stay equal only if they are equal on every way
in. So names do not matter, and each live range may be renamed on its own.

A kernel finds nothing in its registers when it starts: what is read before it is written is one
undefined value. A device function finds its arguments there, under their own names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from ptxtool.sass.effects import QUOTED, REGISTER, effect, is_plain_load, is_pure
from ptxtool.sass.model import Block, Function, Instruction
from ptxtool.sass.normalise import CONTROL_BITS, fixed_bits, normalise

FILES = {"R": 255, "P": 7, "UR": 255, "UP": 7, "B": 16}
_ALL = tuple((file, number) for file, count in FILES.items() for number in range(count))
_INDEX = {unit: position for position, unit in enumerate(_ALL)}

State = list[int]


@dataclass(slots=True)
class Numbering:
    """Hash-consed values."""

    numbers: dict[Hashable, int] = field(default_factory=dict)
    nodes: list[Hashable] = field(default_factory=list)

    def number(self, node: Hashable) -> int:
        """The number of a value; the same node has the same number."""
        found = self.numbers.get(node)
        if found is None:
            found = self.numbers[node] = len(self.nodes)
            self.nodes.append(node)
        return found


@dataclass(frozen=True, slots=True)
class Side:
    """A function and the text of each instruction as it is compared."""

    function: Function
    texts: list[str]
    templates: list[tuple[str, int]]

    @classmethod
    def of(cls, function: Function) -> Side:
        """Prepare one side."""
        texts = [normal.text for normal in normalise(function)]
        code = zip(function.instructions, texts, strict=True)
        return cls(function, texts, [(template(t), fixed_bits(i, t)) for i, t in code])


@dataclass(slots=True)
class Walk:
    """What one side does in a block: values in order, and what others can see of it."""

    values: list[Hashable]
    visible: list[Hashable]
    loads: Counter[Hashable]
    state: State


def template(text: str) -> str:
    """Text with the numbers of registers left out; symbols and all else are exact."""
    pieces = QUOTED.findall(text)
    bare = QUOTED.sub("`", text)
    return "|".join([REGISTER.sub(_nameless, bare), *pieces])


def _nameless(match: re.Match[str]) -> str:
    """The stack pointer is a convention with debuggers and callees: it keeps its name."""
    return match[0] if (match[1], match[2]) == ("R", "1") else match[1] + match[3]


def same_shape(before: Function, after: Function) -> bool:
    """Whether both have the same blocks with the same ways between them."""
    return before.is_entry == after.is_entry and [b.successors for b in before.blocks] == [
        b.successors for b in after.blocks
    ]


def blocks_agree(before: Function, after: Function) -> list[bool] | None:
    """For each block whether both sides do the same in it, from start to end.

    None when that cannot be told: the shapes differ, or control moves in a way not modelled.
    """
    if not same_shape(before, after) or not (_modelled(before) and _modelled(after)):
        return None
    if not before.blocks:
        return None  # agreement of no blocks would say nothing of the code
    left, right = Side.of(before), Side.of(after)
    entries = _solve(left, right)
    agreed = []
    for one, two in zip(before.blocks, after.blocks, strict=True):
        state = entries.get(one.index)
        agreed.append(
            _agree(left, one, right, two, state)
            if state is not None
            else _same_text(left, one, right, two)
        )
    return agreed


_UNMODELLED = {"CALL", "RET", "BRX", "JMX", "BRXU", "JMXU", "JMP", "ENDCOLLECTIVE", "BREAK"}


def _modelled(function: Function) -> bool:
    """Calls, returns and computed jumps have ways that the blocks do not show.

    A BSYNC goes on at the place that its BSSY named; the blocks show that only when it is the next
    instruction.
    """
    code = function.instructions
    meeting = {
        function.labels[name]
        for i in code
        if i.base == "BSSY"
        for name in function.labels
        if f"`({name})" in i.operands
    }
    for i in code:
        if i.base in _UNMODELLED or (i.base == "WARPSYNC" and "`" in i.text):
            return False
        if i.base == "BSYNC" and not {i.offset, i.offset + 16} & meeting:
            return False
    return True


def _same_text(left: Side, one: Block, right: Side, two: Block) -> bool:
    """Code that nothing reaches must be the same as it stands."""
    return left.texts[one.start : one.stop] == right.texts[two.start : two.stop]


def _agree(before: Side, one: Block, after: Side, two: Block, entry: tuple[State, State]) -> bool:
    numbering = Numbering()
    left = _walk(before, one, list(entry[0]), numbering)
    right = _walk(after, two, list(entry[1]), numbering)
    return (
        left.visible == right.visible
        and left.loads == right.loads
        and Counter(left.values) == Counter(right.values)
    )


def _solve(before: Side, after: Side) -> dict[int, tuple[State, State]]:
    """Equal registers at the start of each block that can be reached: a greatest fixed point."""
    blocks, others = before.function.blocks, after.function.blocks
    is_entry = before.function.is_entry
    entries = {0: _initial(is_entry)} if blocks else {}
    exits: dict[int, tuple[State, State]] = {}
    work = list(entries)
    while work:
        index = min(work)
        work.remove(index)
        numbering = Numbering()
        left = _walk(before, blocks[index], entries[index][0], numbering).state
        right = _walk(after, others[index], entries[index][1], numbering).state
        exits[index] = _canonical(left, right)
        for onward in blocks[index].successors:
            ways = [exits[p] for p in blocks[onward].predecessors if p in exits]
            met = _meet([*ways, _initial(is_entry)] if onward == 0 else ways)
            if entries.get(onward) != met:
                entries[onward] = met
                if onward not in work:
                    work.append(onward)
    return entries


def _initial(is_entry: bool) -> tuple[State, State]:
    if is_entry:
        return [0] * len(_ALL), [0] * len(_ALL)
    return list(range(len(_ALL))), list(range(len(_ALL)))


def _meet(ways: list[tuple[State, State]]) -> tuple[State, State]:
    """Registers that are equal on every way in."""
    if len(ways) == 1:
        return ways[0]
    return _canonical(
        zip(*(way[0] for way in ways), strict=True), zip(*(way[1] for way in ways), strict=True)
    )


def _canonical(left: Iterable[Hashable], right: Iterable[Hashable]) -> tuple[State, State]:
    """The same partition with classes numbered by first appearance."""
    classes: dict[Hashable, int] = {}
    return (
        [classes.setdefault(key, len(classes)) for key in left],
        [classes.setdefault(key, len(classes)) for key in right],
    )


def _walk(side: Side, block: Block, entry: State, numbering: Numbering) -> Walk:
    """Number the values of one block."""
    walk = Walk([], [], Counter(), [numbering.number(("in", value)) for value in entry])
    for index in range(block.start, block.stop):
        _step(side, index, walk, numbering)
    return walk


def _step(side: Side, index: int, walk: Walk, numbering: Numbering) -> None:
    instruction = side.function.instructions[index]
    known = effect(instruction)
    if known is None:
        _unknown(side, index, walk, numbering)
        return
    guard = _guard(instruction, walk.state)
    reads = tuple(_seen(walk.state[_INDEX[unit]], guard, numbering) for unit in known.reads)
    node: tuple[Hashable, ...] = (side.templates[index], reads, guard)
    if is_plain_load(instruction):
        node = (*node, "memory", len(walk.visible))
        walk.loads[node] += 1
    elif not is_pure(instruction):
        node = (*node, "visible", len(walk.visible))
        walk.visible.append(node)
    walk.values.append(node)
    value = numbering.number(node)
    for position, unit in enumerate(known.writes):
        made = numbering.number(("part", value, position))
        at = _INDEX[unit]
        walk.state[at] = _chosen(guard, made, walk.state[at], numbering)


def _unknown(side: Side, index: int, walk: Walk, numbering: Numbering) -> None:
    """It may read and write every register: its names and everything in them must agree."""
    encoding = side.function.instructions[index].encoding & ~CONTROL_BITS
    text = side.texts[index]
    node = (text, 0 if "block" in text else encoding, tuple(walk.state), len(walk.visible))
    walk.visible.append(node)
    walk.values.append(node)
    value = numbering.number(node)
    walk.state[:] = [numbering.number(("after", value, at)) for at in range(len(walk.state))]


def _guard(instruction: Instruction, state: State) -> tuple[int, bool] | None:
    """The value of the guard and whether it is negated; None for PT."""
    name = (instruction.predicate or "PT").lstrip("!")
    if name in ("PT", "UPT"):
        return None
    unit = ("UP", int(name[2:])) if name.startswith("UP") else ("P", int(name[1:]))
    return state[_INDEX[unit]], (instruction.predicate or "").startswith("!")


def _seen(value: int, guard: tuple[int, bool] | None, numbering: Numbering) -> int:
    """What a reader under `guard` finds in a register that was written under a guard."""
    node = numbering.nodes[value]
    while guard is not None and isinstance(node, tuple) and node[0] == "choice":
        if node[1][0] != guard[0]:
            break
        value = node[2] if node[1] == guard else node[3]
        node = numbering.nodes[value]
    return value


def _chosen(guard: tuple[int, bool] | None, made: int, old: int, numbering: Numbering) -> int:
    return made if guard is None else numbering.number(("choice", guard, made, old))
