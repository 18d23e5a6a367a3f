"""An instruction as compared: labels by block number, reuse flags and control words apart."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ptxtool.sass.control import ControlWord
from ptxtool.sass.model import Function, Instruction

_LABEL = re.compile(r"`?\(?(\.L[\w.$]*|\$[\w.$]+)\)?")
_REUSE = re.compile(r"\.reuse\b")
# A name of a register: what may be renamed. RZ, URZ, PT and UPT are constants.
REGISTER = re.compile(r"\b(UR|R|UP|P|B|SB)(\d+)\b")


# Bits of an encoding that are its control word.
CONTROL_BITS = (1 << 126) - (1 << 105)

# Bits that can name a register: guard, destination, sources, predicates. Found by comparing all
# encodings of one form: with the registers left out of the text, no others differ.
REGISTER_FIELDS = sum(
    ((1 << width) - 1) << low
    for low, width in ((12, 3), (16, 24), (64, 8), (77, 3), (81, 3), (84, 3), (87, 3))
)
_IMMEDIATE = ((1 << 32) - 1) << 32


def fixed_bits(instruction: Instruction, text: str) -> int:
    """The bits that a renaming must not change; the text does not show all of them.

    A NaN is printed without its payload, so its whole immediate counts. Branches and the like hold
    a distance, which the text gives as a block.
    """
    if "block" in text:
        return 0
    registers = REGISTER_FIELDS & ~(_IMMEDIATE if "NAN" in text else 0)
    return instruction.encoding & ~CONTROL_BITS & ~registers


@dataclass(frozen=True)
class Normal:
    """The parts of one instruction that a comparison tells apart."""

    text: str  # labels as `block N`, no reuse flags
    shape: str  # text with register numbers abstracted
    opcode: str
    control: ControlWord
    encoding: int


def normalise(function: Function) -> list[Normal]:
    """Every instruction of a function in the form in which it is compared."""
    block_at = {function.instructions[b.start].offset: b.index for b in function.blocks}
    names = {
        label: f"block {block_at[offset]}"
        for label, offset in function.labels.items()
        if offset in block_at
    }
    return [_normal(instruction, names) for instruction in function.instructions]


def _normal(instruction: Instruction, names: dict[str, str]) -> Normal:
    def named(match: re.Match[str]) -> str:
        return names.get(match.group(1), match.group())

    text = _REUSE.sub("", _LABEL.sub(named, instruction.text))
    shape = REGISTER.sub(lambda match: match.group(1), text)
    return Normal(text, shape, instruction.opcode, instruction.control, instruction.encoding)
