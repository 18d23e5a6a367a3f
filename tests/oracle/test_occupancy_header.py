"""Occupancy against NVIDIA's own calculator: cuda_occupancy.h, compiled, on random launches."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from ptxtool import machine
from ptxtool.analysis.occupancy import Occupancy, Request, Resource, occupancy_of
from ptxtool.machine import Model

pytestmark = pytest.mark.oracle

DRIVER = Path(__file__).resolve().parent.parent / "support" / "occupancy_driver.c"
CONFIGURATIONS = int(os.environ.get("PTXTOOL_OCCUPANCY_CONFIGURATIONS", "10000"))
NO_LIMIT = 2**31 - 1  # INT_MAX: the header's "not limited by this"
FLAG = {
    Resource.WARPS: 0x01,
    Resource.REGISTERS: 0x02,
    Resource.SHARED_MEMORY: 0x04,
    Resource.BLOCKS: 0x08,
    Resource.BARRIERS: 0x10,
    Resource.VIRTUAL_RESOURCES: 0x20,
}
HEADER_ORDER = (
    Resource.WARPS,
    Resource.REGISTERS,
    Resource.SHARED_MEMORY,
    Resource.BLOCKS,
    Resource.BARRIERS,
    Resource.VIRTUAL_RESOURCES,
)


def absent(reason: str) -> None:
    if os.environ.get("CI", "").lower() in {"1", "true", "yes"}:
        pytest.fail(f"{reason}, and in CI no oracle test may be skipped")
    pytest.skip(reason)


def include_folders() -> Iterator[Path]:
    for key in ("purelib", "platlib"):
        yield Path(sysconfig.get_paths()[key]) / "nvidia" / "cu13" / "include"
    for name in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(name):
            yield Path(os.environ[name]) / "include"
    yield Path("/usr/local/cuda/include")


@pytest.fixture(scope="module")
def calculator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The driver, compiled against the header that the machine models cite."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        absent("no C compiler")
    header = next(
        (each for each in include_folders() if (each / "cuda_occupancy.h").exists()), None
    )
    if header is None:
        absent("no cuda_occupancy.h: install nvidia-cuda-runtime or set CUDA_HOME")
    if "case 7:\n                    value = 16" not in (header / "cuda_occupancy.h").read_text():
        absent(f"{header}/cuda_occupancy.h is older than CUDA 13.5, which the models follow")
    program = tmp_path_factory.mktemp("occupancy") / "driver"
    command = [compiler, "-O1", "-o", str(program), f"-I{header}", str(DRIVER)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return program


def requests(model: Model, count: int) -> Iterator[Request]:
    """Random launches: edges of every resource as often as the middle, impossible ones too."""
    rng = random.Random(f"occupancy {model.target}")
    top = model.shared_bytes_per_block_optin
    edges = [0, 1, 1024, 48 * 1024, 48 * 1024 + 1, top - 1, top, top + 1]
    edges += [split // n for split in model.shared_carveouts[-3:] for n in range(1, 17)]
    for _ in range(count):
        static = rng.choice([0, 0, rng.randint(0, 48 * 1024), rng.choice(edges)])
        dynamic = rng.choice([0, rng.randint(0, top + 4096), rng.choice(edges)])
        yield Request(
            registers=rng.choice([rng.randint(0, 257), rng.randint(1, 32) * 8]),
            threads=rng.choice([rng.randint(1, 1056), rng.randint(1, 32) * 32]),
            shared_bytes=static,
            dynamic_shared_bytes=dynamic,
            barriers=rng.choice([0, 1, rng.randint(0, 16)]),
            virtual_resources=rng.choice([0, 0, 1, rng.randint(1, 160)]),
            carveout=rng.choice([None, 0, 50, 100, rng.randint(0, 100)]),
            dynamic_limit_bytes=rng.choice([None, 0, rng.choice(edges), dynamic]),
            opt_in=rng.random() < 0.8,
        )


def line_of(model: Model, request: Request) -> str:
    limit = request.dynamic_limit_bytes
    values = (
        *model.capability,
        model.threads_per_sm,
        model.shared_bytes_per_sm,
        model.shared_bytes_per_block,
        model.shared_bytes_per_block_optin,
        model.shared_bytes_reserved,
        request.registers,
        request.threads,
        request.shared_bytes,
        request.dynamic_shared_bytes,
        request.dynamic_shared_bytes if limit is None else limit,
        int(request.opt_in),
        request.barriers,
        request.virtual_resources,
        -1 if request.carveout is None else request.carveout,
    )
    return " ".join(map(str, values))


def ours(found: Occupancy) -> list[int]:
    limits = {each.resource: each.blocks for each in found.limits}
    blocks = [limits[each] for each in HEADER_ORDER]
    shown = [NO_LIMIT if each is None else each for each in blocks]
    allocated = [found.registers_per_block, found.shared_bytes_per_block]
    return [found.blocks_per_sm, *shown, *allocated]


def flags_of(found: Occupancy) -> int:
    """The header computes its flags before the barrier limit and never takes one back."""
    limits = {each.resource: each.blocks for each in found.limits}
    barriers = limits.pop(Resource.BARRIERS)
    least = min(each for each in limits.values() if each is not None)
    flags = sum(FLAG[name] for name, blocks in limits.items() if blocks == least)
    if barriers is not None and barriers == min(barriers, least):
        flags |= FLAG[Resource.BARRIERS]
    return flags


@pytest.mark.parametrize("target", machine.known())
def test_equals_the_header_on_random_launches(target: str, calculator: Path) -> None:
    model = machine.model(target)
    launches = list(requests(model, CONFIGURATIONS))
    asked = "\n".join(line_of(model, each) for each in launches)
    answer = subprocess.run(
        [str(calculator)], input=asked, capture_output=True, text=True, check=True, timeout=120
    )
    rows = answer.stdout.splitlines()
    assert len(rows) == CONFIGURATIONS
    different = []
    resident = set()
    for request, row in zip(launches, rows, strict=True):
        status, *expected, flags = map(int, row.split())
        found = occupancy_of(model, request, with_cliffs=False)
        resident.add(found.blocks_per_sm)
        if status != 0 or expected != ours(found) or flags != flags_of(found):
            different.append((request, row, found))
    assert not different, f"{len(different)} differ, first: {different[0]}"
    assert len(resident) > 5, "the launches exercise too little"
