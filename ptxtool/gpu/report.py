"""What a benchmark found, as data. Times in seconds, sizes in bytes, clocks in MHz."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import StrEnum
from typing import Any

from ptxtool.gpu.arena import GuardViolation
from ptxtool.gpu.device import DeviceInfo
from ptxtool.gpu.statistics import Verdict
from ptxtool.launch import Comparison

SCHEMA_VERSION = 1


class Status(StrEnum):
    """How far a variant got. Only TIMED ones have times."""

    TIMED = "timed"
    CORRECT = "correct"  # not timed, because timing was not asked for or failed
    WRONG = "wrong"
    FAILED = "failed"  # could not be launched, or died
    UNCHECKED = "unchecked"  # the reference failed: nothing to compare with


@dataclass(frozen=True)
class OutputResult:
    """One output of one case. `unwritten` counts elements that the kernel left alone."""

    buffer: str
    comparison: Comparison | None
    unwritten: int = 0
    is_stable: bool = True  # two runs agree within the tolerance
    is_deterministic: bool = True  # two runs agree bit for bit
    is_correct: bool = True


@dataclass(frozen=True)
class CaseResult:
    """One variant on one case."""

    case: str
    is_correct: bool
    outputs: tuple[OutputResult, ...] = ()
    violations: tuple[GuardViolation, ...] = ()
    changed_inputs: tuple[str, ...] = ()
    error: str | None = None


@dataclass(frozen=True)
class Timing:
    """Times of one variant. `low` and `high` bound the median (99 % bootstrap interval)."""

    samples: int
    median: float
    low: float
    high: float
    p5: float
    p95: float
    relative_error: float
    repeat: int  # launches averaged in one sample


@dataclass(frozen=True)
class Ratio:
    """Time over the reference's time, paired by round: below 1 is faster. 99 % interval."""

    value: float
    low: float
    high: float
    verdict: Verdict


@dataclass(frozen=True)
class VariantReport:
    """One variant. `rates` per second: bytes, flops, items."""

    name: str
    status: Status
    is_reference: bool
    origin: Mapping[str, str]
    cases: tuple[CaseResult, ...]
    timing: Timing | None = None
    ratio: Ratio | None = None
    rates: Mapping[str, float] = field(default_factory=dict)
    failure: str | None = None


@dataclass(frozen=True)
class Environment:
    """Where and with what the benchmark ran; `tools` is what the caller knows (ptxas, revision)."""

    device: DeviceInfo
    tools: Mapping[str, str]
    clocks_low: int | None = None
    clocks_high: int | None = None
    throttle_reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class RoundsReport:
    """How the timing went."""

    rounds: int
    dropped: int
    warm_up_rounds: int
    is_warm: bool  # whether warm-up reached a stable time
    stopped_by: str
    cold: bool


@dataclass(frozen=True)
class BenchReport:
    """Everything a benchmark found."""

    spec: str
    kernels: tuple[str, ...]
    delta: float
    environment: Environment
    variants: tuple[VariantReport, ...]
    rounds: RoundsReport | None
    notes: tuple[str, ...] = ()
    schema_version: int = SCHEMA_VERSION

    @property
    def all_correct(self) -> bool:
        """Whether every variant gave the right outputs."""
        return all(variant.status in (Status.TIMED, Status.CORRECT) for variant in self.variants)

    def variant(self, name: str) -> VariantReport:
        """The variant of a name. Raises KeyError."""
        for variant in self.variants:
            if variant.name == name:
                return variant
        raise KeyError(name)

    def to_json(self) -> dict[str, Any]:
        """Plain values only; infinities and NaN as strings, which JSON cannot hold."""
        plain = _plain(self)
        assert isinstance(plain, dict)
        return plain


def _plain(value: object) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
