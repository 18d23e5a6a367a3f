"""`ptxtool bench`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ptxtool.cli.options import arch_option, format_option, output_option, tool_options


@click.command("bench")
@click.argument("spec", type=click.Path(path_type=Path), metavar="SPEC.toml")
@click.option(
    "--baseline", type=click.Path(path_type=Path), help="Default: the .cu beside the spec."
)
@click.option(
    "--candidate",
    "candidates",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Default: the .ptx beside the spec; may be repeated.",
)
@arch_option
@click.option("--warm", is_flag=True, help="Leave the L2 cache warm between launches.")
@click.option(
    "--delta",
    type=click.FloatRange(min=0.0, max=1.0),
    default=0.01,
    show_default=True,
    help="Relative difference below which two kernels count as the same.",
)
@click.option(
    "--compare",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A JSON report of an earlier run; exit 1 on a regression.",
)
@click.option(
    "--max-bytes",
    type=click.IntRange(min=1),
    default=8 << 30,
    show_default=True,
    help="Most device memory that a spec may ask for.",
)
@format_option("console", "json", "markdown")
@output_option
@tool_options
def command(
    spec: Path,
    baseline: Path | None,
    candidates: tuple[Path, ...],
    arch: tuple[str, ...],
    warm: bool,
    delta: float,
    compare: Path | None,
    max_bytes: int,
    style: str,
    output: Path | None,
    **tools: Any,
) -> int:
    """Run a candidate against its baseline: outputs first, then time. Exit 3 without a GPU."""
    from ptxtool.app.bench import bench
    from ptxtool.app.session import Tools
    from ptxtool.render import bench as view

    report = bench(
        spec,
        tools=Tools(**tools),
        baseline=baseline,
        candidates=candidates,
        archs=arch,
        warm=warm,
        delta=delta,
        compare=compare,
        max_bytes=max_bytes,
    )
    view.show(report, style=style, output=output)
    return report.exit_code
