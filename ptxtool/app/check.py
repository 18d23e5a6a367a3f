"""The use case `check`: every syntax error and undeclared name, without NVIDIA software."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ptxtool import ir
from ptxtool.app.session import Tools, load_all
from ptxtool.core.diagnostics import Diagnostic, Severity
from ptxtool.inputs import only_ptx
from ptxtool.syntax import parse

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class CheckReport:
    """All diagnostics of all files, in order."""

    files: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def errors(self) -> int:
        """How many of them are errors."""
        return sum(item.severity is Severity.ERROR for item in self.diagnostics)


def check(
    paths: Sequence[str], *, select: Sequence[str] = (), ignore: Sequence[str] = ()
) -> CheckReport:
    """Check PTX files. Raises InputError for what cannot be read."""
    names: list[str] = []
    found: list[Diagnostic] = []
    for loaded in load_all(paths, Tools().toolchain()):
        source = only_ptx(loaded)
        names.append(loaded.name)
        module = parse(source)
        found += module.diagnostics
        if not module.diagnostics:
            for function in module.functions:
                if function.body is not None:
                    found += ir.build(function, module).diagnostics
    kept = [item for item in found if _kept(item.code, select, ignore)]
    return CheckReport(tuple(names), tuple(kept))


def _kept(code: str, select: Sequence[str], ignore: Sequence[str]) -> bool:
    if any(code.startswith(prefix) for prefix in ignore):
        return False
    return not select or any(code.startswith(prefix) for prefix in select)
