"""Reading specs: what a good one gives, and where each fault of a bad one is shown."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptxtool.core.errors import InputError
from ptxtool.core.source import Source
from ptxtool.launch import (
    Case,
    find_kernel,
    find_spec,
    initial_data,
    load_spec,
    parse_spec,
    spec_cases,
)

SAXPY = """\
schema = 1
seed = 42

[sizes]
blocks = "ceil_div(n, 256)"
n = "1 << 10"

[[launch]]
kernel = "saxpy"
grid = "blocks"
block = 256
arguments = ["n", "a", "x", "y"]

[scalar.n]
dtype = "u32"
value = "n"

[scalar.a]
dtype = "f32"
value = 2.5

[buffer.x]
dtype = "f32"
shape = "n"
init = { kind = "uniform", low = -1.0, high = 1.0 }

[buffer.y]
dtype = "f32"
shape = "n"
init = "normal"
output = { ulp = 1 }

[rates]
bytes = "3 * 4 * n"

[[edge]]
sizes = { n = 257 }

[[edge]]
init = { x = "edge" }
scalars = { a = "inf" }
"""


def read(text: str, folder: Path = Path(".")) -> tuple[Case, ...]:
    return spec_cases(parse_spec(Source.from_bytes("k.launch.toml", text.encode()), folder))


def errors(text: str, folder: Path = Path(".")) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(text, folder)
    return [str(item).split("\n")[0] for item in caught.value.diagnostics]


def replaced(old: str, new: str) -> str:
    assert old in SAXPY
    return SAXPY.replace(old, new)


def test_cases_of_a_spec() -> None:
    spec, other_seed, small, edges = read(SAXPY)
    assert spec.sizes == {"blocks": 4, "n": 1024}
    launch = spec.launches[0]
    assert (launch.grid, launch.block, launch.shared) == ((4, 1, 1), (256, 1, 1), 0)
    assert spec.rates == {"bytes": 12288}
    assert spec.total_bytes == 8192
    assert [buffer.name for buffer in spec.outputs] == ["y"]
    assert other_seed.seed == 43
    assert small.launches[0].grid == (2, 1, 1)
    assert small.buffers["x"].size == 257 * 4
    assert edges.launches[0].arguments[1].data == np.float32(np.inf).tobytes()


def test_arguments_are_packed_with_addresses() -> None:
    launch = read(SAXPY)[0].launches[0]
    packed = [argument.packed({"x": 0x1000, "y": 0x2000}) for argument in launch.arguments]
    assert packed[0] == (1024).to_bytes(4, "little")
    assert packed[1] == np.float32(2.5).tobytes()
    assert packed[2] == (0x1000).to_bytes(8, "little")
    assert packed[3] == (0x2000).to_bytes(8, "little")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("schema = 1", "schema = 2", "1:10: error[PTX502]: schema 2 is not known"),
        ("schema = 1", "", "1:1: error[PTX501]: a launch spec needs `schema`"),
        ("seed = 42", "seed = -1", "2:8: error[PTX505]: the seed must be"),
        ("seed = 42", "sede = 42", "2:1: error[PTX501]: a launch spec has no key `sede`"),
        ("block = 256", "blocks = 256", "8:3: error[PTX501]: [[launch]] needs `block`"),
        ('n = "1 << 10"', 'n = "1 <<"', "6:5: error[PTX503]: `1 <<`: not an expression"),
        ('n = "1 << 10"', 'n = "m"', "6:5: error[PTX504]: `m` is not one of the sizes"),
        ('n = "1 << 10"', 'n = "blocks"', "is defined by itself"),
        ('n = "1 << 10"', 'n = "1 << 40"', "error[PTX505]"),
        ('n = "1 << 10"', "min = 3", "6:1: error[PTX501]: `min` has a meaning"),
        ('grid = "blocks"', 'grid = "n / 2"', "10:8: error[PTX503]: `n / 2`: division"),
        ('grid = "blocks"', "grid = 0", "10:8: error[PTX505]: 0 is not between 1 and 2147483647"),
        ('grid = "blocks"', "grid = [1, 2, 3, 4]", "10:8: error[PTX502]: `grid` must be a list"),
        ("block = 256", "block = [64, 32]", "11:9: error[PTX505]: a block of 2048 threads"),
        ("block = 256", "block = 256\ncluster = 3", "12:11: error[PTX502]: the cluster (3, 1, 1)"),
        ("block = 256", "block = true", "error[PTX"),
        ('"x", "y"]', '"x", "z"]', "12:29: error[PTX504]: `z` is no scalar or buffer"),
        ('dtype = "u32"', 'dtype = "uint"', "15:9: error[PTX504]: `uint` is no type"),
        ('dtype = "u32"\nvalue = "n"', 'dtype = "u8"\nvalue = "n"', "1024 does not fit in u8"),
        ("value = 2.5", "value = [1, 2]", "20:9: error[PTX502]: expected one number"),
        ('init = "normal"', 'init = "gauss"', "30:8: error[PTX504]: `gauss` is no initialiser"),
        ("{ ulp = 1 }", "{ ulp = -1 }", "31:18: error[PTX502]: a limit must be"),
        ("{ ulp = 1 }", "{ ulps = 1 }", "31:12: error[PTX501]"),
        ("{ ulp = 1 }", "{ expect = '../y.npy' }", "is outside the spec's folder"),
        ("{ ulp = 1 }", "{ expect = '/etc/passwd' }", "is outside the spec's folder"),
        ("seed = 42", "baseline = 'none.cu'", "2:12: error[PTX506]: `none.cu` is not a file"),
        ("sizes = { n = 257 }", "sizes = { m = 257 }", "37:11: error[PTX504]: `m` is not defined"),
        ("[buffer.x]", "[buffer.a]", "22:9: error[PTX501]: `a` is a scalar already"),
        ("[buffer.x]", '[buffer."x y"]', "22:9: error[PTX501]: `x y` is not a name"),
        ("seed = 42", "seed = ", "2:8: error[PTX500]: not TOML: Invalid value"),
    ],
)
def test_faults_are_shown_where_they_stand(old: str, new: str, expected: str) -> None:
    found = errors(replaced(old, new))
    assert any(expected in line and line.startswith("k.launch.toml:") for line in found), found


def test_several_faults_are_told_at_once() -> None:
    text = replaced("schema = 1", "schema = 3").replace('"normal"', '"gauss"')
    assert len(errors(text.replace("block = 256", "block = 'x y'"))) == 2
    assert len(errors(SAXPY.replace("n = 257", "n = 'q'").replace("[64", ""))) == 1


def test_a_fault_is_told_once() -> None:
    """A bad buffer must not also be unknown among the arguments."""
    assert len(errors(replaced('init = "normal"', 'init = "gauss"'))) == 1


def test_not_utf8_and_too_deep() -> None:
    with pytest.raises(InputError) as caught:
        parse_spec(Source.from_bytes("k", b"schema = 1\nx = '\xff'"), Path("."))
    assert "k:2:6: error[PTX500]: not TOML: not UTF-8" in str(caught.value.diagnostics[0])
    deep = "x = " + "[" * 5000 + "]" * 5000
    assert any("PTX500" in line for line in errors(deep))


def test_column_counts_bytes_behind_other_alphabets() -> None:
    line = "description = 'ü' ü\n"
    assert errors(line)[0].startswith("k.launch.toml:1:20: error[PTX500]")


def test_paths_through_links_do_not_escape(tmp_path: Path) -> None:
    outside = tmp_path / "outside.npy"
    np.save(outside, np.zeros(1024, np.float32))
    folder = tmp_path / "specs"
    folder.mkdir()
    (folder / "y.npy").symlink_to(outside)
    text = replaced("{ ulp = 1 }", "{ ulp = 1, expect = 'y.npy' }")
    assert any("outside the spec's folder" in line for line in errors(text, folder))


def test_limit_on_memory_names_the_buffers() -> None:
    source = Source.from_bytes("k", SAXPY.encode())
    with pytest.raises(InputError) as caught:
        parse_spec(source, Path("."), max_bytes=6000)
    assert "all buffers take 8192 bytes together (x 4096, y 4096)" in str(
        caught.value.diagnostics[0]
    )


def test_found_beside_the_kernel(tmp_path: Path) -> None:
    kernel = tmp_path / "saxpy.ptx"
    assert find_spec(kernel) is None
    (tmp_path / "launch.toml").write_text(SAXPY)
    assert find_spec(kernel) == tmp_path / "launch.toml"
    (tmp_path / "saxpy.launch.toml").write_text(SAXPY)
    assert find_spec(kernel) == tmp_path / "saxpy.launch.toml"
    assert find_kernel(tmp_path / "launch.toml") is None
    kernel.write_text("")
    assert find_kernel(tmp_path / "launch.toml") == kernel
    (tmp_path / "other.ptx").write_text("")
    assert find_kernel(tmp_path / "launch.toml") is None
    assert find_kernel(tmp_path / "saxpy.launch.toml") == kernel
    assert load_spec(tmp_path / "launch.toml").kernels == ("saxpy",)
    with pytest.raises(InputError, match="cannot read"):
        load_spec(tmp_path / "none.toml")


STRUCTS = """\
schema = 1
[sizes]
n = 4
[layout.params]
fields = [
    { name = "x", dtype = "ptr" },
    { name = "n", dtype = "u8" },
    { name = "scale", dtype = "f32", count = 2 },
    { name = "flags", dtype = "u8", offset = 32 },
]
size = 40
[layout.item]
fields = [{ name = "id", dtype = "u16" }, { name = "v", dtype = "f32" }]
[scalar.p]
dtype = "params"
value = { x = "items", n = "n", scale = [1.0, 2.0], flags = 255 }
[scalar.v]
dtype = "f16x2"
value = [1.0, -2.0]
[buffer.items]
dtype = "item"
shape = "n"
init = { id = { kind = "range", start = 5 }, v = "ones" }
output = true
[[launch]]
kernel = "k"
grid = 1
block = 32
arguments = ["p", "v", { buffer = "items", offset = 8 }, { dtype = "u64", value = -1 }]
"""


def test_structs_lie_as_in_c() -> None:
    source = Source.from_bytes("k", STRUCTS.encode())
    spec = parse_spec(source, Path("."))
    case = spec_cases(spec)[0]
    p, v, inside, minus_one = (
        argument.packed({"items": 0xABCD00}) for argument in case.launches[0].arguments
    )
    assert len(p) == 40
    assert p[:8] == (0xABCD00).to_bytes(8, "little")
    assert p[8] == 4
    assert p[12:20] == np.array([1, 2], np.float32).tobytes()
    assert p[32] == 255
    assert p[20:32] == bytes(12)
    assert v == np.array([1, -2], np.float16).tobytes()
    assert inside == (0xABCD08).to_bytes(8, "little")
    assert minus_one == b"\xff" * 8
    data = initial_data(spec, case)["items"]
    assert data is not None
    rows = data.view([("id", "<u2"), ("_", "<u2"), ("v", "<f4")])
    assert rows["id"].tolist() == [5, 6, 7, 8]
    assert rows["v"].tolist() == [1.0] * 4
    assert rows["_"].tolist() == [0] * 4


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("offset = 32", "offset = 16", "field `flags` overlaps `scale`"),
        ("size = 40", "size = 30", "the size must be between 33"),
        ('x = "items"', 'x = "none"', "expected the name of a buffer"),
        ("flags = 255", "flag = 255", "`params` has no field `flag`"),
        ('v = "ones"', 'w = "ones"', "has no key `w`"),
        ("scale = [1.0, 2.0]", "scale = 1", "expected a list of 2 numbers"),
        ('name = "n"', 'name = "x"', "field `x` is there twice"),
        ("offset = 8", "offset = 64", "64 is not between 0 and 32"),
        ("[layout.item]", "[layout.f32]", "is the name of a type already"),
    ],
)
def test_faults_in_structs(old: str, new: str, expected: str) -> None:
    assert old in STRUCTS
    found = errors(STRUCTS.replace(old, new, 1))
    assert any(expected in line for line in found), found


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(SAXPY)), st.sampled_from(['"', "[", "]", "{", "=", "\n", "x", "0", "#"]))
def test_any_small_change_is_read_or_diagnosed(at: int, change: str) -> None:
    text = SAXPY[:at] + change + SAXPY[at + 1 :]
    start = time.perf_counter()
    refusal = None
    try:
        read(text)
    except InputError as error:
        refusal = error
    assert refusal is None or refusal.diagnostics
    assert refusal is None or all(item.span for item in refusal.diagnostics)
    assert time.perf_counter() - start < 5


def test_the_examples_of_the_documentation() -> None:
    page = Path(__file__).resolve().parents[3] / "docs" / "launch-spec.md"
    blocks = [part.split("```")[0] for part in page.read_text().split("```toml\n")[1:]]
    assert len(blocks) == 2
    whole = blocks[0].replace('baseline = "saxpy.cu"', "")
    assert len(read(whole)) == 4
    launch = "\n[[launch]]\nkernel = 'k'\ngrid = 1\nblock = 1\narguments = ['p']\n"
    buffer = "\n[buffer.x]\ndtype = 'f32'\nshape = 4\n"
    struct = read("schema = 1\n[sizes]\nn = 4\n" + blocks[1] + buffer + launch)[0]
    assert len(struct.launches[0].arguments[0].data) == 40


def test_every_key_of_the_reader_is_documented() -> None:
    from ptxtool.launch.read_data import INITIALISERS

    page = (Path(__file__).resolve().parents[3] / "docs" / "launch-spec.md").read_text()
    keys = "grid block cluster shared static_shared cooperative arguments dtype shape init output"
    keys += " align offset bitwise ulp absolute relative norm expect partial schema seed baseline"
    for key in [*keys.split(), *INITIALISERS]:
        assert f"`{key}" in page, key
