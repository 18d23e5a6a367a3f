"""How much of the corpus parses, assembles and is analyzed, and how long `analyze` takes.

Needs PTXTOOL_CORPUS. Wall seconds; the first analysis of a file runs ptxas and nvdisasm, the second
finds their results in the cache.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ptxtool.app.analyze import analyze, has_errors
from ptxtool.app.session import Tools
from ptxtool.core.errors import PtxtoolError
from ptxtool.core.source import Source
from ptxtool.syntax import parse


def main() -> int:
    place = os.environ.get("PTXTOOL_CORPUS")
    if not place:
        print("not run: PTXTOOL_CORPUS is not set")
        return 0
    with (Path(place) / "manifest.csv").open() as rows:
        files = [(Path(place) / row["file"], row["arch"]) for row in csv.DictReader(rows)]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PTXTOOL_CACHE"] = folder
        whole(files)
        one(next(item for item in files if item[0].name == "fp_convert.sm_75.ptx"))
    return 0


def whole(files: list[tuple[Path, str]]) -> None:
    """Every file once, through the Python API."""
    parsed = sum(not parse(Source.read(path)).diagnostics for path, _ in files)
    assembled, analyzed, kernels, failed = 0, 0, 0, []
    toolchain = Tools().toolchain()
    began = time.monotonic()
    for path, arch in files:
        try:
            toolchain.assemble(path.read_bytes(), arch, name=path.name)
            assembled += 1
            report = analyze([str(path)], archs=[arch])
        except PtxtoolError as error:
            failed.append(f"{path.name}: {error}")
            continue
        if has_errors(report):
            failed.append(f"{path.name}: {report.diagnostics[0]}")
        else:
            analyzed += 1
            kernels += len(report.kernels)
    print(f"{len(files)} files: {parsed} parse, {assembled} assemble, {analyzed} are analyzed")
    print(f"{kernels} kernels, {time.monotonic() - began:.0f} s with an empty cache")
    for text in failed:
        print(f"  {text}")


def one(item: tuple[Path, str]) -> None:
    """`ptxtool analyze` of one file of 2,000 lines as a new process, cold and warm."""
    path, arch = item
    command = [sys.executable, "-m", "ptxtool", "analyze", str(path), "--arch", arch]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PTXTOOL_CACHE": folder}
        for label in ("cold", "warm", "warm"):
            began = time.monotonic()
            subprocess.run(command, env=environment, capture_output=True, check=True)
            print(f"analyze {path.name}, {label} cache: {time.monotonic() - began:.2f} s")


if __name__ == "__main__":
    sys.exit(main())
