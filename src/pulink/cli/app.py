"""The command's front door: which commands there are, and how failures end.

Exit status: 0 done, 2 usage, 3 bad input, 4 would not fit in memory, 5 cannot write, 130 interrupted,
143 ended by SIGTERM.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import io
import os
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from pulink.cli.about import cite, versions
from pulink.cli.estimate import estimate
from pulink.cli.explain import explain
from pulink.cli.explore import explore
from pulink.cli.find import find
from pulink.cli.listings import datasets, methods
from pulink.cli.measuring.evaluate import evaluate
from pulink.cli.measuring.reproduce import reproduce
from pulink.cli.parsing import options
from pulink.cli.parsing.configured_command import (
    Config,
    ConfiguredCommand,
    name_origins,
    used_from_elsewhere,
)
from pulink.cli.parsing.given import described
from pulink.cli.review import review
from pulink.cli.schema import schema
from pulink.cli.suggest import suggest
from pulink.cli.terminal.console import ClosedOutput, Sent, printable
from pulink.cli.terminal.interrupts import Stopped, interrupted
from pulink.cli.terminal.json_errors import InFile, json_is_asked_for, print_error
from pulink.cli.terminal.log_lines import log_shown
from pulink.cli.terminal.signals import INTERRUPTED, Terminated, farewell, status_of
from pulink.errors import OutputError, ParameterError, PulinkError
from pulink.system.log import LOG
from pulink.system.user_cache import keep_libraries_quiet

app = typer.Typer(
    name="pulink",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 done, 2 usage, 3 bad input, 4 would not fit in memory, 5 cannot write, "
    "130 interrupted, 143 ended by SIGTERM",
)


class _Ended(Exception):  # noqa: N818 (nothing went wrong)
    """A person or a reader has had enough. Typer would end these two its own way, without a word."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


# The root of what Typer raises for a command line that it does not understand; it has no public name.
_UsageError: type[Exception] = typer.BadParameter.__mro__[2]
_INTERRUPTED = 130

# These compute nothing.
_PLAIN = (methods, datasets, schema, versions, cite)
_STATUSES = {
    0: "done", 2: "usage", 3: "bad input", 4: "would not fit in memory", 5: "cannot write", 130: "interrupted",
    143: "ended by SIGTERM",
}  # fmt: skip
# Which of them a command cannot end with.
_NEVER = dict.fromkeys(_PLAIN, (4,))


def _statuses(command: Callable[..., None]) -> str:
    told = [f"{status} {words}" for status, words in _STATUSES.items() if status not in _NEVER.get(command, ())]
    return f"Exit status: {', '.join(told)}"


def _guarded(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options that all have, and a word for every way it may end."""
    signature = inspect.signature(command, eval_str=True)
    asks_context = "context" in signature.parameters

    @functools.wraps(command)
    def run(context: typer.Context, verbose: int, **arguments: Any) -> None:
        # It was read before all other options.
        arguments.pop("config")
        if verbose and arguments.get("quiet"):
            raise ParameterError("--quiet and --verbose contradict each other: give one of them")
        try:
            with log_shown(verbose), farewell(functools.partial(_last_words, context)):
                if given := used_from_elsewhere(context):
                    LOG.info("not typed: %s", described(given))
                if command not in _PLAIN:
                    _refuse_without_kernels()
                command(**arguments, **({"context": context} if asks_context else {}))
        except PulinkError as error:
            name_origins(context, error)
            raise
        except Stopped as stopped:
            raise _Ended(str(stopped), stopped.status) from None
        except (KeyboardInterrupt, Terminated) as interrupt:
            raise _Ended(interrupted(context), status_of(interrupt)) from None
        except BrokenPipeError:
            raise _Ended("", 0) from None
        except Exception as error:
            from pulink.methods.plugins import plugin_behind

            if (plugin := plugin_behind(error)) is None:
                raise
            raise plugin.refusal_after(error) from error

    own = [parameter for parameter in signature.parameters.values() if parameter.name != "context"]
    run.__signature__ = signature.replace(parameters=[_CONTEXT, *own, *_SHARED])  # type: ignore[attr-defined]
    return run


def _last_words(context: typer.Context) -> str:
    """Before the command is left while libraries load."""
    words = interrupted(context)
    context.close()
    return words


def _parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


_CONTEXT = _parameter("context", typer.Context)
_SHARED = (_parameter("config", Config, None), _parameter("verbose", options.Verbose, 0))


def _refuse_without_kernels() -> None:
    """They use instructions that Python has no word for."""
    if os.environ.get("NUMBA_DISABLE_JIT", "").strip() not in ("", "0"):
        raise ParameterError("NUMBA_DISABLE_JIT is set; pulink needs its compiled kernels: unset it")


for _command in (
    find, review, explore, suggest, explain, estimate, evaluate, reproduce, methods, datasets, schema, versions,
    cite,
):  # fmt: skip
    app.command(cls=ConfiguredCommand, epilog=_statuses(_command))(_guarded(_command))


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
    keep_libraries_quiet()
    if sys.stdout is None:
        sys.stdout = ClosedOutput()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a letter should not end a run.
            stream.reconfigure(errors="backslashreplace")
    if isinstance(sys.stdout, io.TextIOWrapper) and not sys.stdout.isatty():
        # Data keeps its letters, whatever the terminal is said to show.
        sys.stdout.reconfigure(encoding="utf-8")
    Sent.anything = Sent.into_folder = InFile.asks_for_json = False
    try:
        status = app(prog_name="pulink", standalone_mode=False)
    except _UsageError as error:
        _leave_usage(error)
    except PulinkError as error:
        _leave(str(error), error.exit_status, kind=type(error).__name__)
    except MemoryError:
        _leave("memory ran out; use a smaller graph or fewer units", 4, kind="MemoryError")
    except _Ended as ended:
        _leave(str(ended), ended.status, kind="Interrupted")
    except BrokenPipeError:
        _leave("", 0)
    except OSError as error:
        what = f"{error.filename}: " if error.filename else ""
        _leave(f"{what}{error.strerror or error}", OutputError.exit_status, kind=OutputError.__name__)
    else:
        stopped = INTERRUPTED if status == _INTERRUPTED else ""
        _leave(stopped, status if isinstance(status, int) else 0, kind="Interrupted")


def _leave_usage(error: Any) -> None:
    """One line about a command line that Typer does not understand; its help where nothing was asked."""
    if not error.format_message() or type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        _leave("", error.exit_code, kind="UsageError", told=error.format_message())
    message = " ".join(error.format_message().split()).rstrip(".")
    help_of = "" if error.ctx is None else f"; all that can be typed: {error.ctx.command_path} --help"
    _leave(f"{message}{help_of}", error.exit_code, kind="UsageError")


def _leave(message: str, status: int, *, kind: str = "", told: str = "") -> None:
    """End with a status, a line for the person, and JSON for who asked for it.

    kind  of the error, in JSON
    told  what went wrong, where the person was told already
    """
    if status and (message or told) and not Sent.anything and json_is_asked_for(sys.argv[1:]):
        print_error(kind, message or told, status)
    if message and sys.stderr is not None:
        with contextlib.suppress(OSError):
            sys.stderr.write(f"pulink: {printable(message)}\n")
            sys.stderr.flush()
    try:
        sys.stdout.flush()
    except OSError:
        # What Python still holds for a reader that left would fail once more at the very end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)
