"""What is compared: several assemblies of the same kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ptxtool.core.errors import InputError


@dataclass(frozen=True)
class Variant:
    """One assembly. `origin` is what a report says about it (file, ptxas version, options)."""

    name: str
    code: bytes = field(repr=False)
    entries: tuple[str, ...] = ()  # names of its kernels; empty if unknown
    origin: Mapping[str, str] = field(default_factory=dict)

    def entry(self, kernel: str) -> str:
        """The entry that a spec's kernel name means here. Raises InputError."""
        if not self.entries or kernel in self.entries:
            return kernel
        return match_entry(kernel, self.entries, self.name)


def match_entry(kernel: str, entries: Sequence[str], where: str) -> str:
    """The only entry, or the only one whose mangled name holds `kernel`. Raises InputError."""
    holding = [entry for entry in entries if _is_mangled(entry, kernel)]
    if len(holding) == 1:
        return holding[0]
    if len(entries) == 1:
        return entries[0]
    shown = ", ".join(entries[:8])
    raise InputError(
        f"{where} has no kernel `{kernel}`",
        help=f"it has {shown}; name one of them as `kernel` in the launch spec",
    )


def _is_mangled(entry: str, kernel: str) -> bool:
    """Itanium mangling writes a name behind its length."""
    return entry == kernel or (entry.startswith("_Z") and f"{len(kernel)}{kernel}" in entry)
