"""How much work a method takes upon itself: one word, for those methods that have such a setting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pulink.errors import ParameterError
from pulink.methods.registry import METHODS, method

EFFORT = "effort"


def with_effort(
    settings: Mapping[str, Mapping[str, Any]], effort: str | None, methods: Iterable[str], called: str = EFFORT
) -> dict[str, dict[str, Any]]:
    """Settings by method, with the effort for those of the methods that have it; None: as they were.

    called  what whoever is told of a mistake calls it
    """
    every = {name: dict(own) for name, own in settings.items()}
    if effort is None:
        return every
    asked = list(methods)
    having = [name for name in asked if _has_effort(name)]
    if not having:
        others = ", ".join(name for name in METHODS if _has_effort(name))
        what = "has" if len(asked) == 1 else "have"
        raise ParameterError(f"{called} is a setting of {others}: {', '.join(asked)} {what} none")
    for name in having:
        if EFFORT in every.get(name, {}):
            raise ParameterError(f"{called} and --set give the same setting: give one of them")
        method(name).make(effort=effort).check_settings()
        every[name] = every.get(name, {}) | {EFFORT: effort}
    return every


def _has_effort(name: str) -> bool:
    return EFFORT in method(name).predictor.parameter_names()
