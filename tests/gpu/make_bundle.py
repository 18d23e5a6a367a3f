"""Make a GPU bundle: python tests/gpu/make_bundle.py FOLDER --arch sm_90a

It holds the probes and every sample (PTX as compiled, optimized where that changes it, and its
CUDA baseline). Copy the folder to a machine with a GPU, NumPy and cuda-bindings, and run
`python run.py` in it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from probes import Probe, all_probes  # noqa: E402

from ptxtool.core.errors import PtxtoolError  # noqa: E402
from ptxtool.gpu import Method, Variant  # noqa: E402
from ptxtool.gpu.bundle import BundlePart, write_bundle  # noqa: E402
from ptxtool.launch import find_kernel, load_spec  # noqa: E402
from ptxtool.toolchain import Assembly, Toolchain  # noqa: E402

SAMPLES = HERE.parent.parent / "samples"
PROBE_SECONDS = 10.0
SAMPLE_SECONDS = 25.0
SAMPLE_METHOD = Method(maximum_seconds=6.0)


def variant(name: str, assembly: Assembly, file: str) -> Variant:
    """A variant of an assembly, with where it came from."""
    entries = [item.name for item in assembly.functions.values() if item.kind == "entry"]
    origin = {"file": file, "ptxas": assembly.ptxas_version, "arch": assembly.arch}
    return Variant(name, assembly.cubin, tuple(entries), origin)


def probe_part(probe: Probe, toolchain: Toolchain, arch: str, folder: Path) -> BundlePart:
    """The part of one probe; its spec is written into `folder`."""
    path = folder / probe.name / "launch.toml"
    path.parent.mkdir(parents=True)
    path.write_text(probe.spec)
    assembly = toolchain.assemble(probe.ptx.encode(), arch, name=probe.name)
    return BundlePart(
        name=probe.name,
        spec=load_spec(path),
        variants=(variant(probe.name, assembly, probe.name),),
        seconds=PROBE_SECONDS,
        is_probe=True,
        labels={"kind": probe.kind},
    )


def sample_part(path: Path, toolchain: Toolchain, arch: str) -> BundlePart | None:
    """The part of one sample; None, with a word, if it does not assemble for this target."""
    spec = load_spec(path)
    source = find_kernel(path)
    if source is None:
        print(f"left out {path.parent.name}: no PTX beside its spec", file=sys.stderr)
        return None
    try:
        variants = [variant("ptx", toolchain.assemble(source.read_bytes(), arch), source.name)]
        if spec.baseline is not None and spec.baseline.suffix == ".cu":
            compiled = toolchain.compile_cuda(spec.baseline, arch)
            assembly = toolchain.assemble(compiled, arch)
            variants.insert(0, variant("cuda", assembly, spec.baseline.name))
    except (PtxtoolError, OSError) as error:
        print(f"left out {path.parent.name}: {error}", file=sys.stderr)
        return None
    name = path.parent.name.replace("_", "-")
    method = SAMPLE_METHOD
    return BundlePart(f"sample-{name}", spec, tuple(variants), SAMPLE_SECONDS, method=method)


def make(folder: Path, arch: str, toolchain: Toolchain) -> int:
    """Write the bundle; its size in bytes. Raises PtxtoolError."""
    with tempfile.TemporaryDirectory() as work:
        probes = [probe_part(probe, toolchain, arch, Path(work)) for probe in all_probes(arch)]
        specs = sorted(SAMPLES.rglob("*launch.toml"))
        samples = [sample_part(path, toolchain, arch) for path in specs]
        parts = [part for part in samples if part is not None] + probes
        return write_bundle(folder, parts, {"ptxas": toolchain.ptxas_version, "arch": arch})


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--arch", default="sm_90a")
    options = parser.parse_args()
    try:
        size = make(options.folder, options.arch, Toolchain.discover())
    except PtxtoolError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    print(f"{options.folder}: {size} bytes for {options.arch}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
