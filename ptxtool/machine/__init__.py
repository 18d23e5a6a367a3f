"""What is known of each target: SM limits, with where every figure comes from."""

from ptxtool.machine.boards import Board, board, boards
from ptxtool.machine.load import known, model, targets
from ptxtool.machine.model import Kind, Model, Provenance

__all__ = [
    "Board",
    "Kind",
    "Model",
    "Provenance",
    "board",
    "boards",
    "known",
    "model",
    "targets",
]
