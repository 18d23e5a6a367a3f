"""Rule templates: PTX text with `$names`, parsed by the project's own parser."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ptxtool.core.source import Source
from ptxtool.syntax import nodes, parse

_NAME = re.compile(r"\$([A-Za-z]\w*)")


@dataclass(frozen=True)
class Template:
    """The instructions of one template for one binding of types."""

    instructions: tuple[nodes.Instruction, ...]

    @property
    def root(self) -> nodes.Instruction:
        """The last instruction: the one that a match replaces."""
        return self.instructions[-1]

    def definition(self, name: str) -> nodes.Instruction | None:
        """The instruction, before the root, whose destination is this name."""
        for instruction in self.instructions[:-1]:
            if metavariable(instruction.operands[0]) == name:
                return instruction
        return None


@lru_cache(maxsize=4096)
def _parse(text: str) -> Template:
    module = parse(Source("template", f".version 8.0\n.target sm_80\n.func f() {{ {text} }}"))
    assert not module.diagnostics, str(module.diagnostics[0])
    body = module.functions[0].body
    assert body is not None
    found = [item for item in body.statements if isinstance(item, nodes.Instruction)]
    return Template(tuple(found))


def instantiate(text: str, types: Mapping[str, str]) -> Template:
    """Parse a template with its type names filled in."""

    def fill(match: re.Match[str]) -> str:
        return types.get(match.group(1), match.group())

    return _parse(_NAME.sub(fill, text))


def metavariable(operand: nodes.Operand) -> str | None:
    """The name of a `$name` operand, without the dollar."""
    if isinstance(operand, nodes.Symbol) and operand.name.startswith("$"):
        return operand.name[1:]
    return None


def is_constant_name(name: str) -> bool:
    """Whether a name binds a constant."""
    return name[0].isupper()


def spell(text: str, types: Mapping[str, str], values: Mapping[str, str]) -> list[str]:
    """The instructions of a template as text, every name filled in."""

    def fill(match: re.Match[str]) -> str:
        name = match.group(1)
        return types[name] if name in types else values[name]

    filled = _NAME.sub(fill, text)
    return [part.strip() + ";" for part in filled.split(";") if part.strip()]
