"""Reads what `pulink find` printed, and says where it contradicts itself."""

from __future__ import annotations

import csv
import io
import re
from itertools import pairwise

_NUMBER = r"(less than 1|[\d,]+)"


def _number(text: str) -> float:
    return 0.5 if text == "less than 1" else float(text.replace(",", ""))


def contradictions(notes: str, table: str) -> list[str]:
    """notes: what was said on stderr; table: the list as a pipe gets it."""
    rows = list(csv.DictReader(io.StringIO(table), delimiter="\t"))
    probabilities = [float(row["probability"]) for row in rows]
    return [*_of_numbers(notes, sum(probabilities)), *_of_list(notes, probabilities), *_of_rows(rows)]


def _of_numbers(notes: str, expected: float) -> list[str]:
    """How many links are missing must not be nothing, nor less than the list promises."""
    found = []
    if re.search(r"\b(about|best guess:) 0\b|\b0 links? (is|are) missing", notes):
        found.append("a bare 0")
    estimated = re.search(rf"about {_NUMBER} links? (?:is|are) missing", notes)
    interval = re.search(rf"90% interval: {_NUMBER} to {_NUMBER}", notes)
    most = re.search(rf"at most {_NUMBER} links", notes) or re.search(rf"{_NUMBER} at most", notes)
    best = estimated or re.search(rf"best guess: {_NUMBER}", notes)
    if best is None and "was not estimated" not in notes:
        found.append("no word of how many links are missing")
    if best is not None and expected > 1.1 * _number(best[1]) + 1:
        found.append(f"the list promises {expected:.1f} links, of {best[1]} that are missing")
    if interval is not None and best is not None:
        low, high = _number(interval[1]), _number(interval[2])
        if not low <= _number(best[1]) <= high:
            found.append("the estimate is not in its interval")
        if most is not None and high > _number(most[1]) + 1:
            found.append("the interval passes the bound")
    return found


def _of_list(notes: str, probabilities: list[float]) -> list[str]:
    found = []
    told = re.search(r"(less than one|about one|about [\d,]+) of the ([\d,]+) listed pairs", notes)
    if told is not None:
        if _number(told[2]) != len(probabilities):
            found.append("another number of pairs is listed")
        words = {"less than one": 0.0, "about one": 1.0}
        said = words[told[1]] if told[1] in words else _number(told[1].removeprefix("about "))
        if abs(said - sum(probabilities)) > 0.51:
            found.append(f"{told[1]} of pairs whose probabilities sum to {sum(probabilities):.2f}")
    is_tiny = bool(probabilities) and max(probabilities) < 0.01
    if is_tiny != ("even the likeliest pair has a probability of" in notes):
        found.append("small probabilities and the warning about them do not go together")
    return found


def _of_rows(rows: list[dict[str, str]]) -> list[str]:
    found = []
    for before, after in pairwise(rows):
        scores, ranks, values = (
            [float(row[name]) for row in (before, after)] for name in ("score", "rank", "probability")
        )
        if scores[1] > scores[0] or (scores[1] == scores[0]) != (ranks[1] == ranks[0]):
            found.append(f"rank {ranks[1]:.0f} does not follow its score")
        if values[1] > values[0] or (scores[1] == scores[0]) != (values[1] == values[0]):
            found.append(f"the probability at rank {ranks[1]:.0f} does not follow its score")
    for row in rows:
        if row["probability_low"] and not (
            float(row["probability_low"]) <= float(row["probability"]) <= float(row["probability_high"])
        ):
            found.append(f"rank {row['rank']} is not in its interval")
    return found
