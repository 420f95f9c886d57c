"""Which nodes of a drawing can bear their names without hiding each other's.

Names are tried in order of importance, to the right, left, above and below of the node; one that would touch a
name that stands already, a node, or the border is left out. The first few may cover nodes: they are what the
reader looks for, and where they are it is crowded. Boxes are (left, top, right, bottom).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pulink.report.html.escape import plain

F64 = npt.NDArray[np.float64]
Box = tuple[float, float, float, float]

_LONGEST = 26
_MAY_COVER = 16


@dataclass(frozen=True)
class Label:
    """A name beside its node; `anchor` says which end of the text is at x."""

    node: int
    text: str
    x: float
    y: float
    anchor: str


def place_labels(
    names: tuple[str, ...],
    order: Iterable[int],
    places: F64,
    radii: F64,
    font: float,
    size: tuple[float, float],
) -> list[Label]:
    """The labels that fit; places (n, 2) and radii (n,) of all nodes in the units of the font.

    No candidate touches its own node, so that all nodes can be asked together.
    """
    nodes = np.column_stack([places - radii[:, None], places + radii[:, None]])
    taken = np.empty((0, 4))
    found = []
    for rank, node in enumerate(order):
        in_the_way = taken if rank < _MAY_COVER else np.vstack([taken, nodes])
        for label, box in _candidates(node, clipped(names[node]), places[node], float(radii[node]), font):
            inside = box[0] >= 0 and box[1] >= 0 and box[2] <= size[0] and box[3] <= size[1]
            if inside and not _touches(box, in_the_way):
                found.append(label)
                taken = np.vstack([taken, box])
                break
    return found


def _candidates(node: int, text: str, place: F64, radius: float, font: float) -> Iterator[tuple[Label, Box]]:
    x, y = place.tolist()
    gap = radius + font / 4
    spots = (
        (x + gap, y + font / 3, "start"),
        (x - gap, y + font / 3, "end"),
        (x, y - gap - font / 8, "middle"),
        (x, y + gap + 0.8 * font, "middle"),
    )
    for at, base, anchor in spots:
        label = Label(node, text, at, base, anchor)
        yield label, box_of(label, font)


def box_of(label: Label, font: float) -> Box:
    """The room that a label takes."""
    width = text_width(label.text, font)
    left = label.x - width * {"start": 0.0, "middle": 0.5, "end": 1.0}[label.anchor]
    return left, label.y - 0.8 * font, left + width, label.y + 0.25 * font


def _touches(box: Box, others: F64) -> bool:
    left, top, right, bottom = box
    apart = (others[:, 0] >= right) | (others[:, 2] <= left) | (others[:, 1] >= bottom) | (others[:, 3] <= top)
    return not apart.all()


def clipped(name: str) -> str:
    """A name as it can be drawn: on one line and not too long."""
    text = plain(name)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def text_width(text: str, font: float) -> float:
    """About as wide as the text is drawn: CJK letters are square, accents take no room."""
    return font * sum(_letter_width(letter) for letter in text)


def _letter_width(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    return 1.05 if unicodedata.east_asian_width(letter) in "WF" else 0.62
