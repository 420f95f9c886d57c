"""Constructors that only store, and checks that `fit` makes: every message names the parameter."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, Self

from pulink.errors import ParameterError, UnknownNameError


class Parametrised:
    """A class whose constructor's keywords are its settings, readable and writable by name."""

    @classmethod
    def parameter_names(cls) -> tuple[str, ...]:
        return tuple(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        parameters = inspect.signature(cls.__init__).parameters
        return {name: parameters[name].default for name in cls.parameter_names()}

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 (scikit-learn's signature)
        """The settings as they were given."""
        return {name: getattr(self, name) for name in self.parameter_names()}

    def set_params(self, **params: Any) -> Self:
        """Change settings by name; they are judged by the next `fit`."""
        for name, value in params.items():
            if name not in self.parameter_names():
                raise UnknownNameError(f"parameter of {type(self).__name__}", name, self.parameter_names())
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        """Only what differs from the defaults."""
        defaults = self.defaults()
        changed = [f"{n}={v!r}" for n, v in self.get_params().items() if v != defaults[n]]
        return f"{type(self).__name__}({', '.join(changed)})"


def check_count(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise ParameterError(f"{name} must be a whole number from {least}, got {value!r}")


def check_positive(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < math.inf:
        raise ParameterError(f"{name} must be a positive number, got {value!r}")


def check_share(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) < 1:
        raise ParameterError(f"{name} must lie in [0, 1), got {value!r}")


def check_flag(name: str, value: object) -> None:
    if not isinstance(value, bool):
        raise ParameterError(f"{name} must be True or False, got {value!r}")


def check_choice(name: str, value: object, choices: Iterable[str]) -> None:
    choices = tuple(choices)
    if not isinstance(value, str) or value not in choices:
        raise UnknownNameError(name, str(value), choices)
