"""What goes where: data on stdout, the rest on stderr; no bar and no colour when piped."""

from __future__ import annotations

import errno
import io
import os
import re
import sys
import unicodedata
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import IO, Any, cast

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pulink.cli.terminal.log_lines import stamped
from pulink.errors import OutputError
from pulink.predictor.fitting.progress_bar import ProgressLine, progress_bar
from pulink.workflows.formats.documents import in_plain_letters, json_text

# Categories of characters that a person does not see, or that a terminal obeys.
_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")

_WARNING = "bold yellow"

# Between a cell of a table and the next, and what is left of a cell that is cut.
_FRAME, _LEAST_CUT = 3, 20


class Screen:
    """A command's two streams."""

    # How a kind of graph is asked for here.
    kind_option = "--{}"

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        # soft_wrap: a line stays one line when a log or a pipe reads it
        self._notes = Console(file=cast(IO[str], _StandardError()), highlight=False, soft_wrap=True, quiet=quiet)
        self._data = Console(highlight=False)

    def note(self, text: str) -> None:
        """One line for the person, on stderr."""
        self._notes.print(Text(printable(stamped(text))))

    def warn(self, text: str) -> None:
        """One line that should keep the person from trusting what follows."""
        line = Text(printable(stamped(f"warning: {text}")))
        line.highlight_words(["warning:"], _WARNING)
        self._notes.print(line)

    def table(
        self,
        title: str,
        columns: list[str],
        rows: list[list[str]],
        numeric: set[str],
        n_drawn: int | None = None,
        *,
        cut_last: bool = False,
    ) -> None:
        """A table on stdout: drawn for a person, tab-separated for a pipe.

        n_drawn   how many columns, from the first on, a person is shown; None: all
        cut_last  a person is shown no more of the last column than fits on a line
        """
        if not sys.stdout.isatty():
            emit("".join("\t".join(_one_cell(cell) for cell in row) + "\n" for row in [columns, *rows]))
            return
        drawn = Table(title=Text(printable(title)), title_justify="left")
        for name in columns[:n_drawn]:
            drawn.add_column(name, justify="right" if name in numeric else "left", overflow="fold")
        cells = [[Text(printable(cell)) for cell in row[:n_drawn]] for row in rows]
        if cut_last:
            _cut_last(cells, columns[:n_drawn], self._data.width)
        for row_of_cells in cells:
            drawn.add_row(*row_of_cells)
        self._data.print(drawn)

    def json(self, value: Any) -> None:
        emit(json_text(value, plain=not _takes_every_letter(sys.stdout)) + "\n")

    def bar(self) -> AbstractContextManager[ProgressLine]:
        """A progress bar, where a person is watching."""
        return progress_bar(self._notes, quiet=self.quiet)


class _StandardError:
    """Standard error as it is at the moment. Once it takes no more, words are dropped and the work goes on."""

    def write(self, text: str) -> int:
        try:
            self._stream.write(text)
        except OSError:
            self._close()
        return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError:
            self._close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @property
    def _stream(self) -> IO[str]:
        # Rich puts itself in its place while a bar is drawn; a shell may have closed it.
        return getattr(sys.stderr, "rich_proxied_file", sys.stderr) or io.StringIO()

    def _close(self) -> None:
        # What Python still holds for it would fail once more at the very end, and change the exit status.
        with suppress(OSError), Path(os.devnull).open("w") as nowhere:
            os.dup2(nowhere.fileno(), self._stream.fileno())


def _cut_last(cells: list[list[Text]], columns: list[str], width: int) -> None:
    """Shorten the last cells so that each row fits on a line; if that leaves too little, cells are folded."""
    widths = [max([cell_len(name), *(row[k].cell_len for row in cells)]) for k, name in enumerate(columns[:-1])]
    left = width - sum(own + _FRAME for own in widths) - _FRAME - 1
    for row in cells:
        row[-1].truncate(max(left, _LEAST_CUT), overflow="ellipsis")


class Sent:
    """What became of data.

    anything     whether standard output holds some already: then no error may be put behind them
    into_folder  whether they are written into a folder too
    """

    anything = False
    into_folder = False


class ClosedOutput(io.TextIOBase):
    """Stands where a shell closed standard output (>&-): data that go nowhere else cannot be written."""

    def __init__(self) -> None:
        # Else the next file that is opened would be the one that libraries print into.
        os.open(os.devnull, os.O_WRONLY)

    def write(self, text: str) -> int:
        if not Sent.into_folder:
            raise OSError(errno.EBADF, "it is closed", "standard output")
        return len(text)


def emit(text: str) -> None:
    """Data, on stdout at once."""
    _emit(text, sys.stdout.write)


def emit_encoded(data: bytes, *, is_json: bool, is_binary: bool) -> None:
    """Data in some format, on stdout at once: a pipe gets every byte, a terminal nothing that it obeys."""
    stream = getattr(sys.stdout, "buffer", None)
    if sys.stdout.isatty() or (stream is None and not is_binary):
        text = data.decode()
        if is_json:
            text = text if _takes_every_letter(sys.stdout) else in_plain_letters(text)
        elif sys.stdout.isatty():
            text = _escaped(text, _UNSEEN, but="\t\n")
        emit(text)
    elif stream is None:
        raise OutputError("cannot write to standard output: it takes text only; name a file with -o")
    else:
        _emit(data, stream.write)


def _emit(data: Any, write: Callable[[Any], object]) -> None:
    Sent.anything = True
    try:
        write(data)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write to standard output: {error.strerror}") from error


def _takes_every_letter(stream: IO[str]) -> bool:
    # What is no file, as in a notebook, takes text.
    return (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")


def printable(text: str) -> str:
    """Names come from other people's files: control characters become visible and harmless."""
    return _escaped(text, _UNSEEN)


def _one_cell(text: str) -> str:
    """For a pipe: every letter stays; what would break a line or a cell stands in quotation marks."""
    cell = _escaped(text, ("Cc", "Cs"), but="\t\n")
    # Also a mark in the middle: some readers count them to find the end of a line.
    return '"' + cell.replace('"', '""') + '"' if re.search(r'["\t\n]', cell) else cell


def _escaped(text: str, categories: tuple[str, ...], but: str = "") -> str:
    return "".join(
        c.encode("unicode_escape").decode() if unicodedata.category(c) in categories and c not in but else c
        for c in text
    )
