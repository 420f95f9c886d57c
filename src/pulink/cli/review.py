"""pulink review: people answer which pairs are links, and how many are missing follows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pulink.cli.parsing import options
from pulink.cli.terminal.console import Screen, emit, printable
from pulink.cli.terminal.interrupts import ended_with
from pulink.cli.terminal.rerun import command
from pulink.errors import ParameterError
from pulink.workflows.formats.documents import document

if TYPE_CHECKING:
    from pulink.workflows.review.session import ReviewSession

Results = Annotated[
    Path,
    typer.Argument(metavar="RESULTS", help="The folder that find wrote (--out).", show_default=False),
]
Sheet = Annotated[
    Path | None,
    typer.Option("--sheet", metavar="FILE", help="Write the questions into a CSV file instead of asking them."),
]
Answers = Annotated[
    Path | None,
    typer.Option(
        "--import", metavar="FILE", help="Read the answers of such a file: link, no link, unsure, or nothing."
    ),
]


@dataclass(frozen=True)
class _Asked:
    """What a reviewer wants to be asked."""

    who: str
    questions: int
    criterion: str
    controls: bool
    second_opinion: bool


# Where answers are not enough, so many more are asked for.
_MORE = 50
_CRITERION = "the two belong together, although the graph does not record it"


def review(
    context: typer.Context,
    results: Results,
    questions: Annotated[
        int, typer.Option("--questions", min=1, help="How many pairs to answer, earlier answers among them.")
    ] = 50,
    reviewer: Annotated[
        str | None, typer.Option("--reviewer", metavar="NAME", help="Who answers.", show_default="the login name")
    ] = None,
    criterion: Annotated[
        str, typer.Option("--criterion", metavar="TEXT", help="What counts as a link; stands below each question.")
    ] = _CRITERION,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", min=0, help="Decides which pairs are drawn.", show_default="0, or that of the review"
        ),
    ] = None,
    controls: Annotated[
        bool,
        typer.Option("--controls", help="Mix recorded links in, one in ten, to see whether they are recognised."),
    ] = False,
    second_opinion: Annotated[
        bool, typer.Option("--second-opinion", help="Ask only what others have answered and you have not.")
    ] = False,
    sheet: Sheet = None,
    answers: Answers = None,
    as_json: options.Json = False,
) -> None:
    """Ask which pairs are links, one at a time: fifty answers tell how many links are missing.

    Pairs are drawn at random from the best ones, and nothing shows how likely they are. Keys: a link, x no link,
    space unsure, u undo, w why, n note, ? help, q leave. Every answer is kept in RESULTS/review.sqlite before the
    next question; the same command goes on later. Where standard input is no terminal, a line is an answer.
    """
    screen = Screen(quiet=False)
    if sheet is not None and answers is not None:
        raise ParameterError("--sheet and --import contradict each other: give one of them")
    options.check_files("-", answers)

    from pulink.workflows.review.session import open_review

    who = options.login_name() if reviewer is None else reviewer
    asked = _Asked(who, questions, criterion, controls, second_opinion)
    with ended_with(f"stopped; every answer is kept. Resume with: {command(context)}"):
        session = open_review(results, seed=seed)
        try:
            if sheet is not None:
                _write_sheet(screen, session, sheet, asked)
                return
            if answers is not None:
                _import(screen, session, answers, who)
            else:
                _ask(screen, session, asked, context)
            _tell(screen, session, results, as_json)
        finally:
            session.close()


def _write_sheet(screen: Screen, session: ReviewSession, file: Path, asked: _Asked) -> None:
    from pulink.errors import OutputError
    from pulink.system.files import write_atomically
    from pulink.text import counted, short_path
    from pulink.workflows.review.sheet import drawn_questions, sheet_of

    if file.exists() or file.is_symlink():
        raise OutputError(
            f"{short_path(file)} is there already; a sheet never replaces a file: choose another name"
        )
    # What was answered counts towards the goal, as it does when questions are asked.
    wanted = asked.questions - (0 if asked.second_opinion else session.drawn_answers().n_decided)
    drawn = drawn_questions(
        session, asked.who, wanted, controls=asked.controls, second_opinion=asked.second_opinion
    )
    write_atomically(file, sheet_of(session, drawn))
    screen.note(
        f"{counted(len(drawn), 'question')} in {short_path(file)}: write link, no link or unsure into the column "
        f"answer, and read it back with --import {short_path(file)}"
    )


def _import(screen: Screen, session: ReviewSession, file: Path, who: str) -> None:
    from pulink.text import counted
    from pulink.workflows.review.sheet import import_sheet

    found = import_sheet(session, file, who)
    screen.note(
        f"{counted(found.n_new, 'new answer')} of {who}, {found.n_known:,} known already, "
        f"{found.n_blank:,} not answered"
    )


def _ask(screen: Screen, session: ReviewSession, asked: _Asked, context: typer.Context) -> None:
    from pulink.cli.reviewing.asking import Asking
    from pulink.cli.reviewing.keys import opened_keys

    screen.note(f"answers of {asked.who}; nothing shows how likely a pair is, so that you judge by what you know")
    with opened_keys() as keys:
        finished = Asking(
            session, asked.who, asked.questions, screen, keys, asked.criterion,
            controls=asked.controls, second_opinion=asked.second_opinion,
        ).run()  # fmt: skip
    screen.note("")
    if not finished:
        screen.note(f"every answer is kept. Resume with: {command(context)}")
    elif not asked.second_opinion and not session.estimate().is_enough:
        context.params["questions"] = asked.questions + _MORE
        screen.note(f"to answer more: {command(context)}")


def _tell(screen: Screen, session: ReviewSession, results: Path, as_json: bool) -> None:
    """What the answers tell, on stdout."""
    from pulink.workflows.words.review_words import LEVELS, review_sentences, review_warnings

    found = session.estimate()
    sentences, warnings = review_sentences(session), review_warnings(session)
    if as_json:
        certified = {str(level): found.certified(level) for level in LEVELS}
        fields = {"results": str(results), **found.to_dict(), "certified": certified}
        screen.json(document(fields | {"sentences": sentences, "warnings": warnings}))
        return
    for warning in warnings:
        screen.warn(warning)
    emit("".join(f"{printable(sentence)}\n" for sentence in sentences))
