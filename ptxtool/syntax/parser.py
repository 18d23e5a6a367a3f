"""The fast parser: one pattern splits statements, shapes already seen need no grammar.

The module level is read here; bodies in `body.py`. A fault never ends the parse: it becomes a
diagnostic and reading goes on behind the statement.
"""

from __future__ import annotations

import gc
import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from ptxtool.core.diagnostics import Diagnostic
from ptxtool.core.source import Source
from ptxtool.syntax import directives, plain, problems
from ptxtool.syntax.blank import blank
from ptxtool.syntax.grammar import parser
from ptxtool.syntax.nodes import Function, Module, Statement, VariableDeclaration
from ptxtool.syntax.operands import Misplaced
from ptxtool.syntax.statements import Shapes

if TYPE_CHECKING:
    from lark import Token, Tree

SHAPES = Shapes()

# The grammar reads some 30k tokens a second: longer statements are no PTX that anyone wrote.
MOST_DIAGNOSTICS = 1000
MOST_CHARACTERS = {"instruction": 1 << 16, "declaration": 1 << 20}

_SPACE = re.compile(r"[ \t\r\n]*")
_WORD = re.compile(r"\.[A-Za-z_]\w*|[A-Za-z_$%@][\w$]*|.", re.DOTALL)
# Directives that end without a semicolon.
_LINE_DIRECTIVES = {
    "version": re.compile(r"\.version\s+[\w.]+"),
    "target": re.compile(r"\.target\s+[\w$]+(?:\s*,\s*[\w$]+)*"),
    "address_size": re.compile(r"\.address_size\s+\w+"),
    "file": re.compile(r'\.file\s+\w+\s+"[^"]*"(?:\s*,\s*\w+\s*,\s*\w+)?'),
    "location": re.compile(
        r"\.loc\s+\w+\s+\w+\s+\w+"
        r"(?:\s*,\s*function_name\s+[\w$]+(?:\s*\+\s*\w+)?\s*,\s*inlined_at\s+\w+\s+\w+\s+\w+)?"
    ),
    "section": re.compile(r"\.section\s+[\w.$]+\s*\{[^}]*\}"),
}
_RULE_OF_WORD = {".loc": "location"}
_SEMICOLON_DIRECTIVES = {".alias": "alias", ".pragma": "pragma"}
# Up to what ends or opens a declaration, over the semicolon of a header's pragma.
_HEADER = re.compile(r'(?:\.pragma\s+"[^"]*"(?:\s*,\s*"[^"]*")*\s*;|"[^"]*"|[^;{=".]++|\.)*+')
_STATEMENT_END = re.compile(r'(?:"[^"]*"|[^;"]++)*+;?')
_SECTION_LINES = re.compile(r"(?:\s*\.b(?:8|16|32|64)\b[^\r\n]*)+")
_OLD_DWARF = re.compile(r"(?:@@DWARF[^\r\n]*\s*)+")
_HEADER_REST = re.compile(r"\s*(?:\.(?:max|min|req)\w+[^{};]*;?\s*)*\{")
_RESYNC = re.compile(
    r";|[\r\n][ \t\r\n]*(?=[{}@.]|[A-Za-z_$%][\w$]*[ \t]*(?::|\.|;|[ \t]+[%A-Za-z_{\[(]))"
)


class Reader:
    """The state of one parse: the text, where it is, and what was wrong so far."""

    def __init__(self, source: Source) -> None:
        self.source = source
        blanked = blank(source)
        self.text = blanked.text
        self.regions = blanked.asm_regions
        self.region_starts = [start for start, _ in blanked.asm_regions]
        self.diagnostics: list[Diagnostic] = blanked.diagnostics

    # --- parsing a piece with the grammar ---------------------------------------------------------

    def grammar(
        self, rule: str, start: int, end: int, text: str | None = None
    ) -> Tree[Token] | None:
        """Parse text[start:end], or a text in its place, as one rule.

        A fault becomes a diagnostic and None.
        """
        from lark.exceptions import UnexpectedInput

        text = self.text[start:end] if text is None else text
        most = MOST_CHARACTERS.get(rule, MOST_CHARACTERS["declaration"])
        if len(text) > most:
            what = f"a statement of {len(text)} characters; at most {most} are read"
            self.structural(start, start + 1, what, "split it, or check for a missing ';'")
            self.fault_at = end
            return None
        try:
            return parser().parse(text, start=rule)
        except UnexpectedInput as error:
            self.diagnostics.append(problems.from_lark(self.source, text, start, error))
            self.fault_at = self.diagnostics[-1].span.start  # type: ignore[union-attr]
        except RecursionError:
            self.misplaced(start, Misplaced(0, 1, "this is nested too deeply"))
        return None

    fault_at = 0

    def misplaced(self, base: int, error: Misplaced) -> None:
        """Report what the grammar took and PTX does not."""
        self.diagnostics.append(problems.from_misplaced(self.source, base, error))
        self.fault_at = base + error.start

    def structural(self, start: int, end: int, message: str, help: str) -> None:
        """Report a statement in the wrong place."""
        self.diagnostics.append(problems.structural(self.source, start, end, message, help))
        self.fault_at = start

    def resume(self, start: int, end: int) -> int:
        """Where reading goes on after a fault in [start, end)."""
        if len(self.diagnostics) >= MOST_DIAGNOSTICS:
            self.structural(
                start, start + 1, "too many errors: the rest was not read", "mend these"
            )
            return len(self.text)
        fault = max(self.fault_at, start)
        line_start = max(self.text.rfind("\n", 0, fault), self.text.rfind("\r", 0, fault)) + 1
        if self.text.startswith("{", fault) and self.text[start:fault].lstrip().startswith("@"):
            return fault  # a block behind a guard is still a block
        if '"' in self.text[start:fault]:
            return self.line_end(fault)  # where a string goes wrong, its quotes mislead
        first_on_line = line_start > start and not self.text[line_start:fault].strip()
        if first_on_line and _RESYNC.match(self.text, line_start - 1):
            return line_start  # the statement before this one had no end
        found = _RESYNC.search(self.text, fault)
        return max(found.end(), start + 1) if found else len(self.text)

    def line_end(self, start: int) -> int:
        """Offset of the end of a line."""
        found = re.compile(r"[^\r\n]*").match(self.text, start)
        return found.end() if found else len(self.text)

    def in_asm(self, offset: int) -> bool:
        """Whether an offset lies between `begin inline asm` and `end inline asm`."""
        index = bisect_right(self.region_starts, offset) - 1
        return index >= 0 and offset < self.regions[index][1]

    def skip(self, offset: int) -> int:
        """The next offset that is not white space."""
        return _SPACE.match(self.text, offset).end()  # type: ignore[union-attr]


class ModuleReader(Reader):
    """Reads the module level."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.statements: list[Statement] = []
        self.seen: set[str] = set()

    def read(self) -> None:
        """Read the whole file."""
        offset = self.skip(0)
        while offset < len(self.text):
            offset = self.skip(self.statement(offset))
        if "version" not in self.seen and not self.diagnostics:
            self.structural(0, 0, "no .version", "begin the file with .version 8.0 and .target")

    def statement(self, start: int) -> int:
        """Read one statement of the module; returns where the next begins."""
        word = _WORD.match(self.text, start).group()  # type: ignore[union-attr]
        rule = _RULE_OF_WORD.get(word, word[1:])
        if word[0] == "." and rule in _LINE_DIRECTIVES:
            return self._line_directive(rule, start)
        if word in _SEMICOLON_DIRECTIVES:
            end = self._semicolon(start)
            self._directive(_SEMICOLON_DIRECTIVES[word], start, end)
            return end
        if word[0] != ".":
            return self._stray(word, start)
        return self._declaration(start)

    def _line_directive(self, rule: str, start: int) -> int:
        found = _LINE_DIRECTIVES[rule].match(self.text, start)
        end = found.end() if found else self.line_end(start)
        if not self._ordered(rule, start, end):
            return end
        known = plain.section(self.text, start, end) if rule == "section" else None
        if known is not None:
            self.statements.append(known)
            return end
        tree = self.grammar(rule, start, end)
        if tree is None:
            rest = _SECTION_LINES.match(self.text, end) if rule == "section" else None
            return rest.end() if rest else self.resume(start, end)
        text = self.text[start:end]
        self.statements.append(directives.any_directive(tree, text, start, end))
        return end

    def _ordered(self, rule: str, start: int, end: int) -> bool:
        """`.version` comes first, `.version` and `.target` come once."""
        repeated = rule in self.seen and rule in ("version", "target", "address_size")
        first = {"version", "missing"} & self.seen or rule == "version"
        self.seen.add(rule)
        if repeated:
            # What follows belongs to a module of its own: say it once.
            self.seen -= {"target", "address_size"}
            self.structural(
                start, end, f"a second .{rule}", "a module has one; split the file into modules"
            )
        elif not first:
            self.seen.add("missing")
            self.structural(start, end, "no .version before this", "begin the file with .version")
        return not repeated

    def _directive(self, rule: str, start: int, end: int) -> None:
        tree = self.grammar(rule, start, end)
        if tree is not None:
            text = self.text[start:end]
            self.statements.append(directives.directive(tree, text, start, end))

    def _stray(self, word: str, start: int) -> int:
        if word == "{":
            return self._body_without_header(start)
        old_dwarf = _OLD_DWARF.match(self.text, start)
        if old_dwarf:
            what, fix = "@@DWARF lines are of PTX before 2.0", "remove them, or use .section"
            self.structural(start, start + len("@@DWARF"), what, fix)
            return old_dwarf.end()
        if word in "};":
            what, fix = f"'{word}' outside of a function", "remove it"
        elif re.match(r"[A-Za-z_$%@]", word):
            what, fix = "an instruction outside of a function", "move it into a function's body"
        else:
            what, fix = f"unexpected '{word}'", "a module holds directives that begin with a dot"
        self.structural(start, start + len(word), what, fix)
        return start + 1 if word in "};" else self.resume(start, start)

    def _body_without_header(self, start: int) -> int:
        from ptxtool.syntax.body import BodyReader

        self.structural(
            start, start + 1, "a block outside of a function", "put .entry name() first"
        )
        return BodyReader(self).read(start + 1)[1]

    def _declaration(self, start: int) -> int:
        """A variable, or a function with or without a body."""
        self._ordered("", start, start + 1)
        stop = _HEADER.match(self.text, start).end()  # type: ignore[union-attr]
        mark = self.text[stop : stop + 1]
        if mark == "=" or (mark == ";" and not _is_function(self.text[start:stop])):
            end = self._semicolon(stop)
            return self._variable(start, end)
        if mark == "" or (mark == "{" and not _is_function(self.text[start:stop])):
            self.grammar("declaration", start, min(stop + 1, len(self.text)))
            return self._skip_body(stop) if mark else len(self.text)
        return self._function(start, stop)

    def _skip_body(self, stop: int) -> int:
        """The braces behind a broken header still hold a body: read it, keep nothing."""
        from ptxtool.syntax.body import BodyReader

        return BodyReader(self).read(stop + 1)[1]

    def _variable(self, start: int, end: int) -> int:
        found = self.variables(start, end)
        if found is None:
            return self.resume(start, end)
        self.statements.extend(found)
        return end

    def variables(self, start: int, end: int) -> list[Statement] | None:
        """The declarations of text[start:end], or None after a fault."""
        known = plain.declaration(self.text, start)
        if known is not None and known.end == end:
            return [known]
        text = self.text[start:end]
        long = plain.long_initializer(text)
        if long is not None:
            return self._long_variable(start, end, text, long)
        tree = self.grammar("declaration", start, end)
        if tree is None:
            return None
        try:
            return list(directives.declarations(tree, text, start, start, end))
        except Misplaced as error:
            self.misplaced(start, error)
            return None

    def _long_variable(self, start: int, end: int, text: str, at: int) -> list[Statement] | None:
        """A long table of numbers: the grammar sees one number, a pattern has checked the rest."""
        from ptxtool.syntax.operands import squeeze

        short = text[:at] + "= {0};"
        tree = self.grammar("declaration", start, end, short)
        if tree is None:
            return None
        try:
            found = directives.declarations(tree, short, start, start, end)
        except Misplaced as error:
            self.misplaced(start, error)
            return None
        variable = found[0]
        if len(found) == 1 and isinstance(variable, VariableDeclaration):
            table = text[at + 1 :].strip().removesuffix(";").strip()
            variable.initializer = squeeze(table)
        return list(found)

    def _function(self, start: int, stop: int) -> int:
        from ptxtool.syntax.body import BodyReader

        has_body = self.text[stop] == "{"
        header = self._header(start, stop)
        if not has_body and header is not None and header.kind == "entry" and header.directives:
            what, fix = "';' behind the directives of a kernel", "remove it: the body follows"
            self.structural(stop, stop + 1, what, fix)
            opened = _HEADER_REST.match(self.text, stop + 1)
            return self._skip_body(opened.end() - 1) if opened else stop + 1
        if not has_body:
            if header is not None:
                self._add_function(header, start, stop + 1, None)
            return stop + 1
        body, end = BodyReader(self).read(stop + 1)
        if header is not None:
            self._add_function(header, start, end, body)
        return end

    def _header(self, start: int, stop: int) -> directives.Header | None:
        known = plain.header(self.text, start, stop)
        if known is not None:
            return known
        tree = self.grammar("header", start, stop)
        if tree is None:
            return None
        try:
            return directives.header(tree, self.text[start:stop], start)
        except Misplaced as error:
            self.misplaced(start, error)
            return None

    def _add_function(self, header: directives.Header, start: int, end: int, body: object) -> None:
        self.statements.append(
            Function(
                start,
                end,
                header.kind,
                header.name,
                header.linkage,
                header.returns,
                header.parameters,
                header.directives,
                body,  # type: ignore[arg-type]
                header.attributes,
            )
        )

    def _semicolon(self, start: int) -> int:
        found = _STATEMENT_END.match(self.text, start)
        return found.end() if found else len(self.text)


def _is_function(header: str) -> bool:
    return re.search(r"\.(?:entry|func)\b", header) is not None


def parse(source: Source) -> Module:
    """Parse PTX. Never raises on bad PTX: what is wrong is in `diagnostics`, in order of place."""
    enabled = gc.isenabled()
    gc.disable()  # nothing that a parse makes is garbage; a collection costs up to a quarter
    try:
        reader = ModuleReader(source)
        reader.read()
    finally:
        if enabled:
            gc.enable()
    found = sorted(reader.diagnostics, key=lambda item: item.span.start if item.span else 0)
    return Module(source, tuple(reader.statements), tuple(found))
