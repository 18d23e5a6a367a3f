"""CUDA C++ compiles where no host compiler is."""

from __future__ import annotations

import pytest

from ptxtool.core.errors import ToolRefused
from ptxtool.core.source import Source
from ptxtool.syntax import parse
from ptxtool.toolchain import compile_cuda

pytestmark = pytest.mark.oracle
KERNEL = 'extern "C" __global__ void k(int *p) { p[threadIdx.x] += 1; }\n'


def test_nvrtc_compiles_without_a_host_compiler(tmp_path, monkeypatch, toolchain):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not compile_cuda.has_host_compiler()
    path = tmp_path / "k.cu"
    path.write_text(KERNEL)
    ptx = toolchain.compile_cuda(path, "sm_80")
    module = parse(Source.from_bytes("k.ptx", ptx))
    assert not module.diagnostics
    assert [kernel.name for kernel in module.kernels] == ["k"]
    assert module.target[0] == "sm_80"
    assert toolchain.assemble(ptx, "sm_80").functions["k"].registers


def test_an_error_of_nvrtc_is_at_its_line(tmp_path, monkeypatch, toolchain):
    monkeypatch.setenv("PATH", str(tmp_path))
    path = tmp_path / "k.cu"
    path.write_text(KERNEL + "int x = unknown;\n")
    with pytest.raises(ToolRefused) as refused:
        toolchain.compile_cuda(path, "sm_80")
    assert "k.cu" in str(refused.value.diagnostics[0])
    assert ":2" in str(refused.value.diagnostics[0])
