"""Callbacks: objects that are told what happens in a fit, such as a logger or a tracker of experiments.

    model.fit(graph, callbacks=[pulink.callbacks.CSVLogger("log.csv")])

docs/callbacks.md shows how to write one.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from pulink.errors import OutputError
from pulink.predictor.fitting.fit_events import Callback, FitEvent
from pulink.text import short_path

__all__ = ["CSVLogger", "Callback", "FitEvent"]

# What methods of pulink measure; columns of the table.
VALUES = (
    "loss",
    "loss_expected",
    "loss_correction",
    "val_auroc",
    "val_average_precision",
    "k",
    "n_entered",
    "n_expected",
    "n_likely",
    "n_steps",
)
COLUMNS = ("method", "event", "stage", "split", "number", "of", *VALUES, "more")

_HEADER = f"{','.join(COLUMNS)}\n".encode()

# A cell that begins like this is computed by spreadsheets.
_SIGNS = ("=", "+", "-", "@", "\t", "\r")


class CSVLogger(Callback):
    """Write one row per event to a CSV file, each at once, so that it can be read while the fit goes on.

    Several fits with the same logger follow one another in the file. There are no times in it: equal fits write
    equal files.

    Parameters
    ----------
    path : str or Path
        The file. One that is there already is refused before anything is learned.
    append : bool
        Whether to add to a log that is there; any other file is refused.

    Examples
    --------
    >>> import networkx, pathlib, pulink, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "log.csv"
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> _ = pulink.GCNCE(max_epochs=2, refit=False).fit(graph, callbacks=[pulink.callbacks.CSVLogger(path)])
    >>> [row.split(",")[1] for row in path.read_text().splitlines()]
    ['event', 'fit_start', 'epoch', 'epoch', 'fit_end']
    """

    def __init__(self, path: str | Path, *, append: bool = False) -> None:
        self.path, self.append = Path(path), append
        self._begun = False

    def on_fit_start(self, event: FitEvent) -> None:
        """Begin the file, and write that a fit begins."""
        try:
            if not self._begun and self.path.exists() and not self.append:
                raise OutputError(
                    f"{short_path(self.path)}: is there already; remove it, name another file, or add to it with "
                    "CSVLogger(path, append=True)"
                )
            is_new = not self.path.exists() or not self.path.stat().st_size
            if not self._begun and not is_new:
                self._refuse_other_file()
        except PermissionError as error:
            raise self._refusal(error) from error
        if is_new:
            self._write(COLUMNS)
        self._begun = True
        self._add(event)

    def on_epoch(self, event: FitEvent) -> None:
        """Write a row."""
        self._add(event)

    def on_iteration(self, event: FitEvent) -> None:
        """Write a row."""
        self._add(event)

    def on_round(self, event: FitEvent) -> None:
        """Write a row."""
        self._add(event)

    def on_fit_end(self, event: FitEvent) -> None:
        """Write a row."""
        self._add(event)

    def _add(self, event: FitEvent) -> None:
        where = (type(event.model).__name__, event.kind, event.stage, event.split, event.number, event.of)
        measured = [_number(event.values[name]) if name in event.values else "" for name in VALUES]
        more = {name: value for name, value in event.values.items() if name not in VALUES}
        self._write((*where, *measured, json.dumps(more) if more else ""))

    def _write(self, cells: tuple[object, ...]) -> None:
        row = io.StringIO()
        csv.writer(row, lineterminator="\n").writerow([_safe(cell) for cell in cells])
        try:
            with self.path.open("a", encoding="utf-8", newline="") as file:
                file.write(row.getvalue())
        except OSError as error:
            raise self._refusal(error) from error

    def _refuse_other_file(self) -> None:
        try:
            with self.path.open("rb") as file:
                begins = file.read(len(_HEADER))
        except OSError as error:
            raise self._refusal(error) from error
        if begins != _HEADER:
            raise OutputError(
                f"{short_path(self.path)}: is no log of CSVLogger (its first line is another) and stays as it is; "
                "name another file"
            )

    def _refusal(self, error: OSError) -> OutputError:
        return OutputError(f"{short_path(self.path)}: cannot be written ({error.strerror})")


def _number(value: float) -> str:
    """All digits; whole numbers without a point."""
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


def _safe(cell: object) -> object:
    """Texts that a spreadsheet would compute get an apostrophe; numbers are none of them."""
    if not isinstance(cell, str) or not cell.startswith(_SIGNS):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell
