"""Reading what ptxas prints, as versions 13.0 and 13.5 print it."""

from ptxtool.core.source import Source
from ptxtool.toolchain.messages import diagnostics_of, read_output

TEXT = """\
ptxas warning : Stack size for entry function 'recursion' cannot be statically determined
ptxas info    : 260 bytes gmem, 112 bytes cmem[4]
ptxas info    : Compiling entry function 'virt' for 'sm_75'
ptxas info    : Function properties for virt
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 28 registers, used 1 barriers, 16 bytes cumulative stack size, 4352+16 bytes \
smem, 364 bytes cmem[0], 96 bytes cmem[2]
ptxas info    : Compile time = 12.588 ms
ptxas info    : Function properties for _Z2fdff
    16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored to maintain minimum \
register requirements. in function 'virt'
ptxas k.ptx, line 7; error   : Unknown modifier '.foo'
ptxas fatal   : Ptx assembly aborted due to errors
"""


def test_resources_belong_to_their_function():
    found = read_output(TEXT).functions
    virt, helper = found["virt"], found["_Z2fdff"]
    assert (virt.kind, virt.registers, virt.barriers) == ("entry", 28, 1)
    assert (virt.shared_bytes, virt.constant_bytes) == (4368, 460)
    assert (helper.kind, helper.registers) == ("function", None)
    assert (helper.stack_bytes, helper.spill_store_bytes, helper.spill_load_bytes) == (16, 12, 20)


def test_what_is_not_printed_is_unknown_or_zero_as_ptxas_means_it():
    text = (
        "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
        "ptxas info    : Function properties for k\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 26 registers, used 0 barriers\n"
    )
    kernel = read_output(text).functions["k"]
    assert kernel.shared_bytes == 0  # no smem is named when there is none
    assert kernel.constant_bytes is None  # newer targets name no cmem at all


def test_messages_keep_code_line_and_function():
    stack, advice, error = read_output(TEXT).messages
    assert (stack.severity, stack.function) == ("warning", "recursion")
    assert (advice.code, advice.function) == ("C7508", "virt")
    assert (error.severity, error.line) == ("error", 7)


def test_diagnostics_point_at_the_statement():
    source = Source("k.ptx", "\n" * 6 + "\tadd.foo %r1;\n")
    found = diagnostics_of(read_output(TEXT).messages, source)
    assert [item.code for item in found] == ["PTX302", "PTX303", "PTX301"]
    assert str(found[2].span) == "k.ptx:7:2"
