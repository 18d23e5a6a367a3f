"""Compiles the test corpus from our own sources and writes MANIFEST.csv; needs nvcc 13.0."""

from __future__ import annotations

import csv
import hashlib
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SAMPLES = HERE.parents[1] / "samples"
# source, targets, further options; the option's name becomes part of the file's
JOBS = [
    *((HERE / "sources" / f"{name}.cu", archs, options)
      for name, archs, options in [
          ("calls", ("75", "90", "120"), ()),
          ("calls", ("80",), ("-lineinfo",)),
          ("local_memory", ("75", "80", "100"), ()),
          ("doubles", ("75", "90"), ()),
          ("control", ("75", "80", "90", "120"), ()),
          ("control", ("90",), ("-lineinfo",)),
          ("atomics", ("75", "80", "100"), ()),
          ("tensor", ("80", "89", "90", "120"), ()),
          ("dynamic", ("75", "80", "90"), ()),
          ("cluster", ("90a",), ()),
          ("cluster", ("90a",), ("-lineinfo",)),
      ]),
    *((SAMPLES / name / f"{name}.cu", archs, options)
      for name, archs, options in [
          ("sgemm", ("75", "90", "100", "120"), ()),
          ("softmax", ("75", "90"), ("-use_fast_math",)),
          ("layernorm", ("75", "100"), ("-lineinfo",)),
          ("sha256", ("75",), ()),
          ("histogram", ("75", "120"), ()),
          ("transpose", ("75", "90"), ()),
          ("block_reduce", ("75", "120"), ()),
      ]),
]  # fmt: skip
FIELDS = ["file", "source", "compiler", "flags", "arch", "kernels", "sha256"]


def main() -> int:
    """Compile everything; file names say source, option and target."""
    text = subprocess.run(["nvcc", "--version"], capture_output=True, text=True, check=True).stdout
    compiler = "nvcc " + re.search(r"V([\d.]+)", text).group(1)
    rows = [
        compile_one(source, arch, options, compiler)
        for source, archs, options in JOBS
        for arch in archs
    ]
    with (HERE / "MANIFEST.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, FIELDS)
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: row["file"]))
    return 0


def compile_one(source: Path, arch: str, options: tuple[str, ...], compiler: str) -> dict[str, str]:
    """One PTX file and its line of the manifest."""
    flags = ["-ptx", f"-arch=compute_{arch}", *options]
    infix = "".join("." + option.lstrip("-") for option in options)
    out = HERE / f"{source.stem}{infix}.sm_{arch}.ptx"
    subprocess.run(["nvcc", *flags, source.name, "-o", str(out)], check=True, cwd=source.parent)
    text = re.sub(r'"[^"\n]*/([^/"\n]+\.(?:cu|h|hpp))"', r'"\1"', out.read_text())
    out.write_text(text)
    return {
        "file": out.name,
        "source": str(source.relative_to(HERE.parents[1])),
        "compiler": compiler,
        "flags": " ".join(flags),
        "arch": f"sm_{arch}",
        "kernels": str(len(re.findall(r"^\s*(?:\.visible\s+)?\.entry\b", text, re.MULTILINE))),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
    }


if __name__ == "__main__":
    sys.exit(main())
