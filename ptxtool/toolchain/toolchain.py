"""The toolchain: one object that assembles, disassembles and compiles, with results cached."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ptxtool.core.errors import InputError, ToolError, ToolMissing, ToolRefused
from ptxtool.core.source import Source
from ptxtool.toolchain import compile_cuda
from ptxtool.toolchain.cache import Cache, default_folder, key_of
from ptxtool.toolchain.find import Tool, find_tool
from ptxtool.toolchain.messages import FunctionResources, Message, diagnostics_of, read_output
from ptxtool.toolchain.run import Done, run_tool

INPUT_NAME = "input.ptx"
_SAYS_NO = re.compile(r"^ptxas .*\b(?:error|fatal)\b", re.MULTILINE)


@dataclass(frozen=True)
class Assembly:
    """What ptxas made of one module for one target. `seconds` is ptxas's wall time."""

    cubin: bytes = field(repr=False)
    functions: dict[str, FunctionResources]
    messages: tuple[Message, ...]
    ptxas_version: str
    arch: str
    command: tuple[str, ...]
    seconds: float
    from_cache: bool


@dataclass(frozen=True)
class Disassembly:
    """nvdisasm's two views of one cubin, to be joined on function and offset."""

    listing: str = field(repr=False)  # nvdisasm -c -gp: PTX lines
    live_counts: str = field(repr=False)  # nvdisasm -c -lrm count: live registers
    nvdisasm_version: str


@dataclass
class Toolchain:
    """The CUDA tools of one configuration; each is looked for when it is first needed."""

    options: dict[str, str | None]
    cache: Cache
    timeout: float = 300.0

    @classmethod
    def discover(
        cls,
        ptxas: str | None = None,
        nvdisasm: str | None = None,
        cuobjdump: str | None = None,
        nvcc: str | None = None,
        cache: Path | bool | None = None,
        timeout: float = 300.0,
    ) -> Toolchain:
        """A toolchain. `cache` is a folder, False for none, None for the user's own."""
        folder = (
            cache if isinstance(cache, Path) else (None if cache is False else default_folder())
        )
        options = {"ptxas": ptxas, "nvdisasm": nvdisasm, "cuobjdump": cuobjdump, "nvcc": nvcc}
        return cls(options, Cache(folder), timeout)

    def tool(self, name: str) -> Tool:
        """One tool. Raises ToolMissing."""
        return find_tool(name, self.options.get(name))

    @cached_property
    def ptxas(self) -> Tool:
        """The assembler. Raises ToolMissing."""
        return self.tool("ptxas")

    @cached_property
    def nvdisasm(self) -> Tool:
        """The disassembler. Raises ToolMissing."""
        return self.tool("nvdisasm")

    @property
    def ptxas_version(self) -> str:
        """Such as "13.5.37". Raises ToolMissing."""
        return self.ptxas.version

    def assemble(
        self,
        ptx: bytes,
        arch: str,
        *,
        name: str = "<input>",
        kernel: str | None = None,
        options: Sequence[str] = (),
        lineinfo: bool = True,
    ) -> Assembly:
        """PTX to cubin with `ptxas -v`; a module that needs linking is assembled relocatable.

        `kernel` assembles that entry alone (`ptxas -e`), with the same SASS. Raises ToolRefused
        with the messages at their lines, ToolCrashed, ToolTimeout, ToolMissing.
        """
        flags = [f"-arch={arch}", "-v", *(["-lineinfo"] if lineinfo else []), *options]
        if kernel is not None:
            flags += ["-e", kernel]
        found = self._assemble(ptx, flags, arch)
        if found["refused"] and _needs_linking(found["text"]):
            found = self._assemble(ptx, [*flags, "-c"], arch)
        output = read_output(found["text"])
        if found["refused"]:
            raise self._refusal(ptx, name, arch, output.messages)
        return Assembly(
            found["body"],
            output.functions,
            tuple(output.messages),
            self.ptxas.version,
            arch,
            ("ptxas", *found["flags"]),
            found["seconds"],
            found["from_cache"],
        )

    def _assemble(self, ptx: bytes, flags: list[str], arch: str) -> dict[str, Any]:
        key = key_of("ptxas", self.ptxas.identity, *flags, b"\0", ptx)
        kept = self.cache.get(key)
        if kept is not None:
            return {**kept[0], "body": kept[1], "from_cache": True}
        with tempfile.TemporaryDirectory(prefix="ptxtool-") as folder:
            source, cubin = Path(folder) / INPUT_NAME, Path(folder) / "out.cubin"
            source.write_bytes(ptx)
            command = [self.ptxas.path, *flags, "-o", cubin.name, source.name]
            done = run_tool(command, timeout=self.timeout, cwd=Path(folder), name="ptxas")
            body = cubin.read_bytes() if done.code == 0 and cubin.is_file() else b""
        facts: dict[str, Any] = {
            "text": done.text,
            "flags": flags,
            "seconds": done.seconds,
            "refused": done.code != 0,
        }
        _check_answer(done, body, self.ptxas.version)
        self.cache.put(key, facts, body)
        return {**facts, "body": body, "from_cache": False}

    def _refusal(self, ptx: bytes, name: str, arch: str, messages: list[Message]) -> ToolRefused:
        source = Source.from_bytes(name, ptx)
        errors = [message for message in messages if message.severity == "error"]
        return ToolRefused(
            f"ptxas {self.ptxas.version} refuses {name} for {arch}",
            diagnostics=diagnostics_of(errors or messages, source),
            help="mend the lines above; `ptxtool check` lists every syntax error at once",
        )

    def disassemble(self, cubin: bytes) -> Disassembly:
        """Both views of a cubin. Raises InputError for what is no cubin, ToolMissing."""
        return Disassembly(
            self._nvdisasm(cubin, ("-c", "-gp")),
            self._nvdisasm(cubin, ("-c", "-lrm", "count")),
            self.nvdisasm.version,
        )

    def listing(self, cubin: bytes) -> str:
        """The view with PTX lines alone, for those who do not need live counts."""
        return self._nvdisasm(cubin, ("-c", "-gp"))

    def _nvdisasm(self, cubin: bytes, flags: tuple[str, ...]) -> str:
        key = key_of("nvdisasm", self.nvdisasm.identity, *flags, b"\0", cubin)
        kept = self.cache.get(key)
        if kept is not None:
            return kept[1].decode("utf-8", "replace")
        with tempfile.TemporaryDirectory(prefix="ptxtool-") as folder:
            path = Path(folder) / "in.cubin"
            path.write_bytes(cubin)
            command = [self.nvdisasm.path, *flags, str(path)]
            done = run_tool(command, timeout=self.timeout, name="nvdisasm")
        if done.code != 0:
            reason = (done.text.strip().splitlines() or ["no reason given"])[-1]
            reason = reason.replace(str(path), "the file")
            raise InputError(
                f"nvdisasm {self.nvdisasm.version} refuses the cubin: {reason}",
                help="it may be damaged, or made for a target that this nvdisasm does not know",
            )
        self.cache.put(key, {}, done.stdout)
        return done.stdout.decode("utf-8", "replace")

    def compile_cuda(self, path: Path, arch: str, *, options: Sequence[str] = ()) -> bytes:
        """CUDA C++ to PTX. Raises ToolRefused with the errors at their lines, ToolMissing."""
        try:
            nvcc = self.tool("nvcc") if compile_cuda.has_host_compiler() else None
        except ToolMissing:
            nvcc = None
        if nvcc is None:
            return compile_cuda.with_nvrtc(path, arch, options, self.timeout)
        return compile_cuda.with_nvcc(nvcc, path, arch, options, self.timeout)

    def cuobjdump(self, path: Path, *flags: str, cwd: Path | None = None) -> str:
        """What cuobjdump prints of a file. Raises ToolMissing; an empty text is no error."""
        command = [self.tool("cuobjdump").path, *flags, str(path.resolve())]
        return run_tool(command, timeout=self.timeout, cwd=cwd, name="cuobjdump").text


def _check_answer(done: Done, body: bytes, version: str) -> None:
    """A run that neither made a cubin nor said why is a failure, not an answer to keep."""
    if (done.code == 0 and body) or (done.code != 0 and _SAYS_NO.search(done.text)):
        return
    reason = (done.text.strip().splitlines() or ["without a message"])[-1]
    raise ToolError(
        f"ptxas {version} failed with exit code {done.code}: {reason}",
        help="check the disk, the memory, and that this program is ptxas",
    )


def _needs_linking(text: str) -> bool:
    return "Unresolved extern" in text or "requires command line option '--compile-only'" in text
