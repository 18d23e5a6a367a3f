"""Dominators, loops, liveness and reaching definitions against brute force on random graphs."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ptxtool import ir
from ptxtool.core.source import Source
from ptxtool.syntax import parse

REGISTERS = 4
STATEMENT = st.tuples(
    st.sampled_from(["add", "guarded", "read", "bra", "guarded bra", "ret", "unknown"]),
    st.integers(0, REGISTERS - 1),
    st.integers(0, REGISTERS - 1),
    st.integers(0, 11),
)


def text_of(statements: list[tuple[str, int, int, int]]) -> str:
    lines = []
    for number, (kind, a, b, target) in enumerate(statements):
        label = f"L{target % len(statements)}"
        written = {
            "add": f"add.s32 %r{a}, %r{b}, 1;",
            "guarded": f"@%p0 mov.b32 %r{a}, %r{b};",
            "read": f"st.global.b32 [%a0], %r{b};",
            "bra": f"bra {label};",
            "guarded bra": f"@%p0 bra {label};",
            "ret": "ret;",
            "unknown": f"frobnicate.b32 %r{a}, %r{b};",
        }
        lines.append(f"L{number}: {written[kind]}")
    head = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n"
    declared = ".reg .b32 %r<4>; .reg .b64 %a<1>; .reg .pred %p<1>;\n"
    return head + declared + "\n".join(lines) + "\n}\n"


def build(statements: list[tuple[str, int, int, int]]) -> ir.Function:
    module = parse(Source("t.ptx", text_of(statements)))
    return ir.build(module.kernels[0], module)


def following(statements: list[tuple[str, int, int, int]]) -> list[list[int]]:
    """Successors per instruction, straight from what was generated."""
    count, found = len(statements), []
    for number, (kind, _, _, target) in enumerate(statements):
        jumps = [target % count] if "bra" in kind else []
        falls = [number + 1] if kind not in ("bra", "ret") and number + 1 < count else []
        found.append(jumps + falls)
    return found


def reachable(edges: list[list[int]], start: int, without: int | None = None) -> set[int]:
    if start == without:
        return set()
    seen, stack = {start}, [start]
    while stack:
        for item in edges[stack.pop()]:
            if item != without and item not in seen:
                seen.add(item)
                stack.append(item)
    return seen


def reads_of(statement: tuple[str, int, int, int]) -> set[str]:
    kind, a, b, _ = statement
    old = {f"%r{a}"} if kind in ("guarded", "unknown") else set()
    return old | ({f"%r{b}"} if kind in ("add", "guarded", "read", "unknown") else set())


def writes_of(statement: tuple[str, int, int, int]) -> set[str]:
    kind, a, b, _ = statement
    return (
        {f"%r{a}"}
        if kind in ("add", "guarded")
        else {f"%r{a}", f"%r{b}"}
        if kind == "unknown"
        else set()
    )


def is_live(statements, edges, start: int, name: str) -> bool:
    """Whether some path from the end of `start` reads the register before a sure write."""
    seen: set[int] = set()
    stack = list(edges[start])
    while stack:
        index = stack.pop()
        if index in seen:
            continue
        seen.add(index)
        if name in reads_of(statements[index]):
            return True
        if not (statements[index][0] == "add" and name in writes_of(statements[index])):
            stack.extend(edges[index])
    return False


def arriving(statements, edges, name: str, site: int) -> set[int]:
    """Instructions before which the value that `site` wrote (-1: the entry) may still be there."""
    stack = list(edges[site]) if site >= 0 else [0]
    seen: set[int] = set()
    while stack:
        index = stack.pop()
        if index in seen:
            continue
        seen.add(index)
        if not (statements[index][0] == "add" and name in writes_of(statements[index])):
            stack.extend(edges[index])
    return seen


@settings(max_examples=150, deadline=None)
@given(st.lists(STATEMENT, min_size=1, max_size=12))
def test_liveness(statements) -> None:
    function, edges = build(statements), following(statements)
    for index, live in enumerate(function.live_out):
        found = {register.name for register in live if register.name.startswith("%r")}
        wanted = {f"%r{n}" for n in range(REGISTERS) if is_live(statements, edges, index, f"%r{n}")}
        assert found == wanted, index


@settings(max_examples=150, deadline=None)
@given(st.lists(STATEMENT, min_size=1, max_size=12))
def test_reaching_definitions_and_uses(statements) -> None:
    function, edges = build(statements), following(statements)
    live_code = reachable(edges, 0)
    named = {register.name: register for register in function.registers}
    used: dict[int, set[int]] = {}
    for name in [n for n in named if n.startswith("%r")]:
        sites = [-1, *(i for i, s in enumerate(statements) if name in writes_of(s))]
        arrival = {site: arriving(statements, edges, name, site) for site in sites}
        for index in live_code:
            found = {s for s in function.reaching(index, named[name]) if s in live_code or s == -1}
            wanted = {s for s in sites if index in arrival[s] and (s in live_code or s == -1)}
            assert found == wanted, (index, name)
            if name in reads_of(statements[index]):
                for site in wanted:
                    used.setdefault(site, set()).add(index)
    for site in [i for i in live_code if writes_of(statements[i])]:
        assert {i for i in function.uses(site) if i in live_code} == used.get(site, set())


@settings(max_examples=150, deadline=None)
@given(st.lists(STATEMENT, min_size=1, max_size=12))
def test_dominators_and_loops(statements) -> None:
    function = build(statements)
    edges = [list(block.successors) for block in function.blocks]
    live_code = reachable(edges, 0)
    for block in function.blocks:
        if block.index not in live_code:
            assert function.dominators[block.index] is None
            continue
        chain, current = set(), block.index
        while current is not None:
            chain.add(current)
            current = function.dominators[current]
        wanted = {d for d in live_code if block.index not in reachable(edges, 0, d)}
        assert chain == wanted
    backs = [(b, h) for b in live_code for h in edges[b] if b not in reachable(edges, 0, h)]
    wanted_loops: dict[int, set[int]] = {}
    for latch, header in backs:
        body = {b for b in live_code if b != header and latch in reachable(edges, b, header)}
        wanted_loops.setdefault(header, {header}).update(body)
    assert {loop.header: set(loop.blocks) for loop in function.loops} == wanted_loops
    for block in function.blocks:
        assert block.loop_depth == sum(block.index in body for body in wanted_loops.values())


@settings(max_examples=100, deadline=None)
@given(st.lists(STATEMENT, min_size=1, max_size=12))
def test_blocks_partition_the_instructions_and_edges_agree(statements) -> None:
    function, edges = build(statements), following(statements)
    assert [i for b in function.blocks for i in range(b.start, b.stop)] == list(
        range(len(statements))
    )
    starts = {block.start: block.index for block in function.blocks}
    for block in function.blocks:
        assert set(block.successors) == {starts[i] for i in edges[block.stop - 1]}
        for inside in range(block.start, block.stop - 1):
            assert edges[inside] == [inside + 1]
        assert all(block.index in function.blocks[s].predecessors for s in block.successors)
