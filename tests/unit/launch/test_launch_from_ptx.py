"""Parameters and block sizes read from parsed PTX."""

from __future__ import annotations

from ptxtool.core.source import Source
from ptxtool.launch.from_ptx import block_threads, parameters_of
from ptxtool.syntax import parse

PTX = b"""\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(
    .param .u64 .ptr .global .align 16 k_param_0,
    .param .u64 k_param_1,
    .param .f32 k_param_2,
    .param .align 8 .b8 k_param_3[40]
)
.maxntid 128, 2, 1
{
    ret;
}
.visible .entry none()
{
    ret;
}
"""


def test_parameters() -> None:
    module = parse(Source.from_bytes("k.ptx", PTX))
    assert not module.diagnostics
    kernel, empty = module.kernels
    pointer, wide, number, struct = parameters_of(kernel)
    assert (pointer.size, pointer.is_pointer, pointer.pointer_alignment) == (8, True, 16)
    assert (wide.type, wide.size, wide.is_pointer) == ("u64", 8, None)
    assert (number.type, number.size, number.alignment) == ("f32", 4, 4)
    assert (struct.size, struct.alignment, struct.is_array) == (40, 8, True)
    assert parameters_of(empty) == ()
    assert block_threads(kernel) == 256
    assert block_threads(empty) is None
