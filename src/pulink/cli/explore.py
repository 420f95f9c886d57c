"""pulink explore: look at missing links and judge them, in the browser."""

from __future__ import annotations

import contextlib
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pulink.cli.parsing import options
from pulink.cli.terminal.console import Screen
from pulink.errors import ParameterError

if TYPE_CHECKING:
    from pulink.serve.settings import RunSource

_LONGEST_NAME = 100

Results = Annotated[
    Path,
    typer.Argument(
        metavar="RESULTS",
        parser=options.named_folder,
        help="The folder that find wrote (--out); with --fit, where to write.",
        show_default=False,
    ),
]
Fit = Annotated[
    str | None,
    typer.Option(
        "--fit",
        metavar="EDGES",
        help="Fit this edge list or dataset first, into RESULTS, and show how far that is.",
    ),
]
Port = Annotated[
    int, typer.Option("--port", min=0, max=65_535, show_default="any that is free", help="Where to listen.")
]
Host = Annotated[
    str,
    typer.Option(
        "--host", help="The address to listen at; any but this machine's own lets others in who have the token."
    ),
]
Reviewer = Annotated[
    str | None,
    typer.Option("--reviewer", metavar="NAME", show_default="your user name", help="Who answers."),
]
Seed = Annotated[
    int | None,
    typer.Option("--seed", min=0, show_default="0", help="Of a new review: another seed, other questions."),
]


def explore(
    results: Results,
    fit: Fit = None,
    method: Annotated[str, typer.Option("--method", help="Method for --fit; see pulink methods.")] = "pull-plus",
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
    port: Port = 0,
    host: Host = "127.0.0.1",
    read_only: Annotated[bool, typer.Option("--read-only", help="Ask nothing and write nothing.")] = False,
    reviewer: Reviewer = None,
    seed: Seed = None,
) -> None:
    """Look at missing links in the browser, judge fifty of them, and learn how many there are.

    The address that is printed holds a token: whoever has it may look and answer. Ctrl-C ends the server; every
    answer is in RESULTS by then.
    """
    screen = Screen(quiet=False)
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise ParameterError(f"explore needs more ({error.name}): pip install 'pulink[explore]'") from error
    from pulink.persistence.ledger import LEDGER
    from pulink.serve.server import serve
    from pulink.serve.settings import ServeSettings

    name = options.login_name() if reviewer is None else reviewer
    if not 1 <= len(name) <= _LONGEST_NAME:
        raise ParameterError(f"--reviewer must have 1 to {_LONGEST_NAME} characters")
    source = _source(results, fit, method, seed, read_only)
    settings = ServeSettings(host=host, port=port, read_only=read_only, reviewer=name)
    with contextlib.suppress(KeyboardInterrupt):
        serve(source, settings, screen.note, browser=not no_browser)
    screen.note(f"ended; answers are in {results}" if (results / LEDGER).exists() else "ended")


def _source(results: Path, fit: str | None, method: str, seed: int | None, read_only: bool) -> RunSource:
    from pulink.serve.settings import RunSource

    if fit is None:
        return RunSource(results, seed=seed)
    if read_only:
        raise ParameterError("--fit writes into RESULTS: it does not go with --read-only")
    if (results / "run.json").exists():
        raise ParameterError(f"{results} holds results already: leave out --fit, or name another folder")
    options.check_files(fit)
    from pulink.workflows.finding.request import FindRequest

    request = FindRequest(fit, method=method)
    request.model()
    rerun = shlex.join(["pulink", "find", fit, "--method", method, "--out", str(results)])
    return RunSource(results, request, rerun, seed)
