"""Launch specs: how a kernel is run, on which data, and how its outputs are judged."""

from ptxtool.launch.case import Argument, Buffer, Case, Launch, Patch
from ptxtool.launch.load import (
    expected_data,
    find_spec,
    initial_data,
    load_spec,
    parse_spec,
    spec_cases,
)
from ptxtool.launch.model import LaunchSpec
from ptxtool.launch.tolerance import Comparison, Tolerance, compare

__all__ = [
    "Argument",
    "Buffer",
    "Case",
    "Comparison",
    "Launch",
    "LaunchSpec",
    "Patch",
    "Tolerance",
    "compare",
    "expected_data",
    "find_spec",
    "initial_data",
    "load_spec",
    "parse_spec",
    "spec_cases",
]
