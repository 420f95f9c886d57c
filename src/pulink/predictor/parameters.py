"""Constructors that only store, and checks that `fit` makes: every message names the parameter."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from functools import cache
from numbers import Integral, Real
from typing import Any, Self

import numpy as np

from pulink.errors import ParameterError, UnknownNameError, UnknownParameterError


class _SignatureOfConstructor:
    """What `inspect.signature` shows of a class: `__new__` would hide its settings."""

    def __get__(self, _: object, owner: type) -> inspect.Signature:
        parameters = list(inspect.signature(owner.__init__).parameters.values())  # type: ignore[misc]
        return inspect.Signature(parameters[1:])


class Parametrised:
    """A class whose constructor's keywords are its settings, readable and writable by name."""

    __signature__ = _SignatureOfConstructor()

    def __new__(cls, *_: Any, **settings: Any) -> Self:
        """Refuse a keyword that is no setting, and guess what was meant; the constructor does the rest."""
        cls._refuse_unknown(settings)
        return super().__new__(cls)

    @classmethod
    def parameter_names(cls) -> tuple[str, ...]:
        """Give the names of the settings.

        Returns
        -------
        tuple of str
        """
        return tuple(_defaults_of(cls.__init__))

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Give the settings that a predictor has if nothing is said.

        Returns
        -------
        dict
            Values by name.
        """
        return dict(_defaults_of(cls.__init__))

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 (scikit-learn's signature)
        """Give the settings.

        Parameters
        ----------
        deep : bool
            Changes nothing; scikit-learn hands it over.

        Returns
        -------
        dict
            Values by name.
        """
        return {name: getattr(self, name) for name in self.parameter_names()}

    def set_params(self, **params: Any) -> Self:
        """Change settings; the next `fit` checks and uses them.

        Parameters
        ----------
        **params : any
            New values by name.

        Returns
        -------
        the predictor itself

        Raises
        ------
        UnknownParameterError
            If there is no such setting; none is changed then.
        """
        self._refuse_unknown(params)
        for name, value in params.items():
            setattr(self, name, value)
        return self

    @classmethod
    def _refuse_unknown(cls, names: Iterable[str]) -> None:
        for name in names:
            if name not in cls.parameter_names():
                raise UnknownParameterError(f"parameter of {cls.__name__}", name, cls.parameter_names())

    def changed(self) -> dict[str, Any]:
        """Give the settings that differ from the defaults.

        Returns
        -------
        dict
            Values by name.
        """
        defaults = self.defaults()
        return {name: value for name, value in self.get_params().items() if not _same(value, defaults[name])}

    def __repr__(self) -> str:
        changed = ", ".join(f"{name}={value!r}" for name, value in self.changed().items())
        return f"{type(self).__name__}({changed})"


@cache
def _defaults_of(constructor: Callable[..., None]) -> dict[str, Any]:
    parameters = inspect.signature(constructor).parameters
    return {name: parameter.default for name, parameter in parameters.items() if name != "self"}


def _same(value: object, default: object) -> bool:
    try:
        return bool(value == default)
    except ValueError:  # an array, which no setting may be, but which can be shown
        return False


def plain_value(value: Any) -> Any:
    """A setting as JSON can hold it; an encoder that a user wrote is only named."""
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return f"custom: {getattr(value, '__qualname__', type(value).__qualname__)}"


def check_count(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise ParameterError(f"{name} must be a whole number from {least}, got {value!r}")


def check_positive(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < math.inf:
        raise ParameterError(f"{name} must be a positive number, got {value!r}")


def check_from_zero(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) < math.inf:
        raise ParameterError(f"{name} must be a number from 0, got {value!r}")


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
