"""Basic blocks and the edges between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ptxtool.ir.function import Block, Instruction
from ptxtool.ir.loops import dominators, find_loops, predecessors
from ptxtool.syntax import nodes

_ENDS = frozenset({"bra", "brx", "ret", "exit", "trap"})
_LEAVES = frozenset({"ret", "exit", "trap"})


def make_blocks(
    instructions: Sequence[Instruction],
    labels: Mapping[str, int],
    tables: Mapping[str, Sequence[str]],
    noreturn: frozenset[str],
) -> list[Block]:
    """Blocks with edges and loop depths; a label only splits where some branch goes to it."""
    flow = _Flow(instructions, labels, tables, noreturn)
    blocks = flow.blocks()
    successors = [flow.successors(block, blocks) for block in blocks]
    before = predecessors(successors)
    for block, targets, sources in zip(blocks, successors, before, strict=True):
        block.successors, block.predecessors = targets, tuple(sources)
    for loop in find_loops(successors, dominators(successors)):
        for index in loop.blocks:
            blocks[index].loop_depth += 1
    return blocks


class _Flow:
    def __init__(
        self,
        instructions: Sequence[Instruction],
        labels: Mapping[str, int],
        tables: Mapping[str, Sequence[str]],
        noreturn: frozenset[str],
    ) -> None:
        self.instructions = instructions
        self.labels = labels
        self.tables = tables
        self.noreturn = noreturn
        self.block_at: dict[int, int] = {}

    def blocks(self) -> list[Block]:
        """Cut at targets and after whatever ends a block."""
        count = len(self.instructions)
        if not count:
            return []
        cuts = {0}
        for instruction in self.instructions:
            if self._ends(instruction):
                cuts.add(instruction.index + 1)
                cuts.update(self._targets(instruction))
        starts = sorted(cut for cut in cuts if cut < count)
        stops = [*starts[1:], count]
        self.block_at = {start: index for index, start in enumerate(starts)}
        blocks = [Block(i, a, b) for i, (a, b) in enumerate(zip(starts, stops, strict=True))]
        for block in blocks:
            for instruction in self.instructions[block.start : block.stop]:
                instruction.block = block.index
        return blocks

    def successors(self, block: Block, blocks: Sequence[Block]) -> tuple[int, ...]:
        """Targets of the last instruction, and the next block when it may fall through."""
        last = self.instructions[block.stop - 1]
        found = [self.block_at[t] for t in self._targets(last) if t in self.block_at]
        leaves = self._ends(last) and last.node.guard is None
        if not leaves and block.index + 1 < len(blocks):
            found.append(block.index + 1)
        return tuple(dict.fromkeys(found))

    def _ends(self, instruction: Instruction) -> bool:
        opcode = instruction.node.opcode
        return opcode in _ENDS or (opcode == "call" and self._never_returns(instruction.node))

    def _never_returns(self, node: nodes.Instruction) -> bool:
        return any(isinstance(o, nodes.Symbol) and o.name in self.noreturn for o in node.operands)

    def _targets(self, instruction: Instruction) -> list[int]:
        node = instruction.node
        if node.opcode in _LEAVES or node.opcode not in _ENDS or not node.operands:
            return []
        named = node.operands[-1]
        if not isinstance(named, nodes.Symbol | nodes.Register):
            return []
        names = self.tables.get(named.name, ()) if node.opcode == "brx" else (named.name,)
        return [self.labels[name] for name in names if name in self.labels]
