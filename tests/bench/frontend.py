"""How fast the parser is, beside `ptxas -O3` on the same file in the same run. CPU seconds.

Files are the corpus's nearest to 1k, 2k and 20k lines when PTXTOOL_CORPUS is set, and our samples
copied under other names to 100k lines.
"""

from __future__ import annotations

import csv
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

from ptxtool.core.source import Source
from ptxtool.render.table import Table
from ptxtool.syntax import parse
from ptxtool.syntax.slow import parse_slow
from ptxtool.toolchain import Toolchain

ROOT = Path(__file__).resolve().parents[2]
SIZES = (1_000, 2_000, 20_000)
# The slow path needs minutes beyond this.
SLOW_LINES = 25_000
REPEAT = 5


def copies(lines: int, folder: Path) -> Path:
    """A module of about so many lines: our samples again and again under other names."""
    head = ".version 9.0\n.target sm_80\n.address_size 64\n"
    parts, total, number = [head], 3, 0
    names = [*("sgemm", "softmax", "layernorm", "sha256", "block_reduce", "transpose")]
    bodies = {name: (ROOT / "samples" / name / f"{name}.ptx").read_text() for name in names}
    while total < lines:
        name = names[number % len(names)]
        text = bodies[name].partition(".address_size 64")[2]
        renamed = rf"(?<![.\w])(\w*(?:{name}|block_extreme|ROUND|\$L__BB)\w*)"
        text = re.sub(renamed, rf"\g<1>_{number}", text)
        parts.append(text)
        total += text.count("\n")
        number += 1
    path = folder / f"copies-{lines}.ptx"
    path.write_text("".join(parts))
    return path


def files(folder: Path) -> list[tuple[Path, str]]:
    """Files with their targets: real ones near some sizes, and one of copies for 100k lines."""
    place = os.environ.get("PTXTOOL_CORPUS")
    large = (copies(100_000, folder), "sm_80")
    if not place:
        print("PTXTOOL_CORPUS is not set: our own samples only")
        own = sorted((ROOT / "samples").glob("*/*.ptx"))
        return [*((path, "sm_80") for path in own[:3]), large]
    with (Path(place) / "manifest.csv").open() as rows:
        known = [
            row
            for row in csv.DictReader(rows)
            if int(row["kernels"]) > 0 and "debug" not in row["file"]
        ]
    chosen = [min(known, key=lambda row: abs(int(row["lines"]) - size)) for size in SIZES]
    return [*((Path(place) / row["file"], row["arch"]) for row in chosen), large]


def cpu(work) -> float:
    """The least CPU time of several runs."""
    best = float("inf")
    for _ in range(REPEAT):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best


def ptxas_cpu(path: Path, arch: str, ptxas: str) -> float | None:
    """CPU seconds of `ptxas -O3`, the least of several runs; None when it refuses the file."""
    best = float("inf")
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(3):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            command = [ptxas, "-O3", f"-arch={arch}", str(path), "-o", f"{folder}/out.cubin"]
            done = subprocess.run(command, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if done.returncode:
                return None
            spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            best = min(best, spent)
    return best


def peak(source: Source) -> float:
    """Peak memory of a parse over the size of the file."""
    tracemalloc.start()
    parse(source)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found / len(source.text)


def new_process(path: Path) -> float:
    """CPU seconds of a new process that parses one file, imports and cached tables included."""
    code = (
        "import sys; from pathlib import Path; from ptxtool.core.source import Source;"
        "from ptxtool.syntax import parse; parse(Source.read(Path(sys.argv[1])))"
    )
    best = float("inf")
    for _ in range(REPEAT):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code, str(path)], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def version_cpu() -> float:
    """CPU seconds of `ptxtool --version`."""
    best = float("inf")
    for _ in range(REPEAT):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "ptxtool", "--version"], capture_output=True, check=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def main() -> int:
    ptxas = Toolchain.discover().ptxas
    table = Table(
        ["file", "lines", "parse lines/s", "parse s", "ptxas -O3 s", "% of ptxas", "x slow path",
         "peak / size"]
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        measure(files(Path(folder)), ptxas, table)
    return 0


def measure(chosen, ptxas, table) -> None:
    """Fill and print the table."""
    for path, arch in chosen:
        source = Source.read(path)
        lines = len(source.line_starts)
        fast = cpu(lambda source=source: parse(source))
        slow = cpu(lambda source=source: parse_slow(source)) if lines <= SLOW_LINES else None
        assembled = ptxas_cpu(path, arch, ptxas.path)
        table.add(
            path.name,
            lines,
            round(lines / fast),
            f"{fast:.3f}",
            None if assembled is None else f"{assembled:.2f}",
            None if assembled is None else f"{100 * fast / assembled:.0f} %",
            None if slow is None else f"{slow / fast:.0f}",
            f"{peak(source):.1f}",
        )
    print(f"parser beside ptxas {ptxas.version}, CPU time, least of several runs, warm process")
    print(table.to_markdown())
    middle = chosen[1 if len(chosen) > 1 else 0][0]
    print(f"\na new process that parses {middle.name}: {new_process(middle):.2f} s CPU")
    print(f"ptxtool --version: {version_cpu():.2f} s CPU")


if __name__ == "__main__":
    sys.exit(main())
