"""Options from the environment: PULINK_SEED=3 is --seed 3, unless --seed is typed."""

from __future__ import annotations

import os
import shlex
from typing import Any

from pulink.cli.parsing.given import Given, is_switch, parameters_by_key, takes_several
from pulink.errors import ParameterError
from pulink.text import shown

_PREFIX = "PULINK_"
CONFIG, THREADS = "PULINK_CONFIG", "PULINK_THREADS"
# The engine reads this one by itself, also where no command runs.
_READ_ELSEWHERE = {THREADS}
_SWITCHES = {
    "1": True,
    "true": True,
    "yes": True,
    "on": True,
    "0": False,
    "false": False,
    "no": False,
    "off": False,
}


def environment_values(command: Any) -> dict[str, Given]:
    """By parameter; a variable that is empty is not set. Arguments, such as EDGES, are typed or in a file."""
    found = {}
    for key, parameter in parameters_by_key(command).items():
        variable = _PREFIX + key.replace("-", "_").upper()
        text = os.environ.get(variable, "").strip()
        if text and variable not in _READ_ELSEWHERE and parameter.param_type_name == "option":
            found[str(parameter.name)] = Given(_value(parameter, text, variable), variable)
    return found


def config_file() -> str | None:
    """What --config is by the environment."""
    return os.environ.get(CONFIG, "").strip() or None


def _value(parameter: Any, text: str, variable: str) -> Any:
    if is_switch(parameter):
        if text.lower() not in _SWITCHES:
            raise ParameterError(
                f"{variable} must be 1 or 0 (also true, yes, on, false, no, off), got {shown(text)}"
            )
        return _SWITCHES[text.lower()]
    if not takes_several(parameter):
        return text
    try:
        return shlex.split(text)
    except ValueError as error:
        raise ParameterError(f"{variable} must be values between blanks, got {shown(text)} ({error})") from error
