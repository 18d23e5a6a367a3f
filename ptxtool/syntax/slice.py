"""One kernel with just what it needs: for modules too large to handle whole."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ptxtool.core.source import Source
from ptxtool.syntax import nodes

_WORD = re.compile(r"[A-Za-z_$%][\w$]*")
_NO_CODE = re.compile(r'"[^"]*"|//[^\r\n]*')
# Directives that belong to every module.
_ALWAYS = {"version", "target", "address_size", "file", "pragma"}


@dataclass
class _Piece:
    """One statement of the module level with the names that it declares."""

    start: int
    end: int
    names: tuple[str, ...]
    is_kernel: bool = False
    always: bool = False


def slice_kernel(module: nodes.Module, name: str) -> Source:
    """The module with one kernel and the functions and variables that it reaches.

    Kept statements stay byte for byte. Raises KeyError for an unknown kernel, ValueError for a
    module compiled for debugging, whose debug sections speak of all of it.
    """
    if "debug" in module.target:
        raise ValueError(f"{module.source.name} is compiled for debugging and cannot be cut")
    if name not in {kernel.name for kernel in module.kernels}:
        raise KeyError(name)
    pieces = _pieces(module)
    wanted = _reached(module.source.text, pieces, name)
    kept = [
        piece
        for piece in pieces
        if piece.always
        or (wanted & set(piece.names) and (not piece.is_kernel or name in piece.names))
    ]
    text = "".join(module.source.text[piece.start : piece.end] + "\n" for piece in kept)
    return Source(f"{module.source.name}:{name}", text)


def _pieces(module: nodes.Module) -> list[_Piece]:
    found: list[_Piece] = []
    text = module.source.text
    open_declaration = False
    for item in module.statements:
        if isinstance(item, nodes.Function):
            is_kernel = item.kind == "entry" and item.body is not None
            found.append(_Piece(item.start, item.end, (item.name,), is_kernel))
        elif isinstance(item, nodes.VariableDeclaration):
            if open_declaration:
                # `.global .u32 a, b;` is one statement of two variables.
                found[-1].end, found[-1].names = item.end, (*found[-1].names, item.name)
            else:
                found.append(_Piece(item.start, item.end, (item.name,)))
            open_declaration = text[item.end - 1] != ";"
        elif isinstance(item, nodes.Directive) and item.name == "alias":
            found.append(_Piece(item.start, item.end, item.values))
        elif isinstance(item, nodes.Directive) and (item.name in _ALWAYS or _holds_names(item)):
            found.append(_Piece(item.start, item.end, (), always=True))
    return found


def _reached(text: str, pieces: list[_Piece], name: str) -> set[str]:
    """Every module-level name that the kernel mentions, directly or through others."""
    owners: dict[str, list[_Piece]] = {}
    for piece in pieces:
        for own in piece.names:
            owners.setdefault(own, []).append(piece)
    work, seen = [name], {name}
    while work:
        for piece in owners[work.pop()]:
            words = _WORD.findall(_NO_CODE.sub(" ", text[piece.start : piece.end]))
            for word in words:
                if word in owners and word not in seen:
                    seen.add(word)
                    work.append(word)
    return seen


def _holds_names(item: nodes.Directive) -> bool:
    """The section of strings that `.loc ... function_name` refers to."""
    return item.name == "section" and item.values == (".debug_str",)
