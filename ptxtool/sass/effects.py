"""Which registers a SASS instruction reads and writes.

Only opcodes whose registers were compared with nvdisasm's own life ranges are known here; the
oracle tests make that comparison again. Writes are exact; reads may be more than the hardware
does, never less. `None` means unknown: who asks must then assume the worst.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ptxtool.sass.model import Instruction

Unit = tuple[str, int]  # register file and number, as ("R", 4)

REGISTER = re.compile(r"(?<![\w.$])(UR|UP|R|P|B)(\d+)(?![\w@])((?:\.\w+)*)")
QUOTED = re.compile(r"`\([^)]*\)|\d+@\w+\(.*\)")


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# One 32-bit result, and after it the predicates that hold carries.
_WORDS = _names(
    "IADD3 IADD IMAD LOP3 MOV SHF LEA SEL FSEL FADD FMUL FFMA VIADD IMNMX FMNMX VIMNMX PRMT IABS "
    "POPC FLO BREV BMSK SGXT I2FP MUFU HADD2 HMUL2 HFMA2 S2R LDC FSET ISCADD "
    "VIADDMNMX HMNMX2 IDP I2IP"
)
_UNIFORM_WORDS = _names(
    "UMOV UIADD3 ULOP3 USHF ULEA USEL UIMAD S2UR R2UR UPRMT UFLO USGXT UPOPC UBMSK"
)
_CONVERSIONS = _names("FRND I2F F2I F2F F2FP")
_COMPARES = _names("ISETP FSETP DSETP HSETP2 UISETP PLOP3 UPLOP3")
_DOUBLES = _names("DADD DMUL DFMA")
_MINMAX = _names("IMNMX VIMNMX FMNMX")
_LOADS = _names("LDG LDS LDL LD")
_UNIFORM_LOADS = _names("ULDC LDCU")
_STORES = _names("STG STS STL ST")
_NO_RESULT = _names(
    "BRA EXIT NOP BAR BSYNC MEMBAR ERRBAR CCTL WARPSYNC YIELD BPT NANOSLEEP CGAERRBAR "
    "ACQBULK DEPBAR LDGDEPBAR"
)

# Lowest bit of the field with the descriptor's register.
_DESCRIPTOR_FIELD = {"LDG": 32, "LD": 32, "STG": 64, "ST": 64}
_WIDE_TYPE = re.compile(r"\.([USF]?64)(?=\.|$)")
_WIDE_RESULT = re.compile(r"^(F2F|I2F|FRND)\.F64|^F2I\.(\w+\.)*?[SU]64")
_WIDE_SOURCE = re.compile(
    r"^F2F\.(\w+\.)*F(16|32)\.F64|^F2I\.(\w+\.)*F64|^I2F\.(\w+\.)*[SU]64|^FRND\.F64"
)
_WIDE_ADDEND = re.compile(r"\.(WIDE|HI)(?=\.|$)")

# Opcodes that do nothing but compute their results from registers and constants.
PURE = (_WORDS | _CONVERSIONS | _UNIFORM_WORDS | _COMPARES | _DOUBLES | _UNIFORM_LOADS) - {
    "S2R",
    "S2UR",
}
# Loads may trade places with each other, not with anything that may write memory.
PLAIN_LOADS = _LOADS
_ORDERED_LOAD = re.compile(r"\.(STRONG|VOLATILE|MMIO|ACQUIRE|LOCK|UNLOCK)")
_FIXED_SPECIAL = re.compile(r"SR_(TID|CTAID|NTID|LANEID)")


@dataclass(frozen=True, slots=True)
class Effect:
    """Registers written, in the order of the operands, and read."""

    writes: tuple[Unit, ...]
    reads: tuple[Unit, ...]


def registers(operand: str) -> list[tuple[str, int, str]]:
    """Registers that an operand names: file, number, suffixes. Symbols are no registers."""
    bare = QUOTED.sub("", operand)
    return [(m[1], int(m[2]), m[3]) for m in REGISTER.finditer(bare)]


def is_pure(instruction: Instruction) -> bool:
    """Whether the instruction may move freely as long as its operands are the same."""
    if instruction.base in ("S2R", "S2UR"):
        return _FIXED_SPECIAL.search(instruction.text) is not None
    return instruction.base in PURE


def is_plain_load(instruction: Instruction) -> bool:
    """Whether it is a load without ordering of its own."""
    return instruction.base in PLAIN_LOADS and not _ORDERED_LOAD.search(instruction.opcode)


def effect(instruction: Instruction) -> Effect | None:
    """The registers that an instruction writes and reads, or None when that is not known."""
    shape = _shape(instruction)
    if instruction.predicate in ("!PT", "!UPT"):
        return None
    if shape is None or "PR" in instruction.operands:
        return None
    results, result_width = shape
    if results > len(instruction.operands):
        return None
    writes: list[Unit] = []
    for operand in instruction.operands[:results]:
        found = registers(operand)
        if not found and operand not in ("RZ", "URZ", "PT", "UPT", "!PT"):
            return None
        for file, number, _ in found:
            writes += _span(file, number, result_width)
    reads = _reads(instruction, results)
    return Effect(tuple(writes), tuple(reads))


def _shape(instruction: Instruction) -> tuple[int, int] | None:
    """How many leading operands are written, and how many registers each takes."""
    base, opcode = instruction.base, instruction.opcode
    if base in _NO_RESULT or base in _STORES:
        return 0, 1
    if base in _COMPARES:
        return 2, 1
    if base in _DOUBLES:
        return 1, 2
    if base in _LOADS:
        return (1, _memory_width(opcode)) if _is_single_result(instruction) else None
    if base in _UNIFORM_LOADS or base == "LDC":
        return 1, _memory_width(opcode)
    if base in _CONVERSIONS:
        return 1, 2 if _WIDE_RESULT.search(opcode) else 1
    if base == "VOTE":
        return 2 if instruction.operands[0].startswith("R") else 1, 1
    if base == "SHFL":
        return 2, 1
    if base == "CS2R":
        return 1, 1 if ".32" in opcode else 2
    if base == "BSSY":
        return 1, 1
    if base in _MINMAX and _WIDE_TYPE.search(opcode):
        return None
    if base in _WORDS or base in _UNIFORM_WORDS:
        return _carried(instruction), 2 if ".WIDE" in opcode else _move_width(instruction)
    return None


def _move_width(instruction: Instruction) -> int:
    return 2 if re.search(r"\.(64|F64)(\.|$)", instruction.opcode) else 1


def _is_single_result(instruction: Instruction) -> bool:
    """`LDG R4, [...]`: a first operand that is a predicate or an address is another form."""
    return not instruction.operands[0].startswith(("P", "U", "[", "desc"))


def _carried(instruction: Instruction) -> int:
    """Results: leading predicates, one register, and the predicates right after it."""
    count = 0
    seen_register = False
    for operand in instruction.operands:
        predicate = re.fullmatch(r"!?U?P(\d|T)", operand) is not None
        if seen_register and not predicate:
            break
        seen_register |= not predicate
        count += 1
    return count


def _memory_width(opcode: str) -> int:
    for suffix, width in ((".256", 8), (".128", 4), (".96", 3), (".64", 2)):
        if suffix in opcode:
            return width
    return 1


def _reads(instruction: Instruction, results: int) -> list[Unit]:
    reads: list[Unit] = []
    if instruction.predicate:
        reads += [(file, number) for file, number, _ in registers(instruction.predicate)]
    for position, operand in enumerate(instruction.operands[results:], results):
        for file, number, suffix in registers(operand):
            reads += _span(file, number, _read_width(instruction, position, operand, file, suffix))
    return reads + _hidden_descriptor(instruction)


def _read_width(
    instruction: Instruction, position: int, operand: str, file: str, suffix: str
) -> int:
    base = instruction.base
    if file in ("P", "UP", "B"):
        return 1
    if "[" in operand:
        return 2 if _wide_address(instruction, operand, file, suffix) else 1
    if base in _STORES:
        return _memory_width(instruction.opcode)
    if base in ("SHF", "USHF"):
        return 1
    if base in _CONVERSIONS:
        return 2 if _WIDE_SOURCE.search(instruction.opcode) else 1
    if base in _DOUBLES or base == "DSETP" or _WIDE_TYPE.search(instruction.opcode):
        return 2
    if base in ("IMAD", "UIMAD") and _WIDE_ADDEND.search(instruction.opcode):
        return 2 if position == _carried(instruction) + 2 else 1
    return 2 if ".64" in suffix else 1


def _wide_address(instruction: Instruction, operand: str, file: str, suffix: str) -> bool:
    """`.E` means 64-bit addresses; a descriptor is a pair of uniform registers."""
    if ".64" in suffix or (file == "UR" and (".64" in operand or operand.startswith("desc"))):
        return True
    return ".E" in instruction.opcode and suffix != ".U32"


def _hidden_descriptor(instruction: Instruction) -> list[Unit]:
    """The pair of uniform registers with the memory descriptor, which sm_80 text leaves out."""
    at = _DESCRIPTOR_FIELD.get(instruction.base)
    if at is None or not instruction.encoding >> 91 & 1 or "UR" in instruction.text:
        return []
    return _span("UR", instruction.encoding >> at & 63, 2)


def _span(file: str, number: int, width: int) -> list[Unit]:
    return [(file, number + k) for k in range(1 if file in ("P", "UP", "B") else width)]
