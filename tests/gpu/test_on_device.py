"""On a real device: our own kernels with planted faults, and every sample against its baseline."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxtool.core.errors import DeviceUnavailable
from ptxtool.core.source import Source
from ptxtool.gpu import CudaDevice, Method, Status, Variant, Verdict, bench
from ptxtool.launch import find_kernel, load_spec, parse_spec

pytestmark = pytest.mark.gpu

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"
SPECS = sorted(SAMPLES.rglob("*launch.toml"))
QUICK = Method(maximum_seconds=5.0)


@pytest.fixture(scope="module")
def device():
    try:
        found = CudaDevice.open()
    except DeviceUnavailable as error:
        pytest.skip(str(error))
    yield found
    found.close()


def architecture(device: CudaDevice, target: str) -> str:
    """The device's target, with the suffix of the PTX's own (sm_90a) where it has one."""
    suffix = target[-1] if target[-1] in "af" else ""
    return "sm_" + device.info.capability.replace(".", "") + suffix


# y[i] = 2 * x[i] + y[i], with a place for an extra instruction before the end.
SCALE = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 px, .param .u64 py, .param .u32 pn)
{{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .b64 %d<6>;
    .reg .f32 %f<4>;
    ld.param.u64 %d1, [px];
    ld.param.u64 %d2, [py];
    ld.param.u32 %r1, [pn];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra DONE;
    mul.wide.u32 %d3, %r5, 4;
    add.s64 %d4, %d1, %d3;
    add.s64 %d5, %d2, %d3;
    ld.global.f32 %f1, [%d4];
    ld.global.f32 %f2, [%d5];
    fma.rn.f32 %f3, %f1, {factor}, %f2;
    st.global.f32 [%d5], %f3;
    {extra}
DONE:
    ret;
}}
"""
SCALE_SPEC = """\
schema = 1
[sizes]
n = "1 << 22"
[scalar.n]
dtype = "u32"
value = "n"
[buffer.x]
dtype = "f32"
shape = "n"
init = "normal"
[buffer.y]
dtype = "f32"
shape = "n"
init = "normal"
output = "bitwise"
[[launch]]
kernel = "scale"
grid = "ceil_div(n, 256)"
block = 256
arguments = ["x", "y", "n"]
[rates]
bytes = "12 * n"
[[edge]]
sizes = { n = 1000 }
"""


def scale(device: CudaDevice, toolchain, name: str, *, factor="0f40000000", extra="") -> Variant:
    text = SCALE.format(factor=factor, extra=extra).encode()
    return Variant(name, toolchain.assemble(text, architecture(device, "sm_80")).cubin)


def run(device: CudaDevice, *variants: Variant):
    spec = parse_spec(Source.from_bytes("scale.launch.toml", SCALE_SPEC.encode()), Path("."))
    return bench(device, spec, variants, QUICK)


def test_the_same_code_is_the_same_and_near_the_memorys_speed(device, toolchain) -> None:
    first, second = (scale(device, toolchain, name) for name in "ab")
    report = run(device, first, second)
    assert report.all_correct
    assert report.variant("b").ratio.verdict is Verdict.SAME
    assert 5e10 < report.variant("a").rates["bytes"] < 2e13


def test_planted_faults_are_found(device, toolchain) -> None:
    report = run(
        device,
        scale(device, toolchain, "good"),
        scale(device, toolchain, "wrong", factor="0f40000001"),
        scale(device, toolchain, "stray", extra="st.global.f32 [%d5+4], %f3;"),
        scale(device, toolchain, "dead", extra="mov.u64 %d1, 8; st.global.f32 [%d1], %f3;"),
        scale(device, toolchain, "after"),
    )
    status = {variant.name: variant.status for variant in report.variants}
    assert status == {
        "good": Status.TIMED,
        "wrong": Status.WRONG,
        "stray": Status.WRONG,
        "dead": Status.FAILED,
        "after": Status.TIMED,
    }
    assert report.variant("stray").cases[0].violations[0].side == "behind"


def test_more_work_is_slower(device, toolchain) -> None:
    slow = "\n".join(["ld.volatile.global.f32 %f1, [%d4];"] * 8)
    report = run(
        device, scale(device, toolchain, "plain"), scale(device, toolchain, "slow", extra=slow)
    )
    assert report.variant("slow").ratio.verdict is Verdict.SLOWER


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.parent.name)
def test_samples_agree_with_their_baselines(device, toolchain, path: Path) -> None:
    from ptxtool.syntax import parse

    spec = load_spec(path)
    source = find_kernel(path)
    assert source is not None
    module = parse(Source.read(source))
    arch = architecture(device, module.target[0])
    candidate = toolchain.assemble(source.read_bytes(), arch, name=source.name)
    variants = [_variant("ptx", candidate)]
    if spec.baseline is not None and spec.baseline.suffix == ".cu":
        compiled = toolchain.compile_cuda(spec.baseline, arch)
        variants.insert(0, _variant("cuda", toolchain.assemble(compiled, arch)))
    report = bench(device, spec, variants, QUICK)
    assert report.all_correct, [variant.cases for variant in report.variants]


def _variant(name: str, assembly) -> Variant:
    entries = [item.name for item in assembly.functions.values() if item.kind == "entry"]
    return Variant(name, assembly.cubin, tuple(entries))
