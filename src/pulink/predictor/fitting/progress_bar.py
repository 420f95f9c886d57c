"""A bar for people who wait for a fit: on stderr, gone when it is done, and none where nobody is watching."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from pulink.predictor.fitting.notebook_bar import NotebookBar

if TYPE_CHECKING:
    from pulink.predictor.fitting import fit_run

_STAGES = {"refit": "training on every edge", "calibrate": "scoring other pairs"}


class ProgressLine(Protocol):
    """One line that says what is done, and how far it is."""

    def show(self, description: str, done: int, total: int) -> None: ...

    def restart(self) -> None:
        """Something else is done from now on: time is counted anew."""


class Bar:
    """One line of progress that is renamed as the work goes on."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=None)

    def show(self, description: str, done: int, total: int) -> None:
        self._progress.update(self._task, description=description, completed=done, total=total)

    def restart(self) -> None:
        self._progress.reset(self._task)


class FitLine:
    """Turns the progress of a fit into the line of a bar.

    choosing  what is done while validation edges are held out, for people
    """

    def __init__(self, bar: ProgressLine, choosing: str) -> None:
        self._bar, self._choosing = bar, choosing
        bar.show(choosing, 0, 1)
        self._stage = ""

    def __call__(self, progress: fit_run.Progress) -> None:
        stage = f"{progress.stage} {progress.split}"
        if stage != self._stage:
            self._stage = stage
            self._bar.restart()
        what = _STAGES.get(progress.stage, self._choosing)
        auroc = "" if progress.val_auroc is None else f", AUROC {progress.val_auroc:.3f}"
        iteration = "" if progress.iteration is None else f", round {progress.iteration}"
        split = f" ({progress.split} of {progress.n_splits})" if progress.n_splits > 1 else ""
        self._bar.show(f"{what}{split}{iteration}{auroc}", progress.done, progress.total)


class _Elapsed(ProgressColumn):
    """Minutes and seconds since this stage began."""

    def render(self, task: Task) -> Text:
        minutes, seconds = divmod(int(task.elapsed or 0), 60)
        return Text(f"{minutes}:{seconds:02d},", style="progress.elapsed")


@contextmanager
def progress_bar(console: Console | None = None, *, quiet: bool = False) -> Iterator[ProgressLine]:
    """A bar on a console, by default on stderr; drawn in a terminal or a notebook only, and never if `quiet`."""
    console = Console(stderr=True) if console is None else console
    if console.is_jupyter and not quiet:
        with closing(NotebookBar()) as bar:
            yield bar
        return
    columns = (
        # All of it fits into 80 columns. It is drawn by a thread of its own: the spinner turns and seconds are
        # counted also where the work has nothing to tell.
        SpinnerColumn("line"),
        TextColumn("{task.description}"),
        BarColumn(bar_width=4),
        TextColumn("{task.percentage:>4.1f}%"),
        _Elapsed(),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
    )
    # Colour may be forced on a pipe (FORCE_COLOR), a bar may not; a terminal without a cursor cannot redraw it.
    watched = console.is_jupyter or (console.file.isatty() and not console.is_dumb_terminal)
    with Progress(*columns, console=console, transient=True, disable=quiet or not watched) as progress:
        yield Bar(progress)


@contextmanager
def fit_bar(choosing: str) -> Iterator[FitLine]:
    """A bar for one fit; see `FitLine`."""
    with progress_bar() as bar:
        yield FitLine(bar, choosing)
