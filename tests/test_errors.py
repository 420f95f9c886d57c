"""The tree of errors is the one that is drawn."""

from __future__ import annotations

import re

import pytest

from pulink import errors
from pulink.errors import PulinkError, UnknownNameError


def drawn() -> dict[str, tuple[str, int | None]]:
    """Each class of the drawing with its parent and exit status."""
    lines = [line for line in (errors.__doc__ or "").splitlines() if "Error" in line]
    path: list[tuple[int, str]] = []
    tree: dict[str, tuple[str, int | None]] = {}
    for line in lines:
        name = re.search(r"\w+Error", line)
        assert name is not None
        while path and path[-1][0] >= name.start():
            path.pop()
        status = re.search(r"exit (\d+)", line)
        tree[name[0]] = (path[-1][1] if path else "Exception", int(status[1]) if status else None)
        path.append((name.start(), name[0]))
    return tree


def actual() -> dict[str, type[PulinkError]]:
    found: dict[str, type[PulinkError]] = {}
    waiting = [PulinkError]
    while waiting:
        found |= {cls.__name__: cls for cls in waiting}
        waiting = [sub for cls in waiting for sub in cls.__subclasses__()]
    return {name: cls for name, cls in found.items() if cls.__module__ == errors.__name__}


def test_the_drawing_is_the_tree() -> None:
    tree = drawn()
    assert set(tree) == set(actual())
    for name, (parent, status) in tree.items():
        cls = actual()[name]
        assert cls.__bases__[0].__name__ == parent
        if status is not None:
            assert cls.exit_status == status


def test_every_error_is_documented_and_can_be_caught_as_what_it_is() -> None:
    for cls in actual().values():
        assert cls.__doc__
    assert issubclass(errors.InputError, ValueError)
    assert issubclass(errors.ParameterError, ValueError)
    assert issubclass(errors.TooLargeError, MemoryError)
    assert issubclass(errors.OutputError, OSError)


def test_an_unknown_name_lists_the_known_and_guesses() -> None:
    error = UnknownNameError("colour", "gren", ["red", "green"])
    assert str(error) == "unknown colour 'gren'. Did you mean 'green'? Known: green, red"
    assert error.suggestion == "green"
    with pytest.raises(UnknownNameError, match=r"unknown colour 'zzz'. Known: green, red"):
        raise UnknownNameError("colour", "zzz", ["red", "green"])
