"""What conversions compute."""

from __future__ import annotations

from ptxtool.isa import terms as t
from ptxtool.isa.forms import Meaning, Signature
from ptxtool.isa.meaning import simple
from ptxtool.isa.terms import Term
from ptxtool.isa.types import BITS, INTEGER, is_signed


def cvt(form: Signature) -> Meaning | None:
    """Between integers, with .sat clamping; with floating point an opaque operation."""
    if len(form.types) != 2 or form.count != 2:
        return None
    target, source = form.types
    bits = (BITS[target], BITS[source])
    if target in INTEGER and source in INTEGER and form.only("sat"):
        saturate = form.has("sat")
        return simple(bits, lambda a: _integer(a, source, target, saturate))
    name = ".".join((form.opcode, *form.modifiers))
    return simple(bits, lambda a: t.opaque(name, bits[0], (a,)))


def _integer(a: Term, source: str, target: str, saturate: bool) -> Term:
    width, signed = BITS[target], is_signed(source)
    if not saturate:
        return t.extend(a, width, signed)
    # Two bits more than either hold every value of both types as a signed number.
    room = max(a.width, width) + 2
    value = t.extend(a, room, signed)
    half = 1 << (width - 1)
    least, most = (-half, half - 1) if is_signed(target) else (0, 2 * half - 1)
    low, high = t.const(least, room), t.const(most, room)
    clamped = t.ite(t.slt(value, low), low, t.ite(t.slt(high, value), high, value))
    return t.extract(clamped, 0, width)
