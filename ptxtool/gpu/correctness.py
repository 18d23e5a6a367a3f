"""Correct first: every variant's outputs against the expected ones, on every case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from ptxtool.gpu.arena import Arena, GuardViolation
from ptxtool.gpu.device import Bytes, Device, DeviceLaunch, LaunchFailed
from ptxtool.gpu.report import CaseResult, OutputResult
from ptxtool.gpu.variants import Variant
from ptxtool.launch import Buffer, Case, compare

Mask = npt.NDArray[np.bool_]

TURNS = 2  # with different poison and guards, so that what was never written shows


@dataclass(frozen=True)
class Observation:
    """What one variant did on one case. Outputs of the first turn; bytes."""

    error: str | None = None
    outputs: Mapping[str, Bytes] = field(default_factory=dict)
    again: Mapping[str, Bytes] = field(default_factory=dict)
    unwritten: Mapping[str, Bytes] = field(default_factory=dict)  # one flag for each byte
    changed_inputs: tuple[str, ...] = ()
    violations: tuple[GuardViolation, ...] = ()


def prepare_launches(
    device: Device, variant: Variant, case: Case, addresses: Mapping[str, int]
) -> list[DeviceLaunch]:
    """The launches of a case with a variant's kernels. Raises LaunchFailed, InputError."""
    return [
        DeviceLaunch(
            kernel=device.load(variant.code, variant.entry(launch.kernel)),
            grid=launch.grid,
            block=launch.block,
            cluster=launch.cluster,
            shared=launch.shared,
            cooperative=launch.cooperative,
            arguments=tuple(argument.packed(addresses) for argument in launch.arguments),
        )
        for launch in case.launches
    ]


def observe(
    device: Device, variant: Variant, case: Case, data: Mapping[str, Bytes | None]
) -> Observation:
    """Run a case twice and note everything. A variant that dies leaves the device recovered."""
    try:
        with Arena(device, case, data) as arena:
            return _observe(
                device, arena, prepare_launches(device, variant, case, arena.addresses), case, data
            )
    except LaunchFailed as failure:
        device.recover()
        return Observation(error=str(failure))


def _observe(
    device: Device,
    arena: Arena,
    launches: list[DeviceLaunch],
    case: Case,
    data: Mapping[str, Bytes | None],
) -> Observation:
    seen: list[dict[str, Bytes]] = []
    untouched: list[dict[str, Bytes]] = []
    violations: list[GuardViolation] = []
    for turn in range(TURNS):
        arena.prepare(turn)
        device.run(launches)
        known = {(item.buffer, item.side) for item in violations}
        found = arena.violations()
        violations += [item for item in found if (item.buffer, item.side) not in known]
        seen.append({buffer.name: arena.read(buffer.name) for buffer in case.outputs})
        poisoned = [buffer.name for buffer in case.outputs if data[buffer.name] is None]
        untouched.append({name: arena.untouched(name) for name in poisoned})
    return Observation(
        outputs=seen[0],
        again=seen[1],
        unwritten={name: flags & untouched[1][name] for name, flags in untouched[0].items()},
        changed_inputs=_changed_inputs(arena, case, data),
        violations=tuple(violations),
    )


def _changed_inputs(arena: Arena, case: Case, data: Mapping[str, Bytes | None]) -> tuple[str, ...]:
    inputs = {
        name: initial
        for name, initial in data.items()
        if initial is not None and not case.buffers[name].is_output
    }
    return tuple(
        name for name, initial in inputs.items() if not np.array_equal(arena.read(name), initial)
    )


def judge(
    case: Case,
    seen: Observation,
    reference: Observation | None,
    files: Mapping[str, Bytes],
) -> CaseResult:
    """Whether an observation is right. `files` holds expectations that stand above the reference.

    Without a reference, the observation is the reference's own.
    """
    if seen.error is not None:
        return CaseResult(case.label, False, error=seen.error)
    outputs = tuple(
        _judge_output(buffer, seen, reference, files.get(buffer.name)) for buffer in case.outputs
    )
    # What the baseline changes too is how the kernel works, not a fault of a variant.
    allowed = seen.changed_inputs if reference is None else reference.changed_inputs
    changed = tuple(name for name in seen.changed_inputs if name not in allowed)
    is_correct = all(output.is_correct for output in outputs) and not seen.violations
    return CaseResult(
        case.label,
        is_correct and not changed,
        outputs,
        seen.violations,
        seen.changed_inputs if reference is None else changed,
    )


def _judge_output(
    buffer: Buffer, seen: Observation, reference: Observation | None, file: Bytes | None
) -> OutputResult:
    name, size = buffer.name, buffer.type.size
    mask = _by_element(seen.unwritten.get(name), size)
    actual, again = seen.outputs[name], seen.again[name].copy()
    if mask is not None:  # poison differs between the turns by design
        _rows(again, size)[mask] = _rows(actual, size)[mask]
    stability = compare(buffer.type, actual, again, buffer.tolerance)
    result = OutputResult(
        name,
        None,
        unwritten=0 if mask is None else int(np.count_nonzero(mask)),
        is_stable=stability.agrees,
        is_deterministic=bool(np.array_equal(actual, again)),
    )
    expected = file
    if expected is None and reference is not None:
        expected = reference.outputs[name]
    return _compare_output(buffer, result, mask, actual, expected, reference)


def _compare_output(
    buffer: Buffer,
    result: OutputResult,
    mask: Mask | None,
    actual: Bytes,
    expected: Bytes | None,
    reference: Observation | None,
) -> OutputResult:
    is_complete = result.unwritten == 0 or buffer.partial
    if buffer.partial and mask is not None and expected is not None:
        is_complete = _same_mask(mask, reference, buffer)
        expected = expected.copy()
        _rows(expected, buffer.type.size)[mask] = _rows(actual, buffer.type.size)[mask]
    comparison = None
    if expected is not None:
        comparison = compare(buffer.type, expected, actual, buffer.tolerance)
    agrees = comparison is None or comparison.agrees
    return replace(
        result, comparison=comparison, is_correct=agrees and is_complete and result.is_stable
    )


def _same_mask(mask: Mask, reference: Observation | None, buffer: Buffer) -> bool:
    if reference is None:
        return True
    other = _by_element(reference.unwritten.get(buffer.name), buffer.type.size)
    return other is not None and bool(np.array_equal(mask, other))


def _by_element(flags: Bytes | None, size: int) -> Mask | None:
    """One flag for each element: none of its bytes was written."""
    if flags is None:
        return None
    return np.asarray(flags.reshape(-1, size).all(axis=1))


def _rows(data: Bytes, size: int) -> Bytes:
    return data.reshape(-1, size)
