"""Reading a function's body: the hot loop of the parser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ptxtool.syntax import directives
from ptxtool.syntax.blank import OPEN_COMMENT
from ptxtool.syntax.nodes import Block, Instruction, Label, Location, Statement
from ptxtool.syntax.operands import Misplaced
from ptxtool.syntax.statements import plan_instruction

if TYPE_CHECKING:
    from ptxtool.syntax.parser import ModuleReader

# Deeper nesting than any compiler writes; keeps every walk over blocks within Python's stack.
MAX_DEPTH = 200

_STATEMENT = re.compile(
    r"[ \t\r\n]*+(?:"
    r"(?P<label>[A-Za-z_$%][\w$]*)[ \t\r\n]*:(?!:)"
    r"|(?P<guard>@[ \t\r\n]*!?[ \t\r\n]*[\w$%]+[ \t\r\n]+)?"
    r"(?P<head>[A-Za-z_$%][\w$]*(?:[ \t\r\n]*\.\w[\w:]*)*)(?P<tail>[^;]*);"
    r"|(?P<loc>\.loc[ \t]+(?P<file>[1-9]\d*)[ \t]+(?P<line>\d+)[ \t]+(?P<column>\d+)"
    r"[ \t]*(?=[\r\n]))"
    r"|(?P<brace>[{}])"
    r"|(?P<word>\.[A-Za-z_]\w*)"
    r"|(?P<other>.)"
    r")",
    re.DOTALL,
)
_SEMICOLON_RULES = {
    ".pragma": "pragma",
    ".branchtargets": "targets",
    ".calltargets": "targets",
    ".callprototype": "prototype",
}
_NESTED = re.compile(r"\.(?:entry|func|visible|extern|weak)\b")


class BodyReader:
    """Reads statements up to the brace that closes the body."""

    def __init__(self, module: ModuleReader) -> None:
        self.module = module
        self.text = module.text
        self.open: list[tuple[int, list[Statement]]] = []
        self.current: list[Statement] = []

    def read(self, start: int) -> tuple[Block, int]:
        """Read from behind the opening brace; returns the body and where it ends."""
        from ptxtool.syntax.parser import SHAPES

        match = _STATEMENT.match
        text, shapes = self.text, SHAPES
        head_of, guard_of, operands_of = shapes.heads, shapes.guards, shapes.operands
        asm = bool(self.module.regions)
        self.open = [(start - 1, [])]
        self.current = self.open[0][1]
        offset = start
        while True:
            found = match(text, offset)
            if found is None:
                return self._unclosed(offset)
            kind = found.lastgroup
            if kind == "tail":
                guard, head, tail = found.group("guard", "head", "tail")
                operands = operands_of(head, tail) if tail.strip() else ()
                begin = found.start("guard" if guard else "head")
                if operands is None or (not tail and head not in head_of):
                    offset = self._new_shape(begin, found)
                    continue
                opcode, modifiers = head_of.get(head) or shapes.head(head)
                self.current.append(
                    Instruction(
                        begin,
                        found.end(),
                        None if guard is None else guard_of.get(guard) or shapes.guard(guard),
                        opcode,
                        modifiers,
                        operands,
                        asm and self.module.in_asm(begin),
                    )
                )
                offset = found.end()
            elif kind == "loc":
                file, line, column = found.group("file", "line", "column")
                begin = found.start("loc")
                end = found.end("column")
                self.current.append(Location(begin, end, int(file), int(line), int(column)))
                offset = found.end()
            elif kind == "label":
                self.current.append(Label(found.start("label"), found.end(), found.group("label")))
                offset = found.end()
            elif kind == "brace" and found.group("brace") == "}":
                offset = found.end()
                block = self._close(offset)
                if block is not None:
                    return block, offset
            else:
                offset = self._rare(kind, found)
                if offset < 0:
                    return self._unclosed(-offset)

    def _close(self, end: int) -> Block | None:
        start, statements = self.open.pop()
        block = Block(start, end, tuple(statements))
        if not self.open:
            return block
        self.current = self.open[-1][1]
        self.current.append(block)
        return None

    def _rare(self, kind: str | None, found: re.Match[str]) -> int:
        if kind == "brace":
            return self._open(found.start("brace"))
        if kind == "word":
            return self._directive(found.start("word"), found.group("word"))
        return self._other(found.start("other"))

    def _open(self, start: int) -> int:
        if len(self.open) >= MAX_DEPTH:
            self.module.structural(
                start, start + 1, f"blocks nested deeper than {MAX_DEPTH}", "flatten them"
            )
            return -len(self.text)
        self.open.append((start, []))
        self.current = self.open[-1][1]
        return start + 1

    def _unclosed(self, offset: int) -> tuple[Block, int]:
        end = len(self.text)
        while len(self.open) > 1:
            self._close(end)
        start, statements = self.open.pop()
        cut = any(item.message == OPEN_COMMENT for item in self.module.diagnostics)
        if offset >= 0 and not cut and not self.text[offset:].strip():
            self.module.structural(end, end, "the file ends inside a body", "close it with }")
        return Block(start, end, tuple(statements)), end

    def _new_shape(self, begin: int, found: re.Match[str]) -> int:
        """The grammar parses a statement whose shape is new, and the shape is remembered."""
        from ptxtool.syntax.parser import SHAPES

        module, end = self.module, found.end()
        tree = module.grammar("instruction", begin, end)
        if tree is None:
            return module.resume(begin, end)
        try:
            guard, parts, plan, builders = plan_instruction(tree, self.text[begin:end])
        except Misplaced as error:
            module.misplaced(begin, error)
            return end
        except RecursionError:
            module.misplaced(begin, Misplaced(0, 1, "this is nested too deeply"))
            return end
        head, tail = found.group("head", "tail")
        SHAPES.head(head)
        if SHAPES.heads[head] == (parts.opcode, parts.modifiers) and tail.strip():
            SHAPES.remember(head, tail, plan, builders)
        self.current.append(
            Instruction(
                begin,
                end,
                guard,
                parts.opcode,
                parts.modifiers,
                parts.operands,
                bool(module.regions) and module.in_asm(begin),
            )
        )
        return end

    def _directive(self, start: int, word: str) -> int:
        module = self.module
        if word == ".loc" or word == ".file":
            return self._line_directive(start, "location" if word == ".loc" else "file")
        if _NESTED.match(word):
            return self._nested(start, word)
        end = module._semicolon(start)
        if word in _SEMICOLON_RULES:
            tree = module.grammar(_SEMICOLON_RULES[word], start, end)
            if tree is None:
                return module.resume(start, end)
            self.current.append(directives.directive(tree, self.text[start:end], start, end))
            return end
        found = module.variables(start, end)
        if found is None:
            return module.resume(start, end)
        self.current.extend(found)
        return end

    def _line_directive(self, start: int, rule: str) -> int:
        from ptxtool.syntax.parser import _LINE_DIRECTIVES

        module = self.module
        found = _LINE_DIRECTIVES[rule].match(self.text, start)
        end = found.end() if found else module.line_end(start)
        tree = module.grammar(rule, start, end)
        if tree is None:
            return module.resume(start, end)
        self.current.append(directives.any_directive(tree, self.text[start:end], start, end))
        return end

    def _nested(self, start: int, word: str) -> int:
        self.module.structural(
            start, start + len(word), f"{word} inside a body", "close the body before it with }"
        )
        return -start

    def _other(self, start: int) -> int:
        """No statement begins like this: let the grammar say what is wrong."""
        module = self.module
        end = module._semicolon(start)
        before = len(module.diagnostics)
        module.grammar("instruction", start, end)
        if len(module.diagnostics) == before:
            module.structural(start, start + 1, "not a statement", "remove it")
        return module.resume(start, end)
