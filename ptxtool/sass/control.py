"""The control word of a Volta-to-Blackwell instruction.

Layout (bit 0 is the lowest of the 128): stall 105..108, stay flag 109, write barrier 110..112, read
barrier 113..115, wait mask 116..121, reuse 122..125. Verified by flipping each bit and
disassembling again on sm_75 to sm_120 (nvdisasm 13.5); meanings after Jia et al. 2018 and Huerta et
al. 2025.
"""

from __future__ import annotations

from dataclasses import dataclass

NO_BARRIER = 7


@dataclass(frozen=True, slots=True)
class ControlWord:
    """What the scheduler is told. `stall` in cycles; a barrier index is None when there is none."""

    stall: int
    yields: bool  # the stay bit is clear: another warp may go first
    write_barrier: int | None
    read_barrier: int | None
    wait_mask: int
    reuse: int

    @property
    def is_valid(self) -> bool:
        """ptxas never stays on a warp for 0 or for more than 11 cycles; hardware ignores it."""
        return self.yields or 1 <= self.stall <= 11

    def __str__(self) -> str:
        """Compact: wait mask, read and write barrier, yield, stall."""
        wait = "".join(str(i) if self.wait_mask >> i & 1 else "-" for i in range(6))
        read = "-" if self.read_barrier is None else str(self.read_barrier)
        write = "-" if self.write_barrier is None else str(self.write_barrier)
        return f"{wait}:R{read}:W{write}:{'Y' if self.yields else '-'}:S{self.stall:02d}"


def decode(encoding: int) -> ControlWord:
    """The control word of a 128-bit encoding."""
    high = encoding >> 64
    write, read = high >> 46 & 7, high >> 49 & 7
    return ControlWord(
        stall=high >> 41 & 15,
        yields=not high >> 45 & 1,
        write_barrier=None if write == NO_BARRIER else write,
        read_barrier=None if read == NO_BARRIER else read,
        wait_mask=high >> 52 & 63,
        reuse=high >> 58 & 15,
    )
