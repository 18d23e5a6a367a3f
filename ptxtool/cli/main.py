"""The command `ptxtool`: finds the command's module only when it is called."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

import click

from ptxtool import __version__
from ptxtool.core.errors import PtxtoolError

# name -> one-line help; each lives in ptxtool/cli/<name>.py as `command`.
COMMANDS = {
    "analyze": "Registers, spills, occupancy, live registers, mix and cycles of each kernel.",
    "optimize": "Apply proved rewrites; keep those that pay after ptxas.",
    "assemble": "PTX or CUDA to cubin, with a table of the resources used.",
    "diff": "Compare the machine code of two files, kernel by kernel.",
    "bench": "Check a kernel's outputs against its baseline, then time both on a GPU.",
    "check": "Find syntax errors and undeclared names without any NVIDIA software.",
    "fmt": "Print PTX in a normalised layout.",
    "launch-spec": "Draft a launch spec from a kernel's parameters.",
    "explain": "Explain an opcode, a rewrite rule or a diagnostic code.",
    "doctor": "Which CUDA tools are found, and what a missing one costs.",
}


class LazyGroup(click.Group):
    """A group whose commands are imported on use, so that `--version` stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of their use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of one command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"ptxtool.cli.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest the nearest command when the name is unknown."""
        if args and args[0] not in COMMANDS:
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else " See 'ptxtool --help'."
            raise click.UsageError(f"No such command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ptxtool", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Analyze, rewrite, assemble, diff and benchmark NVIDIA PTX, with the evidence shown.

    Exit codes: 0 fine; 1 an error found by check, a denied finding, a difference, a layout that
    fmt --check would change, a wrong output or a regression; 2 wrong usage, input that cannot be
    read or that ptxas refuses, a tool that died; 3 a GPU is needed and none is there.
    """
    if ctx.default_map is None:
        from ptxtool.app.settings import load_settings

        ctx.default_map = load_settings(COMMANDS)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; every error becomes a message and an exit code."""
    try:
        code = cli.main(arguments, prog_name="ptxtool", standalone_mode=False)
        return int(code or 0)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.ClickException as wrong:
        wrong.show()
        return 2
    except click.Abort:
        return 130
    except PtxtoolError as error:
        _report(error)
        return error.exit_code
    except BrokenPipeError:
        # The reader went away (`| head`): nothing more can be said.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        click.echo(
            f"ptxtool: error: {error.filename or 'a file'}: {error.strerror or error}", err=True
        )
        return 2
    except Exception as fault:
        return _internal_error(fault)


def _report(error: PtxtoolError) -> None:
    for diagnostic in getattr(error, "diagnostics", ()):
        click.echo(str(diagnostic), err=True)
    click.echo(f"ptxtool: error: {error}", err=True)
    if error.help:
        click.echo(f"  help: {error.help}", err=True)


def _internal_error(fault: Exception) -> int:
    if os.environ.get("PTXTOOL_DEBUG"):
        raise fault
    click.echo(f"ptxtool: internal error: {type(fault).__name__}: {fault}", err=True)
    click.echo(
        "  help: this is a fault in ptxtool; run again with PTXTOOL_DEBUG=1 for the traceback "
        "and report it with the input",
        err=True,
    )
    return 2


if __name__ == "__main__":
    main()
