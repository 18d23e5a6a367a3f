"""Short ways to write the rows of the table."""

from __future__ import annotations

from collections.abc import Iterable

from ptxtool.isa.forms import Effect, MeaningOf, Op, Row

READ = frozenset({Effect.READ})
WRITE = frozenset({Effect.WRITE})
ATOMIC = frozenset({Effect.READ, Effect.WRITE, Effect.ATOMIC})
BARRIER = frozenset({Effect.BARRIER, Effect.READ, Effect.WRITE})
CONTROL = frozenset({Effect.CONTROL})
CONVERGENT = frozenset({Effect.CONVERGENT})
VOLATILE = frozenset({Effect.VOLATILE})
ASYNC = frozenset({Effect.ASYNC, Effect.READ, Effect.WRITE})
WAIT = frozenset({Effect.ASYNC, Effect.BARRIER, Effect.READ, Effect.WRITE})
TENSOR = frozenset({Effect.CONVERGENT})


def op(name: str, summary: str, *rows: Row) -> Op:
    """One opcode."""
    return Op(name, summary, rows)


def pure(
    name: str,
    summary: str,
    roles: str = "wr",
    latency: str = "integer",
    mix: str | None = None,
    meaning: MeaningOf | None = None,
) -> Op:
    """An opcode of one row that only computes."""
    return Op(name, summary, (Row(roles, latency=latency, mix=mix, meaning=meaning),))


def row(
    roles: str,
    when: str = "",
    effects: Iterable[Effect] = (),
    latency: str = "integer",
    mix: str | None = None,
    without: str = "",
) -> Row:
    """One row; `when` and `without` are modifiers divided by blanks."""
    return Row(
        roles,
        tuple(when.split()),
        frozenset(effects),
        latency,
        mix,
        without=tuple(without.split()),
    )
