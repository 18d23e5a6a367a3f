"""The decoded machine code of a kernel."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ptxtool.sass.control import ControlWord

# The weight of a block inside d loops is this to the power of d: it ranks, and is no trip count.
LOOP_WEIGHT = 10
# Deeper loops weigh no more, so that one deep block does not hide all others.
MAX_WEIGHTED_DEPTH = 4


@dataclass(frozen=True, slots=True)
class LiveCounts:
    """Live registers at an instruction, as nvdisasm counts them."""

    gpr: int = 0
    predicate: int = 0
    uniform: int = 0
    uniform_predicate: int = 0


@dataclass(frozen=True, slots=True)
class Instruction:
    """One SASS instruction; `offset` in bytes from the start of its section."""

    offset: int
    text: str
    predicate: str | None
    opcode: str
    operands: tuple[str, ...]
    encoding: int
    control: ControlWord
    ptx_line: int | None = None
    live: LiveCounts | None = None

    @property
    def base(self) -> str:
        """The opcode without its modifiers."""
        return self.opcode.partition(".")[0]


@dataclass
class Block:
    """A basic block over instructions[start:stop]. `cycles`: sum of stall counts of one pass."""

    index: int
    start: int
    stop: int
    successors: tuple[int, ...] = ()
    predecessors: tuple[int, ...] = ()
    loop_depth: int = 0
    cycles: int = 0


@dataclass
class Function:
    """The code of one kernel or device function, without the padding at its end."""

    name: str
    instructions: list[Instruction]
    labels: dict[str, int] = field(default_factory=dict)  # label -> offset
    blocks: list[Block] = field(default_factory=list)
    is_entry: bool = False  # a kernel; else its registers hold arguments when it starts
    padding: int = 0  # instructions cut from the end: a branch to itself and NOPs

    @property
    def cycles_weighted(self) -> int:
        """Sum of stalls with each block weighted by its loops: what the cost compares."""
        return sum(
            block.cycles * LOOP_WEIGHT ** min(block.loop_depth, MAX_WEIGHTED_DEPTH)
            for block in self.blocks
        )

    @property
    def cycles_path(self) -> int:
        """Sum of stalls along the longest path on which each loop is passed once.

        Blocks that ptxas laid behind the code that they return to are on it. Subroutines are not.
        """
        order, retreating = _depth_first(self.blocks)
        best: dict[int, int] = {}
        for index in order:
            block = self.blocks[index]
            onward = [best[s] for s in block.successors if (index, s) not in retreating]
            best[index] = block.cycles + max(onward, default=0)
        return best[0] if best else 0

    @property
    def code_bytes(self) -> int:
        """Bytes of code, padding left out."""
        return 16 * len(self.instructions)

    def opcode_counts(self) -> Counter[str]:
        """How often each opcode, without modifiers, occurs."""
        return Counter(instruction.base for instruction in self.instructions)


def _depth_first(blocks: list[Block]) -> tuple[list[int], set[tuple[int, int]]]:
    """Blocks after all that they lead to, and the edges that lead back into the open path."""
    order: list[int] = []
    retreating: set[tuple[int, int]] = set()
    state = dict.fromkeys(range(len(blocks)), 0)  # 0 unseen, 1 open, 2 done
    work = [(0, iter(blocks[0].successors))] if blocks else []
    state.update({0: 1} if blocks else {})
    while work:
        index, onward = work[-1]
        following = next(onward, None)
        if following is None:
            state[index] = 2
            order.append(index)
            work.pop()
        elif state[following] == 1:
            retreating.add((index, following))
        elif state[following] == 0:
            state[following] = 1
            work.append((following, iter(blocks[following].successors)))
    return order, retreating
