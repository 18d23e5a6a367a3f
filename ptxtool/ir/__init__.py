"""Functions bound to the instruction set: registers, control flow and the flow of values."""

from ptxtool.ir.build import build
from ptxtool.ir.function import ENTRY, Block, Function, Instruction
from ptxtool.ir.loops import Loop
from ptxtool.ir.register import Register

__all__ = ["ENTRY", "Block", "Function", "Instruction", "Loop", "Register", "build"]
