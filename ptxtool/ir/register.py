"""A register as an identity: two with one name in different scopes are two objects."""

from __future__ import annotations

from dataclasses import dataclass

from ptxtool.isa.types import BITS


@dataclass(eq=False, slots=True)
class Register:
    """One register; `number` is its place in `Function.registers`, -1 for special ones."""

    name: str
    type: str
    number: int = -1
    is_special: bool = False
    lanes: int = 1  # elements of a vector register such as `.reg .v4 .b32 %v`

    @property
    def bits(self) -> int:
        """Width in bits of all elements; 32 each where the type is not known."""
        return BITS.get(self.type, 32) * self.lanes

    @property
    def units(self) -> int:
        """32-bit registers it takes; a predicate takes none."""
        return 0 if self.type == "pred" else max(1, self.bits // 32)

    def __repr__(self) -> str:
        return f"{self.name}:{self.type}"
