"""PTX text to a syntax tree and back. Lark is imported only when a statement's shape is new."""

from ptxtool.syntax import nodes
from ptxtool.syntax.edits import Edit, apply_edits
from ptxtool.syntax.format import format_module
from ptxtool.syntax.parser import parse
from ptxtool.syntax.printer import print_module
from ptxtool.syntax.slice import slice_kernel

__all__ = ["Edit", "apply_edits", "format_module", "nodes", "parse", "print_module", "slice_kernel"]
