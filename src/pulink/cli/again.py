"""What to type to run a command again."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

import typer


def command(context: typer.Context) -> str:
    """Everything that is not as by default."""
    words = ["pulink", str(context.info_name)]
    for own in context.command.params:
        value = context.params.get(str(own.name))
        if own.param_type_name == "argument":
            words += [str(one) for one in _each(value)]
        elif value is True:
            words.append(own.opts[0])
        elif value is False and own.default is True and own.secondary_opts:
            words.append(own.secondary_opts[0])
        elif value not in (None, False, [], ()) and value != own.default:
            for one in _each(value):
                words += [own.opts[0], str(one)]
    return shlex.join(words)


def _each(value: object) -> Iterable[object]:
    if isinstance(value, list | tuple):
        return value
    return () if value is None else (value,)
