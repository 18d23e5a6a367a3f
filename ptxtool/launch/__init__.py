"""Launch specs: how a kernel is run, on which data, and how its outputs are judged."""

from ptxtool.launch.case import Argument, Buffer, Case, Launch, Patch
from ptxtool.launch.from_ptx import block_threads, parameters_of
from ptxtool.launch.load import (
    expected_data,
    find_kernel,
    find_spec,
    initial_data,
    load_spec,
    parse_spec,
    spec_cases,
)
from ptxtool.launch.model import LaunchSpec
from ptxtool.launch.parameters import (
    KernelParameter,
    check_parameters,
    check_static_shared,
    draft_spec,
)
from ptxtool.launch.resolve import DEFAULT_MAX_BYTES
from ptxtool.launch.tolerance import Comparison, Tolerance, compare

__all__ = [
    "DEFAULT_MAX_BYTES",
    "Argument",
    "Buffer",
    "Case",
    "Comparison",
    "KernelParameter",
    "Launch",
    "LaunchSpec",
    "Patch",
    "Tolerance",
    "block_threads",
    "check_parameters",
    "check_static_shared",
    "compare",
    "draft_spec",
    "expected_data",
    "find_kernel",
    "find_spec",
    "initial_data",
    "load_spec",
    "parameters_of",
    "parse_spec",
    "spec_cases",
]
