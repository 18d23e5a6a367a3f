"""Compiles the samples again; `--check` compares with what is committed and changes nothing.

The CUDA samples need nvcc 13.0 (its text differs by release), the Triton sample Triton 3; a missing
compiler is said by name. PTX that was written by hand has no compiler.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
NVCC_RELEASE = "release 13.0"
BY_HAND = {"integer_divide"}
ARCH = "compute_80"


def compile_cuda(source: Path, out: Path) -> str | None:
    """Compile one .cu; returns why it could not be done, None when it was."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        return "nvcc is not on PATH"
    version = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    if NVCC_RELEASE not in version:
        return f"nvcc is not {NVCC_RELEASE}"
    subprocess.run([nvcc, "-ptx", f"-arch={ARCH}", str(source), "-o", str(out)], check=True)
    return None


def compile_triton(source: Path, out: Path) -> str | None:
    """Run a Triton sample; returns why it could not be done, None when it was."""
    if importlib.util.find_spec("triton") is None:
        return "triton is not installed"
    subprocess.run([sys.executable, str(source), str(out)], check=True)
    return None


def main() -> int:
    """Build or check every sample."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--check", action="store_true", help="compare, write nothing")
    check = options.parse_args().check
    different = 0
    for folder in sorted(path for path in HERE.iterdir() if path.is_dir()):
        source = next(iter([*folder.glob("*.cu"), *folder.glob("*.py")]), None)
        if folder.name in BY_HAND or source is None:
            continue
        different += build(folder, source, check)
    return 1 if different else 0


def build(folder: Path, source: Path, check: bool) -> bool:
    """Build one sample; True when it differs from what is committed."""
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / f"{folder.name}.ptx"
        compiler = compile_cuda if source.suffix == ".cu" else compile_triton
        reason = compiler(source, out)
        if reason:
            print(f"{folder.name}: not compiled, {reason}")
            return False
        made = out.read_text()
    committed = folder / f"{folder.name}.ptx"
    same = committed.exists() and _code(committed.read_text()) == _code(made)
    print(f"{folder.name}: {'same' if same else 'different'}")
    if not check:
        committed.write_text(made)
    return check and not same


def _code(text: str) -> str:
    """The PTX without comments, which name the compiler's build."""
    return re.sub(r"//.*", "", text)


if __name__ == "__main__":
    sys.exit(main())
