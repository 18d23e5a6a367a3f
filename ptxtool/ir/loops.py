"""Dominators and natural loops of a control-flow graph given as successor lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Graph = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Loop:
    """A natural loop: its header and all its blocks."""

    header: int
    blocks: frozenset[int]


def predecessors(successors: Graph) -> list[list[int]]:
    """The reverse edges."""
    found: list[list[int]] = [[] for _ in successors]
    for block, targets in enumerate(successors):
        for target in targets:
            found[target].append(block)
    return found


def reverse_postorder(successors: Graph) -> list[int]:
    """Blocks that the entry reaches, each before its successors except along back edges."""
    if not successors:
        return []
    order: list[int] = []
    seen = {0}
    stack = [(0, iter(successors[0]))]
    while stack:
        block, targets = stack[-1]
        following = next((target for target in targets if target not in seen), None)
        if following is None:
            order.append(block)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(successors[following])))
    return order[::-1]


def dominators(successors: Graph) -> tuple[int | None, ...]:
    """Immediate dominators by iteration over reverse postorder; None for entry and unreachable."""
    order = reverse_postorder(successors)
    rank = {block: place for place, block in enumerate(order)}
    before = predecessors(successors)
    parent: dict[int, int] = {0: 0}
    changed = bool(order)
    while changed:
        changed = False
        for block in order[1:]:
            known = [item for item in before[block] if item in parent]
            best = known[0]
            for item in known[1:]:
                best = _meet(best, item, parent, rank)
            changed |= parent.get(block) != best
            parent[block] = best
    return tuple(parent.get(b) if b and b in rank else None for b in range(len(successors)))


def _meet(a: int, b: int, parent: dict[int, int], rank: dict[int, int]) -> int:
    while a != b:
        if rank[a] > rank[b]:
            a = parent[a]
        else:
            b = parent[b]
    return a


def dominates(a: int, b: int, parents: Sequence[int | None]) -> bool:
    """Whether block a dominates the reachable block b."""
    current: int | None = b
    while current is not None and current != a:
        current = parents[current]
    return current == a


def find_loops(successors: Graph, parents: Sequence[int | None]) -> tuple[Loop, ...]:
    """Loops of the back edges, those with one header merged."""
    before = predecessors(successors)
    bodies: dict[int, set[int]] = {}
    for block in reverse_postorder(successors):
        for header in successors[block]:
            if dominates(header, block, parents):
                body = bodies.setdefault(header, {header})
                _collect(block, body, before, parents)
    return tuple(Loop(header, frozenset(bodies[header])) for header in sorted(bodies))


def _collect(latch: int, body: set[int], before: Graph, parents: Sequence[int | None]) -> None:
    stack = [latch]
    while stack:
        block = stack.pop()
        if block not in body:
            body.add(block)
            # An unreachable block is in no loop.
            stack.extend(item for item in before[block] if item == 0 or parents[item] is not None)
