"""What was probably meant by an option that does not exist."""

from __future__ import annotations

import difflib
from typing import Any

from pulink.errors import ParameterError
from pulink.text import shown


class UsageError(ParameterError):
    """A command line that is not understood."""


def unknown_option(typed: str, context: Any) -> str:
    """One line: the options that look alike, or the commands that have this one."""
    command = context.command
    mine = sorted(_options(command))
    name = context.info_name
    close = [option for option in mine if option.startswith(typed)] if len(typed) > 3 else []
    close = close or difflib.get_close_matches(typed, mine, n=1)
    if close:
        hint = f" Did you mean {close[0]!r}?"
    else:
        others = {} if context.parent is None else context.parent.command.commands
        having = [other for other, one in others.items() if typed in _options(one)]
        hint = f" It is an option of {', '.join(having)}." if having else ""
    return f"unknown option of {name} {shown(typed)}.{hint} All options: pulink {name} --help"


def _options(command: Any) -> set[str]:
    return {option for one in command.params for option in (*one.opts, *one.secondary_opts) if option[:1] == "-"}
