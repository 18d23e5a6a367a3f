"""Running an external tool: no shell, no input, a time limit for it and its children."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ptxtool.core.errors import ToolCrashed, ToolMissing, ToolTimeout

# What a tool may print before it is cut; nvdisasm of a large library is tens of megabytes.
OUTPUT_LIMIT = 1 << 30


@dataclass(frozen=True)
class Done:
    """A finished run. `seconds` is wall time."""

    code: int
    stdout: bytes
    stderr: bytes
    seconds: float

    @property
    def text(self) -> str:
        """Everything it printed, decoded leniently."""
        return (self.stdout + self.stderr).decode("utf-8", "replace")


def run_tool(
    command: Sequence[str], *, timeout: float, cwd: Path | None = None, name: str | None = None
) -> Done:
    """Run to the end. Raises ToolMissing, ToolTimeout, ToolCrashed."""
    shown = name or Path(command[0]).name
    began = time.monotonic()
    try:
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=errors,
                cwd=cwd,
                env={**os.environ, "LC_ALL": "C"},
                start_new_session=True,
            )
            _wait(process, shown, timeout)
            stdout, stderr = _read(out), _read(errors)
    except OSError as error:
        raise ToolMissing(
            f"{shown} cannot be started: {error}", help=f"check {command[0]}"
        ) from error
    crash = _crash_signal(process.returncode)
    if crash is not None:
        raise ToolCrashed(
            f"{shown} crashed with {_signal_name(crash)}",
            help="this is a fault of the tool, no verdict on the input; "
            "try another version with --ptxas, or reduce the input",
        )
    return Done(process.returncode, stdout, stderr, time.monotonic() - began)


def _wait(process: subprocess.Popen[bytes], shown: str, timeout: float) -> None:
    try:
        process.wait(timeout=timeout)
    except subprocess.TimeoutExpired:
        _kill(process)
        raise ToolTimeout(
            f"{shown} ran longer than {timeout:g} s and was stopped",
            help="give it more with --timeout, or fewer kernels with --kernel",
        ) from None
    except BaseException:
        _kill(process)
        raise


def _read(stream: IO[bytes]) -> bytes:
    stream.seek(0)
    return stream.read(OUTPUT_LIMIT)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """The tool and all that it started."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=10)


# What a shell or a driver program returns for a child that a signal ended: 128 + the signal.
_REPORTED = {128 + number for number in (4, 6, 7, 8, 11)}


def _crash_signal(code: int) -> int | None:
    if code < 0:
        return -code
    return code - 128 if code in _REPORTED else None


def _signal_name(number: int) -> str:
    with contextlib.suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"
