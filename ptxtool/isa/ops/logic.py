"""Logic, shifts, bit fields, permutation, moves and conversion."""

from __future__ import annotations

from ptxtool.isa import bits, convert
from ptxtool.isa.forms import Op
from ptxtool.isa.ops.rows import CONVERGENT, op, pure, row

OPS: tuple[Op, ...] = (
    pure("and", "Bitwise and.", meaning=bits.and_),
    pure("or", "Bitwise or.", meaning=bits.or_),
    pure("xor", "Bitwise exclusive or.", meaning=bits.xor),
    pure("not", "Bitwise complement.", meaning=bits.not_),
    pure("cnot", "1 when zero, else 0.", meaning=bits.cnot),
    pure("lop3", "Any logic of three operands; may give a predicate.", meaning=bits.lop3),
    pure("shl", "Shift left; the amount clamps at the width.", latency="shift", meaning=bits.shl),
    pure("shr", "Shift right; the amount clamps at the width.", latency="shift", meaning=bits.shr),
    pure("shf", "Funnel shift.", latency="shift", meaning=bits.shf),
    pure("prmt", "Pick four bytes of eight.", latency="shift", meaning=bits.prmt),
    pure("bfe", "Extract a bit field.", latency="shift", meaning=bits.bfe),
    pure("bfi", "Insert a bit field.", latency="shift", meaning=bits.bfi),
    pure("bfind", "Position of the highest significant bit.", latency="bits", meaning=bits.bfind),
    pure("brev", "Reverse the bits.", latency="bits", meaning=bits.brev),
    pure("clz", "Count leading zeros.", latency="bits", meaning=bits.clz),
    pure("popc", "Count ones.", latency="bits", meaning=bits.popc),
    pure("fns", "Position of the n-th set bit.", latency="bits"),
    pure("bmsk", "Mask of a position and length.", latency="shift"),
    pure("szext", "Extend from a bit position.", latency="shift"),
    pure("mov", "Move, pack or unpack.", latency="move", mix="move", meaning=bits.mov),
    pure("cvt", "Convert between types.", latency="convert", mix="conversion", meaning=convert.cvt),
    pure("cvta", "Convert between generic and state-space addresses.", mix="conversion"),
    pure("mapa", "Address in another CTA of the cluster.", mix="conversion"),
    pure("getctarank", "CTA rank of a cluster address.", mix="conversion"),
    pure("isspacep", "Whether an address lies in a state space.", mix="compare"),
    op("istypep", "Type of an opaque handle.", row("wr", mix="texture")),
    op("activemask", "Mask of active lanes.", row("w", "", CONVERGENT, "warp", "warp")),
)
