"""Reading what ptxas prints: resources per function, and every message with its line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from ptxtool.core.diagnostics import Diagnostic, Severity
from ptxtool.core.source import Source


@dataclass(frozen=True)
class Message:
    """One warning, advisory or error of ptxas. `line` is a 1-based PTX line."""

    severity: str  # "error", "warning" or "info"
    text: str
    line: int | None = None
    code: str | None = None  # such as "C7508"
    function: str | None = None


@dataclass(frozen=True)
class FunctionResources:
    """What ptxas -v says of one function; None is unknown.

    Registers per thread; stack and spills in bytes per thread; shared in bytes per block;
    constant in bytes of all banks.
    """

    name: str
    kind: str = "function"  # or "entry"
    registers: int | None = None
    spill_store_bytes: int | None = None
    spill_load_bytes: int | None = None
    stack_bytes: int | None = None
    cumulative_stack_bytes: int | None = None
    shared_bytes: int | None = None
    constant_bytes: int | None = None
    barriers: int | None = None


@dataclass
class Output:
    """Everything read from one run."""

    functions: dict[str, FunctionResources] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)


_ENTRY = re.compile(r"Compiling entry function '([^']+)' for")
_PROPERTIES = re.compile(r"Function properties for '?([^'\s]+)'?")
_FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers")
_BARRIERS = re.compile(r"used (\d+) barriers")
_STACK = re.compile(r"(\d+) bytes cumulative stack size")
_SHARED = re.compile(r"(\d+)(?:\+(\d+))? bytes smem")
_CONSTANT = re.compile(r"(\d+) bytes cmem\[\d+\]")
_LINE = re.compile(
    r"^ptxas (?:(?P<file>.+?), line (?P<line>\d+); )?(?P<severity>error|warning|fatal|info)\s*: "
    r"(?P<text>.*)$"
)
_CODE = re.compile(r"\((C\d{4})\)")
_FUNCTION = re.compile(r"(?:entry )?function '([^']+)'|in function '?([^'\s]+)'?")
# Lines of -v that are figures, not messages.
_FIGURES = re.compile(
    r"^(?:\d+ bytes gmem|Compiling entry|Function properties|Used \d+|Compile time|"
    r"Overlapping|\d+ bytes)|^\s*\d+ bytes stack"
)


def read_output(text: str) -> Output:
    """Read a run of `ptxas -v`."""
    out = Output()
    entry: str | None = None
    current: str | None = None
    for line in text.splitlines():
        found = _ENTRY.search(line)
        if found:
            entry = found.group(1)
            current = None
            _update(out, entry, kind="entry")
            continue
        found = _PROPERTIES.search(line)
        if found:
            current = found.group(1)
            continue
        found = _FRAME.search(line)
        if found and current is not None:
            stack, stores, loads = map(int, found.groups())
            frame = {"stack_bytes": stack, "spill_store_bytes": stores, "spill_load_bytes": loads}
            _update(out, current, **frame)
            continue
        owner = current or entry
        if _USED.search(line) and owner is not None:
            _update(out, owner, **_used(line))
            continue
        _message(out, line, entry)
    return out


def _used(line: str) -> dict[str, int]:
    facts = {"registers": int(_USED.search(line).group(1))}  # type: ignore[union-attr]
    barriers, stack, shared = _BARRIERS.search(line), _STACK.search(line), _SHARED.search(line)
    if barriers:
        facts["barriers"] = int(barriers.group(1))
    if stack:
        facts["cumulative_stack_bytes"] = int(stack.group(1))
    facts["shared_bytes"] = sum(int(part or 0) for part in shared.groups()) if shared else 0
    constant = _CONSTANT.findall(line)
    if constant:  # newer targets print none: unknown, not zero
        facts["constant_bytes"] = sum(map(int, constant))
    return facts


def _update(out: Output, name: str, **facts: Any) -> None:
    known = out.functions.get(name, FunctionResources(name))
    out.functions[name] = FunctionResources(**{**known.__dict__, **facts})


def _message(out: Output, line: str, entry: str | None) -> None:
    found = _LINE.match(line)
    if found is None:
        if line.strip() and not line.startswith("ptxas") and not _FRAME.search(line):
            _continue_message(out, line)
        return
    severity, text = found["severity"], found["text"].strip()
    if severity == "info" and _FIGURES.match(text):
        return
    if text.startswith("Ptx assembly aborted"):
        return
    code, function = _CODE.search(text), _FUNCTION.search(text)
    named = (function.group(1) or function.group(2)) if function else None
    out.messages.append(
        Message(
            "error" if severity == "fatal" else severity,
            _CODE.sub("", text).strip(),
            int(found["line"]) if found["line"] else None,
            code.group(1) if code else None,
            named or (entry if code else None),
        )
    )


def _continue_message(out: Output, line: str) -> None:
    """A message that goes on in the next line."""
    if not out.messages or _FIGURES.match(line):
        return
    last = out.messages[-1]
    text = f"{last.text} {line.strip()}"
    out.messages[-1] = Message(last.severity, text, last.line, last.code, last.function)


def diagnostics_of(messages: list[Message], source: Source) -> tuple[Diagnostic, ...]:
    """Messages as diagnostics at their PTX lines."""
    return tuple(_diagnostic(message, source) for message in messages)


def _diagnostic(message: Message, source: Source) -> Diagnostic:
    severity = {"error": Severity.ERROR, "warning": Severity.WARNING}.get(
        message.severity, Severity.NOTE
    )
    code = {"error": "PTX301", "warning": "PTX302"}.get(message.severity, "PTX303")
    text = f"ptxas: {message.text}" + (f" ({message.code})" if message.code else "")
    line = message.line
    if line is None or not 1 <= line <= len(source.line_starts):
        return Diagnostic(code, severity, text, file=source.name, line=line)
    shown = source.line_text(line)
    start = source.line_starts[line - 1] + len(shown) - len(shown.lstrip())
    end = source.line_starts[line - 1] + len(shown)
    return Diagnostic(code, severity, text, source.span(start, max(end, start + 1)))
