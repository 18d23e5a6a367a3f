"""What is known of each target: SM limits, with where every figure comes from."""

from ptxtool.machine.boards import Board, board, boards
from ptxtool.machine.distances import distance, sass_class
from ptxtool.machine.load import known, model, ptx_since, targets
from ptxtool.machine.model import Kind, Model, Provenance
from ptxtool.machine.ptx_version import PtxVersion, driver_for, ptx_versions

__all__ = [
    "Board",
    "Kind",
    "Model",
    "Provenance",
    "PtxVersion",
    "board",
    "boards",
    "distance",
    "driver_for",
    "known",
    "model",
    "ptx_since",
    "ptx_versions",
    "sass_class",
    "targets",
]
