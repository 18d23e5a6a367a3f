"""A folder that benchmarks on another machine with nothing but Python, NumPy and cuda-bindings.

It holds assembled code, launch specs with their files, this package's rooms that run them, and
`run.py`. No compiler and no network are needed there.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ptxtool.core.errors import UsageError
from ptxtool.gpu.bench import plan
from ptxtool.gpu.timing import Method
from ptxtool.gpu.variants import Variant
from ptxtool.launch import LaunchSpec
from ptxtool.launch.model import FieldInitials, Initial

MAX_BUNDLE_BYTES = 40 << 20
MANIFEST = "manifest.json"
MANIFEST_VERSION = 1
_ROOMS = ("core", "launch", "gpu")
_PACKAGE = Path(__file__).resolve().parent.parent
_RUN = '''"""Run this bundle: python run.py [results folder]. Needs NumPy and cuda-bindings."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "lib"))

from ptxtool.gpu.bundle_run import main  # noqa: E402

sys.exit(main(HERE, Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "results"))
'''


@dataclass(frozen=True)
class BundlePart:
    """One piece of work with a time limit of its own, in seconds.

    A part with `is_probe` runs its one variant once and keeps the outputs, instead of comparing
    and timing: for measured latencies and bit patterns.
    """

    name: str
    spec: LaunchSpec
    variants: tuple[Variant, ...]
    seconds: float = 30.0
    is_probe: bool = False
    method: Method = field(default_factory=Method)
    labels: Mapping[str, str] = field(default_factory=dict)


def write_bundle(folder: Path, parts: Sequence[BundlePart], tools: Mapping[str, str]) -> int:
    """Write a bundle into an empty or new folder; its size in bytes.

    Every part is checked as far as that goes without a device. Raises UsageError, InputError,
    OSError.
    """
    names = [part.name for part in parts]
    if len(set(names)) != len(names) or not all(name.replace("-", "").isalnum() for name in names):
        raise UsageError("parts of a bundle need different names of letters, digits and hyphens")
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty")
    for part in parts:
        plan(part.spec, part.variants, part.method)
    entries = [_write_part(folder / "parts" / part.name, part) for part in parts]
    _copy_rooms(folder / "lib" / "ptxtool")
    (folder / "run.py").write_text(_RUN)
    manifest = {"version": MANIFEST_VERSION, "tools": dict(tools), "parts": entries}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1))
    return _checked_size(folder)


def _write_part(folder: Path, part: BundlePart) -> dict[str, Any]:
    folder.mkdir(parents=True)
    (folder / "launch.toml").write_bytes(part.spec.source.to_bytes())
    for file in _files_of(part.spec):
        target = folder / file.relative_to(part.spec.folder.resolve())
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    variants = []
    for number, variant in enumerate(part.variants):
        name = f"{number}.cubin"
        (folder / name).write_bytes(variant.code)
        variants.append(
            {
                "name": variant.name,
                "code": name,
                "entries": list(variant.entries),
                "origin": dict(variant.origin),
            }
        )
    return {
        "name": part.name,
        "seconds": part.seconds,
        "is_probe": part.is_probe,
        "method": asdict(part.method),
        "labels": dict(part.labels),
        "variants": variants,
    }


def _files_of(spec: LaunchSpec) -> Iterator[Path]:
    """The files that a spec names; they lie in its folder, which reading it has checked."""
    if spec.baseline is not None:
        yield spec.baseline
    initials = [buffer.initial for buffer in spec.buffers.values()]
    initials += [initial for edge in spec.edges for initial in edge.initials.values()]
    for initial in initials:
        yield from _initial_files(initial)
    for buffer in spec.buffers.values():
        if buffer.output is not None and buffer.output.expect is not None:
            yield buffer.output.expect


def _initial_files(initial: Initial | FieldInitials | None) -> Iterator[Path]:
    if isinstance(initial, FieldInitials):
        for item in initial.fields.values():
            yield from _initial_files(item)
    elif initial is not None and initial.file is not None:
        yield initial.file


def _copy_rooms(target: Path) -> None:
    target.mkdir(parents=True)
    shutil.copyfile(_PACKAGE / "__init__.py", target / "__init__.py")
    for room in _ROOMS:
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(_PACKAGE / room, target / room, ignore=ignore)


def _checked_size(folder: Path) -> int:
    files = [path for path in folder.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    if size > MAX_BUNDLE_BYTES:
        largest = max(files, key=lambda path: path.stat().st_size)
        raise UsageError(
            f"the bundle has {size} bytes, at most {MAX_BUNDLE_BYTES} are allowed",
            help=f"the largest file is {largest.relative_to(folder)}",
        )
    return size
