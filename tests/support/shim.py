"""Runs the CUDA source of a sample on the CPU, through `cuda_shim.h` and a C++ compiler."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np

from ptxtool.launch import Case, Launch, LaunchSpec, initial_data

HERE = Path(__file__).resolve().parent
WRAPPER = """
#include "{shim}"
#include "{source}"
extern "C" void run_kernel(const unsigned* grid, const unsigned* block, void** arguments) {{
  shim::grid_size = {{grid[0], grid[1], grid[2]}};
  shim::block_size = {{block[0], block[1], block[2]}};
  shim::launch({kernel}, arguments);
}}
"""
# No contraction: the source means what it says, one operation after the other.
FLAGS = ["-std=c++17", "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-w"]


def build(source: Path, kernel: str, folder: Path) -> ctypes.CDLL:
    """Compile one sample into a library."""
    wrapper, library = folder / f"{kernel}.cpp", folder / f"{kernel}.so"
    wrapper.write_text(WRAPPER.format(shim=HERE / "cuda_shim.h", source=source, kernel=kernel))
    command = ["g++", *FLAGS, str(wrapper), "-o", str(library)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(library))


def run(library: ctypes.CDLL, spec: LaunchSpec, case: Case) -> tuple[dict, dict]:
    """Arrays before and after the launches of a case, by buffer name, in the buffers' types."""
    memory = {
        name: np.zeros(case.buffers[name].size, np.uint8) if data is None else data.copy()
        for name, data in initial_data(spec, case).items()
    }
    before = {name: _typed(case, name, data.copy()) for name, data in memory.items()}
    addresses = {name: data.ctypes.data for name, data in memory.items()}
    for launch in case.launches:
        _launch(library, launch, addresses)
    return before, {name: _typed(case, name, data) for name, data in memory.items()}


def _launch(library: ctypes.CDLL, launch: Launch, addresses: dict[str, int]) -> None:
    packed = [ctypes.create_string_buffer(a.packed(addresses)) for a in launch.arguments]
    pointers = (ctypes.c_void_p * len(packed))(*[ctypes.addressof(item) for item in packed])
    grid = (ctypes.c_uint * 3)(*launch.grid)
    block = (ctypes.c_uint * 3)(*launch.block)
    library.run_kernel(grid, block, pointers)


NUMPY = {"f32": np.float32, "u32": np.uint32, "s32": np.int32, "u64": np.uint64}


def _typed(case: Case, name: str, data: np.ndarray) -> np.ndarray:
    buffer = case.buffers[name]
    return data.view(NUMPY[buffer.type.name]).reshape(buffer.shape)
