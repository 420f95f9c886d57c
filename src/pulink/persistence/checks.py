"""Whether a checkpoint says what its fit would have said: ValueError or TypeError where it does not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Arrays = Mapping[str, npt.NDArray[Any]]


def require_alike(found: Arrays, wanted: Arrays) -> None:
    """Arrays of the same names, shapes and kinds, and all numbers finite."""
    looks = [{name: (array.shape, array.dtype) for name, array in arrays.items()} for arrays in (found, wanted)]
    if looks[0] != looks[1]:
        raise ValueError("its arrays are not those of this fit")
    require_finite(found.values())


def require_finite(arrays: Iterable[npt.NDArray[Any]]) -> None:
    if not all(np.isfinite(array).all() for array in arrays):
        raise ValueError("its arrays hold what is no number")


def same_kind(found: dict[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The values of these names, each of the type that it has here; no count is below zero."""
    values = {name: found[name] for name in wanted}
    for name, value in values.items():
        if type(value) is not type(wanted[name]) or (isinstance(value, int) and value < 0):
            raise TypeError(f"its {name} is none")
    return values


def finite(value: object) -> float:
    """A number as it is."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError("it holds no number where one belongs")
    return value


def counts(values: object, length: int) -> list[int]:
    """So many whole numbers from zero on."""
    if not isinstance(values, list) or len(values) != length:
        raise TypeError("it holds no list of counts")
    if any(type(value) is not int or value < 0 for value in values):
        raise TypeError("it holds no count where one belongs")
    return values
