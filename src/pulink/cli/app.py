"""The command's front door: which commands there are, and how failures end.

Exit status: 0 done, 2 usage, 3 bad input, 4 would not fit in memory, 5 cannot write, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from pulink.cli.evaluate import evaluate
from pulink.cli.find import find
from pulink.cli.listings import datasets, methods
from pulink.errors import PulinkError

app = typer.Typer(
    name="pulink",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 done, 2 usage, 3 bad input, 4 would not fit in memory, 5 cannot write, 130 interrupted",
)
app.command()(find)
app.command()(evaluate)
app.command()(methods)
app.command()(datasets)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"pulink {version('pulink')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """pulink finds the links that are missing from a graph."""


def main() -> None:
    """Run the command and leave with a documented exit status; never with a traceback."""
    try:
        app()
    except PulinkError as error:
        _leave(str(error), error.exit_status)
    except KeyboardInterrupt:
        _leave("interrupted; nothing was left half-written", 130)
    except MemoryError:
        _leave("memory ran out; use a smaller graph or fewer units", 4)
    except BrokenPipeError:
        # Whoever read our output has enough: not an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def _leave(message: str, status: int) -> None:
    from pulink.cli.console import printable

    sys.stderr.write(f"pulink: {printable(message)}\n")
    sys.exit(status)
