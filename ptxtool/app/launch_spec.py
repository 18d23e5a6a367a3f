"""The use case `launch-spec`: a draft from a kernel's parameters."""

from __future__ import annotations

from ptxtool.app.session import Tools, load_all, wanted
from ptxtool.core.errors import InputError, UsageError
from ptxtool.inputs import only_ptx
from ptxtool.launch import block_threads, draft_spec, parameters_of
from ptxtool.syntax import parse

DEFAULT_THREADS = 256


def draft(path: str, kernel: str | None = None) -> str:
    """A launch spec to start from. Raises InputError, UsageError when the kernel is not plain."""
    (loaded, *more) = load_all([path], Tools().toolchain())
    if more:
        raise UsageError(f"{path} holds several modules", help="name one file")
    module = parse(only_ptx(loaded))
    if module.diagnostics:
        raise InputError(f"{path} has syntax errors", diagnostics=module.diagnostics)
    found = [function for function in module.kernels if wanted(function.name, kernel)]
    if len(found) != 1:
        names = ", ".join(function.name for function in module.kernels[:8])
        raise UsageError(
            f"{len(found)} kernels of {path} match", help=f"name one with --kernel: {names}"
        )
    threads = block_threads(found[0]) or DEFAULT_THREADS
    return draft_spec(found[0].name, parameters_of(found[0]), threads=threads)
