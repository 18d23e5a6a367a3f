"""What integer, logic, shift, compare, select and integer-convert instructions compute.

A meaning takes the modifiers and the source terms, already as wide as the operands' types, and
returns the destination's term. Facts: PTX ISA manual; shift clamping and division by zero as
ptxas folds them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ptxtool.isa import terms as t
from ptxtool.isa.terms import Term
from ptxtool.isa.types import is_float, is_signed, is_type, width

Modifiers = Sequence[str]
Meaning = Callable[[Modifiers, Sequence[Term]], Term]


class NoMeaning(Exception):
    """This form has no meaning in the table: said by name, never guessed."""


def integer_type(modifiers: Modifiers) -> str:
    """The one integer type of a form. Raises NoMeaning for floats, packed types and modifiers
    that change the value in ways this table does not know."""
    types = [word for word in modifiers if is_type(word)]
    if len(types) != 1 or is_float(types[0]) or "x" in types[0]:
        raise NoMeaning(".".join(modifiers))
    unknown = {"cc", "sat"} & set(modifiers)
    if unknown:
        raise NoMeaning(".".join(modifiers))
    return types[0]


def _plain(op: str) -> Meaning:
    def meaning(modifiers: Modifiers, args: Sequence[Term]) -> Term:
        integer_type(modifiers)
        return t.binary(op, *args)

    return meaning


def _unary(op: str) -> Meaning:
    def meaning(modifiers: Modifiers, args: Sequence[Term]) -> Term:
        integer_type(modifiers)
        return t.unary(op, args[0])

    return meaning


def multiply(modifiers: Modifiers, args: Sequence[Term]) -> Term:
    """`mul.lo`, `mul.hi`, `mul.wide`."""
    type_ = integer_type(modifiers)
    bits, signed = width(type_), is_signed(type_)
    a, b = args[:2]
    if "lo" in modifiers:
        return t.binary("mul", a, b)
    wide = t.binary(
        "mul", t.extend(a, 2 * bits, signed=signed), t.extend(b, 2 * bits, signed=signed)
    )
    if "wide" in modifiers:
        return wide
    if "hi" in modifiers:
        return t.extract(wide, bits, bits)
    raise NoMeaning("mul without .lo, .hi or .wide")


def multiply_add(modifiers: Modifiers, args: Sequence[Term]) -> Term:
    """`mad.lo`, `mad.hi`, `mad.wide`."""
    return t.binary("add", multiply(modifiers, args), args[2])


def divide(modifiers: Modifiers, args: Sequence[Term]) -> Term:
    """`div`; by zero all bits are set (what the solver's division gives, too)."""
    type_ = integer_type(modifiers)
    return t.binary("sdiv" if is_signed(type_) else "udiv", *args)


def remainder(modifiers: Modifiers, args: Sequence[Term]) -> Term:
    """`rem`; the sign follows the dividend."""
    type_ = integer_type(modifiers)
    return t.binary("srem" if is_signed(type_) else "urem", *args)


def _amount(amount: Term, bits: int) -> tuple[Term, Term]:
    """A shift amount at the width of the value, and whether it is out of range."""
    too_far = t.unary("not", t.binary("ult", amount, t.constant(bits, amount.width)))
    return t.resize(amount, bits, signed=False), too_far


def shift_left(modifiers: Modifiers, args: Sequence[Term]) -> Term:
    """`shl`: amounts beyond the width give 0."""
    bits = width(integer_type(modifiers))
    amount, too_far = _amount(args[1], bits)
    return t.ite(too_far, t.constant(0, bits), t.binary("shl", args[0], amount))


def shift_right(modifiers: Modifiers, args: Sequence[Term]) -> Term:
    """`shr`: amounts beyond the width give 0, or copies of the sign."""
    type_ = integer_type(modifiers)
    bits = width(type_)
    amount, too_far = _amount(args[1], bits)
    if is_signed(type_):
        last = t.constant(bits - 1, bits)
        return t.binary("ashr", args[0], t.ite(too_far, last, amount))
    return t.ite(too_far, t.constant(0, bits), t.binary("lshr", args[0], amount))


def _extreme(take_smaller: bool) -> Meaning:
    def meaning(modifiers: Modifiers, args: Sequence[Term]) -> Term:
        type_ = integer_type(modifiers)
        less = t.binary("slt" if is_signed(type_) else "ult", args[0], args[1])
        first, second = args if take_smaller else (args[1], args[0])
        return t.ite(less, first, second)

    return meaning


def absolute(modifiers: Modifiers, args: Sequence[Term]) -> Term:
    """`abs` of a signed integer; the smallest value stays as it is."""
    type_ = integer_type(modifiers)
    zero = t.constant(0, width(type_))
    return t.ite(t.binary("slt", args[0], zero), t.unary("neg", args[0]), args[0])


def negate(modifiers: Modifiers, args: Sequence[Term]) -> Term:
    """`neg` of a signed integer."""
    integer_type(modifiers)
    return t.unary("neg", args[0])


def convert(modifiers: Modifiers, args: Sequence[Term]) -> Term:
    """`cvt` between integers, with .sat refused by name."""
    types = [word for word in modifiers if is_type(word)]
    if len(types) != 2 or any(map(is_float, types)) or len(modifiers) != 2:
        raise NoMeaning("cvt." + ".".join(modifiers))
    to, source = types
    narrow = t.resize(args[0], width(source), signed=False)
    return t.resize(narrow, width(to), signed=is_signed(source))


def move(modifiers: Modifiers, args: Sequence[Term]) -> Term:
    """`mov` of one value."""
    return args[0]


def select(modifiers: Modifiers, args: Sequence[Term]) -> Term:
    """`selp`: the first source where the predicate holds."""
    return t.ite(args[2], args[0], args[1])


_COMPARE: dict[str, tuple[str, bool, bool]] = {
    # name: (primitive, operands swapped, result inverted)
    "eq": ("eq", False, False),
    "ne": ("eq", False, True),
    "lt": ("slt", False, False),
    "ge": ("slt", False, True),
    "gt": ("slt", True, False),
    "le": ("slt", True, True),
    "lo": ("ult", False, False),
    "hs": ("ult", False, True),
    "hi": ("ult", True, False),
    "ls": ("ult", True, True),
}


def compare(modifiers: Modifiers, args: Sequence[Term]) -> Term:
    """`setp` of integers with one destination and no second predicate."""
    type_ = integer_type(modifiers)
    names = [word for word in modifiers if word in _COMPARE]
    if len(names) != 1 or len(modifiers) != 2 or len(args) != 2:
        raise NoMeaning("setp." + ".".join(modifiers))
    primitive, swapped, inverted = _COMPARE[names[0]]
    if primitive == "slt" and not is_signed(type_):
        primitive = "ult"
    a, b = (args[1], args[0]) if swapped else (args[0], args[1])
    result = t.binary(primitive, a, b)
    return t.unary("not", result) if inverted else result


def lop3(modifiers: Modifiers, args: Sequence[Term]) -> Term:
    """`lop3.b32` by its truth table, which must be a constant."""
    a, b, c, table = args
    if table.op != "constant" or modifiers != ["b32"] and tuple(modifiers) != ("b32",):
        raise NoMeaning("lop3")
    bits = int(table.value or 0)
    result = t.constant(0, a.width)
    for index in range(8):
        if bits >> index & 1:
            row = [
                item if index >> shift & 1 else t.unary("not", item)
                for item, shift in ((a, 2), (b, 1), (c, 0))
            ]
            result = t.binary("or", result, t.all_of(*row))
    return result


MEANINGS: dict[str, Meaning] = {
    "add": _plain("add"),
    "sub": _plain("sub"),
    "and": _plain("and"),
    "or": _plain("or"),
    "xor": _plain("xor"),
    "not": _unary("not"),
    "mul": multiply,
    "mad": multiply_add,
    "div": divide,
    "rem": remainder,
    "shl": shift_left,
    "shr": shift_right,
    "min": _extreme(True),
    "max": _extreme(False),
    "abs": absolute,
    "neg": negate,
    "cvt": convert,
    "mov": move,
    "selp": select,
    "setp": compare,
    "lop3": lop3,
}
