"""Running a bundle: each part in a process of its own, so that none can cost the others."""

from __future__ import annotations

import json
import multiprocessing
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ptxtool.core.errors import InputError, PtxtoolError
from ptxtool.core.files import write_atomically
from ptxtool.gpu.arena import Arena
from ptxtool.gpu.bench import bench
from ptxtool.gpu.bundle import MANIFEST, MANIFEST_VERSION
from ptxtool.gpu.correctness import prepare_launches
from ptxtool.gpu.cuda import CudaDevice
from ptxtool.gpu.device import Device
from ptxtool.gpu.timing import Method
from ptxtool.gpu.variants import Variant
from ptxtool.launch import initial_data, load_spec, spec_cases

TOTAL_SECONDS = 530.0  # of all parts together: under nine minutes
RESULTS = "results.json"
MAX_PROBE_BYTES = 1 << 20  # of one output that is kept

OpenDevice = Callable[[], Device]


@dataclass(frozen=True)
class PartResult:
    """What became of one part: "done", "failed", "out of time" or "not started"."""

    name: str
    outcome: str
    seconds: float
    labels: Mapping[str, str]
    report: Mapping[str, Any] | None = None
    error: str | None = None


def main(folder: Path, results: Path) -> int:
    """Run a bundle on the first CUDA device; 0 if every part was done, 1 otherwise."""
    found = run_bundle(folder, results, CudaDevice.open)
    return 0 if all(result.outcome == "done" for result in found) else 1


def run_bundle(
    folder: Path, results: Path, open_device: OpenDevice, *, total_seconds: float = TOTAL_SECONDS
) -> tuple[PartResult, ...]:
    """Run all parts; `results/results.json` is complete after each. Raises InputError, OSError."""
    manifest = _manifest(folder)
    results.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    found: list[PartResult] = []
    for entry in manifest["parts"]:
        left = total_seconds - (time.monotonic() - start)
        found.append(_run_part(folder, entry, open_device, min(left, entry["seconds"])))
        content = {
            "version": MANIFEST_VERSION,
            "tools": manifest["tools"],
            "parts": [vars(result) for result in found],
        }
        write_atomically(results / RESULTS, json.dumps(content, indent=1).encode())
    return tuple(found)


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((folder / MANIFEST).read_text())
    except (OSError, ValueError) as error:
        raise InputError(f"{folder} is not a bundle: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("version") != MANIFEST_VERSION:
        raise InputError(f"{folder} is not a bundle of version {MANIFEST_VERSION}")
    return manifest


def _run_part(
    folder: Path, entry: Mapping[str, Any], open_device: OpenDevice, seconds: float
) -> PartResult:
    name, labels = str(entry["name"]), dict(entry["labels"])
    if seconds <= 0:
        return PartResult(name, "not started", 0.0, labels, error="the total time was used up")
    start = time.monotonic()
    # Forked, because a device may be made of functions; this process never touches CUDA itself.
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(folder, entry, open_device, sender), daemon=True)
    child.start()
    sender.close()
    outcome, payload = _received(receiver, seconds)
    child.join(0.5)
    if child.is_alive():
        child.kill()
        child.join()
    spent = time.monotonic() - start
    if outcome == "done":
        return PartResult(name, outcome, spent, labels, report=payload)
    return PartResult(name, outcome, spent, labels, error=str(payload))


def _received(receiver: Any, seconds: float) -> tuple[str, Any]:
    try:
        if not receiver.poll(seconds):
            return "out of time", f"stopped after {seconds:g} seconds"
        outcome, payload = receiver.recv()
        return outcome, payload
    except (EOFError, OSError):
        return "failed", "the process died"


def _child(folder: Path, entry: Mapping[str, Any], open_device: OpenDevice, sender: Any) -> None:
    try:
        device = open_device()
        sender.send(("done", _work(folder / "parts" / entry["name"], entry, device)))
        device.close()
    except PtxtoolError as error:
        sender.send(("failed", str(error)))
    except Exception as error:  # a fault of ours must not cost the other parts
        sender.send(("failed", f"{type(error).__name__}: {error}"))


def _work(folder: Path, entry: Mapping[str, Any], device: Device) -> dict[str, Any]:
    spec = load_spec(folder / "launch.toml")
    variants = [
        Variant(
            item["name"],
            (folder / item["code"]).read_bytes(),
            tuple(item["entries"]),
            item["origin"],
        )
        for item in entry["variants"]
    ]
    if entry["is_probe"]:
        return _probe(device, folder, variants[0])
    return bench(device, spec, variants, Method(**entry["method"])).to_json()


def _probe(device: Device, folder: Path, variant: Variant) -> dict[str, Any]:
    """The outputs of one run, as hexadecimal text."""
    spec = load_spec(folder / "launch.toml")
    case = spec_cases(spec)[0]
    with Arena(device, case, initial_data(spec, case)) as arena:
        arena.prepare(0)
        device.run(prepare_launches(device, variant, case, arena.addresses))
        outputs = {
            buffer.name: arena.read(buffer.name)[:MAX_PROBE_BYTES].tobytes().hex()
            for buffer in case.outputs
        }
        violations = len(arena.violations())
    info = {key: value for key, value in vars(device.info).items() if value is not None}
    return {"device": info, "outputs": outputs, "guard_violations": violations}
