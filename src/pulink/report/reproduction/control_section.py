"""PULL against GCN+CE with the same number of steps, in words."""

from __future__ import annotations

from collections import Counter
from itertools import compress

from pulink.report.reproduction import phrases
from pulink.report.reproduction.controls import ANSWERS, MEASURES, Answer
from pulink.report.reproduction.document import Block, Box, Fold, Grid, Section, Text, box
from pulink.report.reproduction.table_section import lead

_HEAD = ("dataset", "missing", "method", "steps", "PULL", "control", "PULL's lead", "p", "does PULL beat it?")


def control_section(answers: list[Answer]) -> Section:
    """The answer first, then PULL itself, then what is finished of its variants behind a fold."""
    blocks: list[Block] = [Text(phrases.CONTROLS)]
    for measure in MEASURES:
        found = [answer for answer in answers if answer.measure == measure and answer.method == "pull"]
        if found:
            blocks += [
                Text(_sentence(measure, found)),
                _grid(phrases.MEASURES[measure], found, of_one_method=True),
            ]
    for measure in MEASURES:
        others = [answer for answer in answers if answer.measure == measure and answer.method != "pull"]
        finished = [answer for answer in others if answer.comparison is not None]
        if finished:
            name = f"Variants of PULL, {phrases.MEASURES[measure]}"
            title = f"{name}: {len(finished)} of {len(others)} have a finished pair"
            blocks.append(Fold(title, (_grid(name, finished),)))
    return Section("same-steps", "Does PULL beat GCN+CE with the same number of steps?", tuple(blocks))


def _sentence(measure: str, answers: list[Answer]) -> str:
    words = Counter(answer.words for answer in answers)
    counted = "; ".join(f"{word}: {words[word]}" for word in ANSWERS if word in words)
    return f"{phrases.MEASURES[measure]}, graphs and missing ratios by answer: {counted}."


def _grid(caption: str, answers: list[Answer], of_one_method: bool = False) -> Grid:
    kept = [name != "method" or not of_one_method for name in _HEAD]
    head = tuple(box(name) for name in compress(_HEAD, kept))
    return Grid(caption, head, tuple(tuple(compress(_row(answer), kept)) for answer in answers))


def _row(answer: Answer) -> tuple[Box, ...]:
    found = answer.comparison
    return (
        box(answer.column if answer.dataset == answer.column else f"{answer.column}: {answer.dataset}"),
        box(f"{answer.missing_ratio:g}"),
        box(answer.method),
        box(phrases.whole(answer.n_steps)),
        box(phrases.measured(answer.pull.mean, answer.pull.sd)),
        box(phrases.measured(answer.control.mean, answer.control.sd)),
        box(lead(found) or phrases.NONE),
        box(phrases.probability(found.p if found else None)),
        box(answer.words),
    )
