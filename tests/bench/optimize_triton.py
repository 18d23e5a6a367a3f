"""What `optimize` does to the Triton kernels of the corpus; writes docs/measurements/.

Needs PTXTOOL_CORPUS. Beside what the gate kept, the table shows what splitting every `mad.wide`
blindly would have done to each kernel, which is what the gate is there to prevent.
"""

from __future__ import annotations

import csv
import math
import os
import sys
from pathlib import Path

from ptxtool import ir
from ptxtool.app.assembled import declared_threads, measure_kernel
from ptxtool.app.session import Tools
from ptxtool.core.source import Source
from ptxtool.cost import KernelCost
from ptxtool.render.table import Table
from ptxtool.rewrite import all_rules, find_matches, optimize
from ptxtool.rewrite.apply import apply_matches
from ptxtool.syntax import parse

OUTPUT = Path(__file__).resolve().parents[2] / "docs" / "measurements" / "optimize-triton.md"
SPLIT = next(rule for rule in all_rules() if rule.name == "split-mad-wide")


class Run:
    """The measurements of one run over the corpus."""

    def __init__(self) -> None:
        self.toolchain = Tools().toolchain()
        self.table = Table(
            ["file", "kernel", "target", "instructions", "weighted stall cycles", "registers",
             "attempts", "blind split: instructions, cycles, registers"]
        )  # fmt: skip
        self.kept: list[tuple[KernelCost, KernelCost]] = []
        self.blind: list[tuple[KernelCost, KernelCost]] = []
        self.failed: list[str] = []

    def add(self, path: Path, arch: str) -> None:
        source = Source.read(path)
        module = parse(source)
        for node in module.kernels:
            threads = declared_threads(node)[0]

            def measure(text: Source, kernel: str, target: str, threads=threads) -> KernelCost:
                return measure_kernel(text, kernel, target, threads, self.toolchain)

            report = optimize(
                source, archs=[arch], kernels=[node.name], rules=all_rules(), measure=measure
            )
            (kernel,) = report.kernels
            if kernel.failure:
                self.failed.append(f"{path.name} {node.name}: {kernel.failure}")
                continue
            before, after = kernel.before[arch], kernel.after[arch]
            self.kept.append((before, after))
            function = ir.build(node, module)
            sites = find_matches(SPLIT, function)
            blind = before
            if sites:
                blind = measure(apply_matches(source, function, sites), node.name, arch)
                self.blind.append((before, blind))
            self.table.add(
                path.name,
                f"`{node.name[:24]}`",
                arch,
                arrow(before.instructions, after.instructions),
                arrow(before.cycles_weighted, after.cycles_weighted),
                arrow(before.registers, after.registers),
                "; ".join(
                    f"{'applied' if a.applied else 'refused'} {a.rule} x{len(a.lines)}: {a.reason}"
                    for a in kernel.attempts
                )
                or "no site",
                f"{blind.instructions}, {blind.cycles_weighted}, {blind.registers}"
                if sites
                else "-",
            )


def arrow(before: int | None, after: int | None) -> str:
    return f"{before}" if before == after else f"{before} → {after}"


def geomean(pairs: list[tuple[KernelCost, KernelCost]], name: str) -> float:
    ratios = [getattr(b, name) / getattr(a, name) for a, b in pairs if getattr(a, name)]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 1.0


def summary(run: Run) -> list[str]:
    changed = [(a, b) for a, b in run.kept if a != b]
    worse = [(a, b) for a, b in run.kept if b.cycles_weighted > a.cycles_weighted * 1.01 + 4]
    blind_up = sum(b.cycles_weighted > a.cycles_weighted for a, b in run.blind)
    blind_registers = sum((b.registers or 0) > (a.registers or 0) for a, b in run.blind)
    return [
        f"{len(run.kept)} kernels, ptxas {run.toolchain.ptxas_version}, every rule.",
        "",
        f"- The gate changed {len(changed)} kernels. Over these: instructions "
        f"x{geomean(changed, 'instructions'):.4f}, weighted stall cycles "
        f"x{geomean(changed, 'cycles_weighted'):.4f} (geometric means).",
        f"- Kernels kept with more weighted cycles than the tolerance allows: {len(worse)}.",
        f"- Splitting every `mad.wide` blindly in the {len(run.blind)} kernels that have one: "
        f"weighted cycles rise in {blind_up}, registers rise in {blind_registers}, instructions "
        f"x{geomean(run.blind, 'instructions'):.4f}.",
        *(f"- not measured: {text}" for text in run.failed),
    ]


def main() -> int:
    place = os.environ.get("PTXTOOL_CORPUS")
    if not place:
        print("not run: PTXTOOL_CORPUS is not set")
        return 0
    run = Run()
    with (Path(place) / "manifest.csv").open() as rows:
        files = [row for row in csv.DictReader(rows) if row["file"].startswith("triton/")]
    for row in files:
        run.add(Path(place) / row["file"], row["arch"])
    lines = summary(run)
    print("\n".join(lines))
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    head = "# `optimize` on Triton kernels\n\nMade by `tests/bench/optimize_triton.py`.\n"
    OUTPUT.write_text("\n".join([head, *lines, "", run.table.to_markdown(), ""]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
