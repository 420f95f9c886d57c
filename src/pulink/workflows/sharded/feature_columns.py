"""Columns of a table of nodes that are numbers in all of its parts, as the reader of single files encodes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.data.columns.encodings import Column, IgnoredColumn, NumberColumn
from pulink.data.parts.cells import ValueTraits
from pulink.errors import InputError
from pulink.text import listed, shown


def refuse_strangers(
    names: Sequence[str], told: Sequence[Sequence[dict[str, Any]]], where: str
) -> list[ValueTraits]:
    """What each column is in all blocks together; InputError for the first that is neither numbers nor empty."""
    found = []
    for k, name in enumerate(names):
        every = [ValueTraits(**one[k]) for one in told]
        traits = ValueTraits(
            sum(one.n_present for one in every),
            sum(one.n_numbers for one in every),
            sum(one.n_strange for one in every),
            every[0].unit,
            max(one.largest for one in every),
        )
        if traits.n_strange or (traits.n_present and not traits.n_numbers):
            raise InputError(
                f"{where}: column {shown(name)} holds what is no number, and parts have columns of numbers only: "
                "use one machine, encode it as numbers first, or ignore it (kinds, or --column NAME=ignore)"
            )
        if any(one.unit != traits.unit and one.n_present for one in every):
            raise InputError(f"{where}: column {shown(name)} holds times of several units; parts need the same")
        found.append(traits)
    return found


def encoded_columns(
    names: Sequence[str],
    traits: Sequence[ValueTraits],
    stats: npt.NDArray[np.float64],
    sizes: npt.NDArray[np.int32],
    n_nodes: int,
    where: str,
) -> list[Column]:
    """How each column becomes features.

    stats  count, mean, squares of differences from it, least and largest, of numbers over two to the power of
           sizes
    """
    columns = []
    for k, (name, one) in enumerate(zip(names, traits, strict=True)):
        if not one.n_present:
            columns.append(Column(IgnoredColumn(name), with_gaps=False))
            continue
        count, mean, squares, low, high = stats[:, k].tolist()
        spread = float(np.sqrt(squares / count)) if low < high else 0.0
        mean = mean if low < high else 0.0
        centre, width = np.ldexp([mean, spread], int(sizes[k])).tolist()
        columns.append(Column(NumberColumn(name, centre, width, one.unit), with_gaps=0 < count < n_nodes))
    if not any(column.labels for column in columns):
        raise InputError(f"{where}: has no usable attributes: {listed(names)}")
    return columns
