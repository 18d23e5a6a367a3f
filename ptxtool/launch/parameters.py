"""A kernel's parameters as launching sees them: checking a spec against them, drafting a spec."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ptxtool.core.diagnostics import Diagnostic, Severity
from ptxtool.launch.case import Argument, Case, Launch
from ptxtool.launch.model import LaunchSpec
from ptxtool.launch.problems import BAD_PARAMETERS

POINTER_BYTES = 8


@dataclass(frozen=True)
class KernelParameter:
    """One `.param` of an entry. Sizes in bytes; `type` is PTX's, without its dot.

    `is_pointer` is None where PTX does not say: a .u64 without .ptr may be either.
    """

    name: str
    type: str
    size: int
    alignment: int
    is_pointer: bool | None = None
    pointer_alignment: int | None = None

    @property
    def is_array(self) -> bool:
        """Whether it is an array of bytes: a struct passed by value."""
        return self.type in ("b8", "u8", "s8") and self.size > 1


def check_parameters(
    spec: LaunchSpec, case: Case, kernel: str, parameters: Sequence[KernelParameter]
) -> tuple[Diagnostic, ...]:
    """What does not fit between the launches of a kernel and its parameters."""
    found: list[Diagnostic] = []
    for index, launch in enumerate(case.launches):
        if launch.kernel == kernel:
            found += _check_launch(spec, index, launch, parameters)
    return tuple(found)


def _check_launch(
    spec: LaunchSpec, index: int, launch: Launch, parameters: Sequence[KernelParameter]
) -> Iterable[Diagnostic]:
    path = ("launch", index, "arguments")
    if len(launch.arguments) != len(parameters):
        message = (
            f"`{launch.kernel}` has {len(parameters)} parameters, "
            f"the spec passes {len(launch.arguments)}"
        )
        shown = ", ".join(f"{item.name} (.{item.type})" for item in parameters)
        span = spec.locator.value(path)
        yield Diagnostic(
            BAD_PARAMETERS, Severity.ERROR, message, span, f"it has: {shown or 'none'}"
        )
        return
    for number, (argument, parameter) in enumerate(zip(launch.arguments, parameters, strict=True)):
        complaint = _mismatch(argument, parameter)
        if complaint is not None:
            span = spec.locator.value((*path, number))
            yield Diagnostic(BAD_PARAMETERS, Severity.ERROR, complaint, span)


def _mismatch(argument: Argument, parameter: KernelParameter) -> str | None:
    name = argument.name or "the value"
    if len(argument.data) != parameter.size:
        return (
            f"`{name}` has {len(argument.data)} bytes, parameter `{parameter.name}` "
            f"(.{parameter.type}) has {parameter.size}"
        )
    is_address = bool(argument.patches) and len(argument.data) == POINTER_BYTES
    if is_address and parameter.type in ("f64", "f32", "f16"):
        return f"`{name}` is an address, parameter `{parameter.name}` is .{parameter.type}"
    is_null = not any(argument.data)
    if parameter.is_pointer and not argument.patches and not is_null:
        return f"parameter `{parameter.name}` is a pointer, `{name}` is a plain value"
    return None


_DRAFT_DTYPES = {
    **{f"{kind}{bits}": f"{kind}{bits}" for kind in "us" for bits in (8, 16, 32, 64)},
    **{f"b{bits}": f"b{bits}" for bits in (8, 16, 32, 64)},
    "f16": "f16",
    "f32": "f32",
    "f64": "f64",
}


def draft_spec(kernel: str, parameters: Sequence[KernelParameter], *, threads: int = 256) -> str:
    """A launch spec to start from: valid, and with a comment wherever the PTX did not say.

    `threads` is the block size to write, from .reqntid or .maxntid where the kernel has one.
    """
    scalars, buffers, layouts, names = [], [], [], []
    for index, parameter in enumerate(parameters):
        name = f"p{index}"
        names.append(f'"{name}"')
        if _may_be_pointer(parameter):
            buffers.append(_draft_buffer(name, parameter))
        elif parameter.is_array:
            layouts.append(_draft_layout(name, parameter))
            scalars.append(f'[scalar.{name}]\ndtype = "{name}_layout"\nvalue = {{}}')
        else:
            scalars.append(_draft_scalar(name, parameter))
    quoted = kernel.replace("\\", "\\\\").replace('"', '\\"')
    head = (
        "# Drafted from the parameters of the kernel: check every line marked `?`.\n"
        "# The format is described in docs/launch-spec.md.\n"
        "schema = 1\nseed = 0\n\n"
        '[sizes]\nn = "1 << 20"  # ? number of elements\n\n'
        f'[[launch]]\nkernel = "{quoted}"\n'
        f'grid = "ceil_div(n, {threads})"  # ?\nblock = {threads}\n'
        f"arguments = [{', '.join(names)}]"
    )
    edge = "[[edge]]\nsizes = { n = 1 }" if buffers else ""
    return "\n\n".join(filter(None, [head, *layouts, *scalars, *buffers, edge])) + "\n"


def _may_be_pointer(parameter: KernelParameter) -> bool:
    if parameter.is_pointer is not None:
        return parameter.is_pointer
    return parameter.size == POINTER_BYTES and parameter.type in ("u64", "b64")


def _draft_buffer(name: str, parameter: KernelParameter) -> str:
    doubt = "" if parameter.is_pointer else "  # ? a 64-bit parameter: address or number?"
    lines = [
        f"[buffer.{name}]  # {parameter.name}{doubt}",
        'dtype = "f32"  # ?',
        'shape = "n"  # ?',
        'init = "uniform"  # ?',
        "output = true  # ? drop this line if the kernel only reads it",
    ]
    if parameter.pointer_alignment and parameter.pointer_alignment > 256:
        lines.insert(1, f"align = {min(parameter.pointer_alignment, 4096)}")
    return "\n".join(lines)


def _draft_layout(name: str, parameter: KernelParameter) -> str:
    return (
        f"[layout.{name}_layout]  # {parameter.name}: {parameter.size} bytes\n"
        f'fields = [{{ name = "bytes", dtype = "u8", count = {parameter.size} }}]  # ? its fields\n'
        f"size = {parameter.size}\nalign = {parameter.alignment}"
    )


def _draft_scalar(name: str, parameter: KernelParameter) -> str:
    dtype = _DRAFT_DTYPES.get(parameter.type, f"b{parameter.size * 8}")
    value = '"n"' if dtype in ("u32", "s32", "u64", "s64", "b32") else "1"
    return f'[scalar.{name}]  # {parameter.name}\ndtype = "{dtype}"\nvalue = {value}  # ?'


def check_static_shared(
    spec: LaunchSpec, case: Case, kernel: str, shared_bytes: int | None
) -> tuple[Diagnostic, ...]:
    """A warning for each launch whose `static_shared` is not what ptxas reports, in bytes.

    `shared_bytes` of None is unknown and gives none.
    """
    if shared_bytes is None:
        return ()
    return tuple(
        Diagnostic(
            BAD_PARAMETERS,
            Severity.WARNING,
            f"`{kernel}` has {shared_bytes} bytes of static shared memory, "
            f"the spec expects {launch.static_shared}",
            spec.locator.value(("launch", index, "static_shared")),
        )
        for index, launch in enumerate(case.launches)
        if launch.kernel == kernel and launch.static_shared not in (None, shared_bytes)
    )
