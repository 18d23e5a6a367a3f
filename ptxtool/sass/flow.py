"""Basic blocks, loops and static cycles of a function."""

from __future__ import annotations

import re

from ptxtool.sass.model import Block, Function, Instruction

_LABEL = re.compile(r"\.L[\w.$]*|\$[\w.$]+")

# Control does not come back behind these unless they are predicated.
ENDS = {"EXIT", "RET", "KILL", "RTT"}
JUMPS = {"BRA", "JMP", "BRX", "JMX", "BRXU", "JMXU"}
# Branches that depend on more than their predicate.
_CONDITIONAL_MODIFIERS = (".DIV", ".CONV", ".U.ANY", ".U.ALL")


def build_flow(function: Function) -> None:
    """Fill `function.blocks`."""
    code = function.instructions
    at = {instruction.offset: index for index, instruction in enumerate(code)}
    labels = {label: at[offset] for label, offset in function.labels.items() if offset in at}
    leaders = _leaders(code, labels)
    starts = sorted(leaders)
    function.blocks = [
        Block(index, start, stop, cycles=sum(i.control.stall for i in code[start:stop]))
        for index, (start, stop) in enumerate(zip(starts, [*starts[1:], len(code)], strict=True))
    ]
    block_of = {block.start: block.index for block in function.blocks}
    _connect(function, labels, block_of)
    _mark_loops(function.blocks)
    _deepen_callees(function, labels, block_of)


def targets(instruction: Instruction, labels: dict[str, int]) -> list[int]:
    """Instruction indices that a jump may go to; every label for an indirect one."""
    if instruction.base not in JUMPS:
        return []
    known = [labels[name] for name in _LABEL.findall(instruction.text) if name in labels]
    if known or instruction.base not in ("BRX", "JMX", "BRXU", "JMXU"):
        return known
    return sorted(set(labels.values()))


def falls_through(instruction: Instruction) -> bool:
    """Whether the next instruction may follow."""
    if instruction.base not in ENDS | JUMPS:
        return True
    return instruction.predicate is not None or _has_condition(instruction)


def _has_condition(instruction: Instruction) -> bool:
    """`BRA UP0, target` and `BRA.DIV UR4, target` may not be taken."""
    if any(mark in instruction.opcode for mark in _CONDITIONAL_MODIFIERS):
        return True
    first = instruction.operands[0] if instruction.operands else ""
    return instruction.base in JUMPS and first.lstrip("!").startswith(("UP", "P"))


def _leaders(code: list[Instruction], labels: dict[str, int]) -> set[int]:
    leaders = {0} if code else set()
    leaders.update(labels.values())
    for index, instruction in enumerate(code):
        if instruction.base in JUMPS | ENDS and index + 1 < len(code):
            leaders.add(index + 1)
    return leaders


def _connect(function: Function, labels: dict[str, int], block_of: dict[int, int]) -> None:
    code, blocks = function.instructions, function.blocks
    for block in blocks:
        last = code[block.stop - 1]
        onward = {block_of[index] for index in targets(last, labels)}
        if falls_through(last) and block.index + 1 < len(blocks):
            onward.add(block.index + 1)
        block.successors = tuple(sorted(onward))
    before: list[list[int]] = [[] for _ in blocks]
    for block in blocks:
        for successor in block.successors:
            before[successor].append(block.index)
    for block in blocks:
        block.predecessors = tuple(before[block.index])


def _mark_loops(blocks: list[Block]) -> None:
    """Loop depth: the number of distinct natural loops (by header) around a block."""
    dominators = _dominators(blocks)
    members: dict[int, set[int]] = {}
    for block in blocks:
        for header in block.successors:
            if dominators[block.index] >> header & 1:
                members.setdefault(header, {header}).update(_loop_body(blocks, header, block.index))
    for body in members.values():
        for index in body:
            blocks[index].loop_depth += 1


# Calls within calls are followed this far; deeper ones are recursion.
_CALL_ROUNDS = 4


def _deepen_callees(function: Function, labels: dict[str, int], block_of: dict[int, int]) -> None:
    """A subroutine of the section runs as often as its callers: it lies in their loops, too."""
    calls = [
        (block, block_of[labels[name]])
        for block in function.blocks
        for instruction in function.instructions[block.start : block.stop]
        if instruction.base == "CALL"
        for name in _LABEL.findall(instruction.text)
        if name in labels
    ]
    bodies = {target: _reachable(function.blocks, {target}) for _, target in calls}
    own = [block.loop_depth for block in function.blocks]
    for _ in range(_CALL_ROUNDS):
        around = [0] * len(own)
        for caller, target in calls:
            for index in bodies[target]:
                around[index] = max(around[index], caller.loop_depth)
        depths = [a + b for a, b in zip(own, around, strict=True)]
        if depths == [block.loop_depth for block in function.blocks]:
            return
        for block, depth in zip(function.blocks, depths, strict=True):
            block.loop_depth = depth


def _loop_body(blocks: list[Block], header: int, tail: int) -> set[int]:
    body, work = {header}, [tail]
    while work:
        index = work.pop()
        if index not in body:
            body.add(index)
            work.extend(blocks[index].predecessors)
    return body


def _dominators(blocks: list[Block]) -> list[int]:
    """Dominators of each block as bit sets; a block that nothing reaches has none.

    Functions called from the section begin at blocks without predecessors: each is a root.
    """
    everything = (1 << len(blocks)) - 1
    roots = {b.index for b in blocks if not b.predecessors} | ({0} if blocks else set())
    reached = _reachable(blocks, roots)
    found = [everything if index in reached else 0 for index in range(len(blocks))]
    for root in roots:
        found[root] = 1 << root
    changed = True
    while changed:
        changed = False
        for block in blocks:
            if block.index in roots or block.index not in reached:
                continue
            common = everything
            for predecessor in block.predecessors:
                if predecessor in reached:
                    common &= found[predecessor]
            updated = common | 1 << block.index
            if updated != found[block.index]:
                found[block.index] = updated
                changed = True
    return found


def _reachable(blocks: list[Block], roots: set[int]) -> set[int]:
    seen, work = set(roots), list(roots)
    while work:
        for onward in blocks[work.pop()].successors:
            if onward not in seen:
                seen.add(onward)
                work.append(onward)
    return seen
