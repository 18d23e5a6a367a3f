"""The instruction set as data: which forms there are, what they read, write, do and mean."""

from ptxtool.isa import terms
from ptxtool.isa.forms import Effect, Form, Meaning, Op, Role, Row
from ptxtool.isa.lower_integers import NotLinear, lower_integers
from ptxtool.isa.lower_python import lower_python
from ptxtool.isa.lower_z3 import lower_z3
from ptxtool.isa.table import OPS, lookup

__all__ = [
    "OPS",
    "Effect",
    "Form",
    "Meaning",
    "NotLinear",
    "Op",
    "Role",
    "Row",
    "lookup",
    "lower_integers",
    "lower_python",
    "lower_z3",
    "terms",
]
