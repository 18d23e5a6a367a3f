"""Decoded machine code: control words, PTX lines, flow, cycles, comparison."""

from ptxtool.sass.control import ControlWord
from ptxtool.sass.diff import FunctionDiff, FunctionVerdict, Hunk, diff
from ptxtool.sass.elf import CubinResources, architecture, resources
from ptxtool.sass.model import Block, Function, Instruction, LiveCounts
from ptxtool.sass.read import read

__all__ = [
    "Block",
    "ControlWord",
    "CubinResources",
    "Function",
    "FunctionDiff",
    "FunctionVerdict",
    "Hunk",
    "Instruction",
    "LiveCounts",
    "architecture",
    "diff",
    "read",
    "resources",
]
