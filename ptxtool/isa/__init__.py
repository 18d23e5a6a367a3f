"""The ISA table: one row per opcode, and what the forms of it do and mean."""

from ptxtool.isa import terms
from ptxtool.isa.model import Effect, Form, Op
from ptxtool.isa.table import OPS, lookup

__all__ = ["OPS", "Effect", "Form", "Op", "lookup", "terms"]
