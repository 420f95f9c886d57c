"""Values of options that were not typed: each with where it came from, by the option's own spelling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# Options that cannot come from a file: they say which file, or ask for something else than the command.
_ONLY_TYPED = {"config", "help", "version"}
_PATHS = {"FILE", "DIR", "EDGES", "MODEL", "RESULTS"}


@dataclass(frozen=True)
class Given:
    """A value, and where it was found: the name of a variable, or a file and a key."""

    value: Any
    origin: str


def parameters_by_key(command: Any) -> dict[str, Any]:
    """A command's options and arguments as a file spells them: "min-probability", "edges"."""
    found = {}
    for parameter in command.params:
        is_argument = parameter.param_type_name == "argument"
        key = str(parameter.name) if is_argument else max(parameter.opts, key=len).removeprefix("--")
        if key not in _ONLY_TYPED:
            found[key.replace("_", "-")] = parameter
    return found


def takes_several(parameter: Any) -> bool:
    """Whether it may be given more than once."""
    return bool(getattr(parameter, "multiple", False)) or parameter.nargs != 1


def is_switch(parameter: Any) -> bool:
    """Whether it is on or off, without a value."""
    return bool(getattr(parameter, "is_flag", False)) and not getattr(parameter, "count", False)


def names_a_file(parameter: Any) -> bool:
    """Whether its value is a file or a folder, or for EDGES perhaps a dataset's name."""
    return not _PATHS.isdisjoint(str(parameter.metavar or "").split("|"))


def described(given: Mapping[str, Given]) -> str:
    """Where each value stands, for a person: `PULINK_SEED = 3`."""
    return ", ".join(f"{one.origin} = {one.value}" for one in given.values())
