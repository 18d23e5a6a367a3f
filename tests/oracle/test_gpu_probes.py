"""Probes measure what they say: ptxas keeps every step, between the right two clock reads."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from ptxtool.gpu import SimulatedDevice, SimulatedKernel
from ptxtool.gpu.bundle_run import run_bundle

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "gpu"))

import make_bundle
import probes

pytestmark = pytest.mark.oracle


CASES = [(chain, "sm_90") for chain in probes.CHAINS]
CASES += [(chain, "sm_100") for chain in probes.CHAINS if chain.name in ("shared", "imad-wide")]


@pytest.mark.parametrize(
    ("chain", "arch"), CASES, ids=[f"{chain.name}-{arch}" for chain, arch in CASES]
)
def test_every_step_of_a_chain_is_timed(toolchain, chain: probes.Chain, arch: str) -> None:
    probe = probes.latency_probe(chain, arch)
    cubin = toolchain.assemble(probe.ptx.encode(), arch).cubin
    lines = toolchain.disassemble(cubin).listing.splitlines()
    clocks = [number for number, line in enumerate(lines) if re.search(r"SR_CLOCK", line)]
    assert len(clocks) == 4
    step = re.compile(rf"(?<![\w.]){re.escape(probe.sass)}")
    for length, start, end in zip(probes.LENGTHS, clocks[::2], clocks[1::2], strict=True):
        found = sum(1 for line in lines[start:end] if step.search(line))
        assert length <= found <= length + 2


def test_every_probe_runs_from_a_bundle(toolchain, tmp_path: Path) -> None:
    size = make_bundle.make(tmp_path / "bundle", "sm_90", toolchain)
    assert size < 40 << 20
    manifest = json.loads((tmp_path / "bundle" / "manifest.json").read_text())
    parts = {entry["name"]: entry for entry in manifest["parts"]}
    wanted = {probe.name for probe in probes.all_probes("sm_90")}
    assert wanted <= set(parts)
    manifest["parts"] = [parts[name] for name in sorted(wanted)][:12]
    (tmp_path / "bundle" / "manifest.json").write_text(json.dumps(manifest))

    def device() -> SimulatedDevice:
        codes = [
            (tmp_path / "bundle" / "parts" / entry["name"] / "0.cubin").read_bytes()
            for entry in manifest["parts"]
        ]
        kernel = SimulatedKernel(lambda memory, launch: None, 1e-6)
        return SimulatedDevice({code: {"probe": kernel} for code in codes})

    found = run_bundle(tmp_path / "bundle", tmp_path / "out", device)
    assert {result.outcome for result in found} == {"done"}
    assert all(result.report and result.report["outputs"] for result in found)
