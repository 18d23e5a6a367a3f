"""The exception tree: everything the tool raises on purpose is a PtxtoolError.

```
PtxtoolError            exit 2
├── UsageError          the request makes no sense
├── InputError          a file cannot be read or is not what it should be; carries diagnostics
├── ToolError           an external tool is missing, died or ran too long
│   ├── ToolMissing
│   ├── ToolTimeout
│   ├── ToolCrashed     ended by a signal
│   └── ToolRefused     said no; carries its messages
└── DeviceUnavailable   exit 3
```
"""

from __future__ import annotations

from collections.abc import Sequence

from ptxtool.core.diagnostics import Diagnostic


class PtxtoolError(Exception):
    """Root of the tree. `help` says what to do; `exit_code` is what a command returns."""

    exit_code = 2

    def __init__(self, message: str, *, help: str | None = None) -> None:
        super().__init__(message)
        self.help = help


class UsageError(PtxtoolError):
    """The request makes no sense."""


class InputError(PtxtoolError):
    """A file cannot be read or is not what it should be."""

    def __init__(
        self, message: str, *, help: str | None = None, diagnostics: Sequence[Diagnostic] = ()
    ) -> None:
        super().__init__(message, help=help)
        self.diagnostics = tuple(diagnostics)


class ToolError(PtxtoolError):
    """An external tool could not do its work."""


class ToolMissing(ToolError):
    """The tool is not installed."""


class ToolTimeout(ToolError):
    """The tool ran past its time limit and was killed."""


class ToolCrashed(ToolError):
    """The tool was ended by a signal: a fault of the tool, apart from a refusal."""


class ToolRefused(ToolError):
    """The tool ran and said no."""

    def __init__(
        self, message: str, *, help: str | None = None, diagnostics: Sequence[Diagnostic] = ()
    ) -> None:
        super().__init__(message, help=help)
        self.diagnostics = tuple(diagnostics)


class DeviceUnavailable(PtxtoolError):
    """A CUDA device is needed and none is there."""

    exit_code = 3
