"""Reading cubins: code sections, and the resources that the file itself states."""

from __future__ import annotations

import io
from dataclasses import dataclass

from elftools.elf.elffile import ELFFile

from ptxtool.core.errors import InputError

CUDA_MACHINE = 190  # EM_CUDA


@dataclass(frozen=True)
class CodeSection:
    """The bytes of one `.text.` section; `registers` per thread as the section header says."""

    name: str
    data: bytes
    registers: int


@dataclass(frozen=True)
class CubinResources:
    """What a cubin says of a kernel without ptxas's report. `shared_bytes` is static."""

    name: str
    registers: int | None
    shared_bytes: int
    is_entry: bool


def open_cubin(cubin: bytes) -> ELFFile:
    """The ELF file. Raises InputError when it is none, or not for CUDA."""
    try:
        elf = ELFFile(io.BytesIO(cubin))
        machine = elf.header["e_machine"]
    except Exception as error:  # a foreign file fails in as many ways as there are fields
        raise InputError("not a cubin: the ELF header cannot be read") from error
    if machine not in ("EM_CUDA", CUDA_MACHINE):
        raise InputError(f"not a cubin: an ELF file for {machine}")
    return elf


def code_sections(cubin: bytes) -> list[CodeSection]:
    """Every code section. Raises InputError on a damaged file."""
    elf = open_cubin(cubin)
    found = []
    try:
        for section in elf.iter_sections():
            if section.name.startswith(".text."):
                registers = section["sh_info"] >> 24
                found.append(CodeSection(section.name[6:], section.data(), registers))
    except Exception as error:
        raise InputError(f"the cubin is damaged: {error}") from error
    return found


def architecture(cubin: bytes) -> str | None:
    """`sm_90` from the ELF flags, None when they say nothing that is known."""
    flags = open_cubin(cubin).header["e_flags"]
    for number in (flags & 0xFF, flags >> 8 & 0xFF):
        if 50 <= number <= 130:
            return f"sm_{number}"
    return None


def resources(cubin: bytes) -> dict[str, CubinResources]:
    """Registers and static shared memory of each function. Raises InputError on a damaged file."""
    elf = open_cubin(cubin)
    sections = code_sections(cubin)
    try:
        symbols = _functions(elf, cubin)
        registers = _register_counts(elf)
        shared = _shared_bytes(elf)
    except Exception as error:  # pyelftools raises whatever the damage leads it to
        raise InputError(f"the cubin is damaged: {error}") from error
    found = {}
    for section in sections:
        index, is_entry = symbols.get(section.name, (-1, False))
        used = registers.get(index) or section.registers or None
        found[section.name] = CubinResources(
            section.name, used, shared.get(section.name, 0), is_entry
        )
    return found


# From sm_90 on the system keeps this much at the start of a block's shared memory, and the
# section of a kernel counts it. ptxas's own report leaves it out.
SYSTEM_SHARED_BYTES = 1024


def _shared_bytes(elf: ELFFile) -> dict[str, int]:
    """Static shared memory that a kernel declares, by kernel name."""
    reserved = elf.get_section_by_name(".nv.shared.reserved.0") is not None
    system = SYSTEM_SHARED_BYTES if reserved else 0
    return {
        section.name[11:]: max(0, section["sh_size"] - system)
        for section in elf.iter_sections()
        if section.name.startswith(".nv.shared.") and not section.name.startswith(_RESERVED)
    }


_RESERVED = ".nv.shared.reserved."

# st_other bit of a kernel that the host can launch; pyelftools drops it, so the byte is read raw.
STO_CUDA_ENTRY = 0x10
# Attribute of .nv.info: symbol index and register count.
EIATTR_REGCOUNT = 0x2F
_SIZED = 0x04


def _functions(elf: ELFFile, cubin: bytes) -> dict[str, tuple[int, bool]]:
    """Symbol index and whether it is an entry, for each function symbol."""
    table = elf.get_section_by_name(".symtab")
    if table is None:
        return {}
    found = {}
    for index, symbol in enumerate(table.iter_symbols()):
        if symbol["st_info"]["type"] == "STT_FUNC":
            other = cubin[table["sh_offset"] + index * table["sh_entsize"] + 5]
            found[symbol.name] = (index, bool(other & STO_CUDA_ENTRY))
    return found


def _register_counts(elf: ELFFile) -> dict[int, int]:
    """Registers per thread by symbol index."""
    section = elf.get_section_by_name(".nv.info")
    data = section.data() if section is not None else b""
    found, at = {}, 0
    while at + 4 <= len(data):
        form, attribute = data[at], data[at + 1]
        size = int.from_bytes(data[at + 2 : at + 4], "little") if form == _SIZED else 0
        if form == _SIZED and attribute == EIATTR_REGCOUNT and size >= 8:
            symbol = int.from_bytes(data[at + 4 : at + 8], "little")
            found[symbol] = int.from_bytes(data[at + 8 : at + 12], "little")
        at += 4 + size
    return found
