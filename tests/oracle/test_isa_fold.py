"""What the table says an instruction computes, held against the constant folder of ptxas."""

from __future__ import annotations

import itertools
import re
import struct

import pytest

from ptxtool import isa

pytestmark = pytest.mark.oracle

# ptxas folds these; mad.hi, sad, prmt, lop3, copysign and 16-bit div and rem it does not.
FOLDED = [
    "add.s32",
    "sub.u32",
    "add.u64",
    "sub.s64",
    "mul.lo.s32",
    "mul.hi.s32",
    "mul.hi.u32",
    "mul.wide.s32",
    "mul.wide.u32",
    "mul.wide.s16",
    "mul.wide.u16",
    "mad.lo.s32",
    "mad.wide.s32",
    "mad.wide.u32",
    "mul24.lo.s32",
    "mul24.hi.s32",
    "mul24.lo.u32",
    "mul24.hi.u32",
    "mad24.lo.s32",
    "mad24.hi.u32",
    "div.u32",
    "div.s32",
    "rem.u32",
    "rem.s32",
    "abs.s32",
    "neg.s32",
    "min.s32",
    "min.u32",
    "max.s32",
    "max.u32",
    "and.b32",
    "or.b32",
    "xor.b64",
    "not.b32",
    "cnot.b32",
    "shl.b32",
    "shl.b64",
    "shl.b16",
    "shr.s32",
    "shr.u32",
    "shr.s64",
    "shr.u64",
    "shr.s16",
    "shr.u16",
    "shf.l.wrap.b32",
    "shf.l.clamp.b32",
    "shf.r.wrap.b32",
    "shf.r.clamp.b32",
    "bfe.u32",
    "bfe.s32",
    "bfe.u64",
    "bfe.s64",
    "bfi.b32",
    "bfi.b64",
    "bfind.u32",
    "bfind.s32",
    "bfind.shiftamt.u32",
    "bfind.shiftamt.s32",
    "bfind.s64",
    "brev.b32",
    "brev.b64",
    "clz.b32",
    "clz.b64",
    "popc.b32",
    "popc.b64",
    "cvt.s32.s16",
    "cvt.u16.u32",
    "cvt.s64.s32",
    "cvt.u64.u32",
    "cvt.s8.s32",
    "cvt.u8.u32",
    "cvt.sat.s8.s32",
    "cvt.sat.u8.s32",
    "cvt.sat.u16.s32",
    "cvt.sat.s16.u32",
    "cvt.sat.s32.s64",
    "cvt.sat.u32.s64",
    "slct.u32.s32",
    "setp.eq.s32",
    "setp.ne.u32",
    "setp.lt.s32",
    "setp.lt.u32",
    "setp.le.s32",
    "setp.gt.u32",
    "setp.ge.s32",
    "setp.lo.u32",
    "setp.hs.u32",
    "setp.ls.u32",
    "setp.hi.u32",
    "setp.lt.s64",
    "setp.ge.u64",
    "setp.lt.s16",
    "setp.gt.u16",
    "set.lt.u32.s32",
    "set.ge.s32.u64",
    "dp4a.s32.s32",
    "dp4a.u32.s32",
]

EDGES = {
    8: (0, 1, 0x7F, 0x80, 0xFF),
    16: (0, 1, 7, 0x7FFF, 0x8000, 0xFFFF, 0xFFF9),
    32: (0, 1, 7, 31, 33, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFF9, 0x12345678),
    64: (0, 1, 31, 65, 1 << 31, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 0x0123456789ABCDEF),
}
AMOUNTS = (0, 1, 5, 16, 31, 32, 33, 63, 64, 255, 256, 0xFFFFFFFF)
AMOUNT_OPERANDS = {
    "shl": (1,),
    "shr": (1,),
    "shf": (2,),
    "bfe": (1, 2),
    "bfi": (2, 3),
    "bmsk": (0, 1),
}
MOST = 160  # cases per mnemonic


def values_of(opcode: str, place: int, bits: int) -> tuple[int, ...]:
    return AMOUNTS if place in AMOUNT_OPERANDS.get(opcode, ()) else EDGES[bits]


def cases_of(mnemonic: str) -> list[tuple[int, ...]]:
    opcode, *_ = mnemonic.split(".")
    bits = meaning_of(mnemonic).bits
    sources = bits[meaning_of(mnemonic).destinations :]
    choices = [values_of(opcode, place, width) for place, width in enumerate(sources)]
    every = list(itertools.product(*choices))
    step = max(1, len(every) // MOST) | 1  # odd, so that no operand's values are skipped together
    return every[::step]


OPERANDS = {
    "mad": 4,
    "mad24": 4,
    "sad": 4,
    "shf": 4,
    "bfe": 4,
    "prmt": 4,
    "slct": 4,
    "bfi": 5,
    "dp4a": 4,
} | dict.fromkeys(["abs", "neg", "not", "cnot", "bfind", "brev", "clz", "popc", "cvt"], 2)


def meaning_of(mnemonic: str) -> isa.Meaning:
    opcode, *modifiers = mnemonic.split(".")
    form = isa.lookup(opcode, tuple(modifiers), OPERANDS.get(opcode, 3))
    assert form is not None
    assert form.semantics is not None, mnemonic
    return form.semantics


def register(kind: str, bits: int) -> str:
    return f"%{kind}{max(bits, 16)}_"


def statements(mnemonic: str, case: tuple[int, ...]) -> list[str]:
    meaning = meaning_of(mnemonic)
    sources = meaning.bits[meaning.destinations :]
    names = [f"{register('s', width)}{place}" for place, width in enumerate(sources)]
    lines = [f"mov.b{max(w, 16)} {n}, {v};" for w, n, v in zip(sources, names, case, strict=True)]
    if mnemonic.startswith("setp"):
        lines.append(f"{mnemonic} %p0|%p1, {', '.join(names)};")
        lines += [
            f"selp.b32 %d32_, 1, 0, %p{i}; st.volatile.global.b32 [%a], %d32_;" for i in (0, 1)
        ]
        return lines
    width = meaning.bits[0]
    result = register("d", width)
    lines.append(f"{mnemonic} {result}, {', '.join(names)};")
    lines.append(f"st.volatile.global.b{max(width, 16)} [%a], {result};")
    return lines


def kernel(mnemonic: str, cases: list[tuple[int, ...]]) -> bytes:
    widths = (16, 32, 64)
    declared = [f".reg .b{w} %s{w}_<5>, %d{w}_;" for w in widths]
    body = [line for case in cases for line in statements(mnemonic, case)]
    head = ".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
    start = [*declared, ".reg .b64 %a; .reg .pred %p<2>;", "ld.param.u64 %a, [p];"]
    return (head + "\n".join([*start, *body, "ret;"]) + "\n}\n").encode()


def half_pair(text: str) -> int | None:
    try:
        high, low = (struct.pack(">e", float(part)) for part in text.split(","))
    except ValueError:
        return None
    return int.from_bytes(high + low, "big")


LINE = re.compile(r"/\*[0-9a-f]+\*/\s+(?P<op>[A-Z0-9.]+)\s+(?P<rest>[^;]*?)\s*;")
CONSTANT = re.compile(r"(?:RZ, RZ, )?(?P<value>-?0x[0-9a-f]+|U?R\d+|U?RZ)\Z")
MOVES = {"MOV", "IMAD.MOV.U32", "UMOV", "IMAD.U32", "IMAD.MOV"}


class Folder:
    """Follows constants through straight-line SASS; a register it cannot follow is None."""

    def __init__(self) -> None:
        self.known: dict[str, int | None] = {"RZ": 0, "URZ": 0}
        self.stored: list[int | None] = []

    def value(self, text: str) -> int | None:
        if text.lstrip("-").startswith("0x"):
            return int(text, 16) & 0xFFFFFFFF
        return self.known.get(text)

    def step(self, op: str, rest: str) -> None:
        if op.startswith("STG"):
            self.store(op, rest)
            return
        target, _, sources = rest.partition(", ")
        found = CONSTANT.match(sources)
        self.known[target] = None
        if op in MOVES and found:
            self.known[target] = self.value(found["value"])
        elif op.startswith("HFMA2") and sources.startswith("-RZ, RZ, "):
            self.known[target] = half_pair(sources.removeprefix("-RZ, RZ, "))
        elif op.startswith("CS2R") and "SRZ" in sources:
            self.wide_zero(op, target)
        elif re.search(r"\b(64|WIDE)\b", op):
            self.known[following(target)] = None

    def wide_zero(self, op: str, target: str) -> None:
        self.known[target] = 0
        if ".32" not in op:
            self.known[following(target)] = 0

    def store(self, op: str, rest: str) -> None:
        source = rest.split("], ")[1]
        low = self.value(source)
        if ".64" not in op:
            self.stored.append(low)
            return
        high = self.value(following(source)) if source != "RZ" else 0
        self.stored.append(None if low is None or high is None else high << 32 | low)


def following(name: str) -> str:
    digits = re.search(r"\d+\Z", name)
    return name if digits is None else f"{name[: digits.start()]}{int(digits[0]) + 1}"


def folded(listing: str) -> list[int | None]:
    folder = Folder()
    for line in LINE.finditer(listing):
        folder.step(line["op"], line["rest"])
    return folder.stored


def expected(mnemonic: str, case: tuple[int, ...]) -> list[int]:
    meaning = meaning_of(mnemonic)
    sources = meaning.bits[meaning.destinations :]
    terms = [isa.terms.const(value, width) for value, width in zip(case, sources, strict=True)]
    results = [isa.lower_python(term) for term in meaning(terms)]
    if mnemonic.startswith("cvt") and meaning.bits[0] == 8:
        return [
            isa.lower_python(isa.terms.extend(t, 16, ".s8." in mnemonic)) for t in meaning(terms)
        ]
    return results


@pytest.mark.parametrize("mnemonic", FOLDED)
def test_meaning_is_what_ptxas_folds(mnemonic: str, toolchain, record_property) -> None:
    cases = cases_of(mnemonic)
    cubin = toolchain.assemble(kernel(mnemonic, cases), "sm_80").cubin
    found = folded(toolchain.disassemble(cubin).listing)
    wanted = [value for case in cases for value in expected(mnemonic, case)]
    assert len(found) == len(wanted)
    bits = max(meaning_of(mnemonic).bits[0], 16)
    mask = (1 << bits) - 1
    compared = [(a & mask, b) for a, b in zip(found, wanted, strict=True) if a is not None]
    per_case = len(wanted) // len(cases)
    wrong = [
        (cases[i // per_case], hex(a & mask), hex(b))
        for i, (a, b) in enumerate(zip(found, wanted, strict=True))
        if a is not None and a & mask != b
    ]
    record_property("compared", len(compared))
    assert not wrong, f"{len(wrong)} of {len(compared)} differ: {wrong[:5]}"
    assert compared, "ptxas folded nothing"
