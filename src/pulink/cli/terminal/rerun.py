"""What to type to run a command again."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

import typer

from pulink.cli.parsing.pair_options import BETWEEN

# What a file says is written out; how much a person wants to see of a run, and who does it, is not a part of it.
_NEVER = ("config", "verbose")
_SEEN = ("quiet", "as_json", "cluster")


def command(context: typer.Context, *, seen: bool = True) -> str:
    """Everything that is not as by default; without what changes nothing of its result, if not `seen`."""
    left_out = _NEVER if seen else (*_NEVER, *_SEEN)
    words, ends = ["pulink", str(context.info_name)], []
    for parameter in context.command.params:
        if parameter.name in left_out:
            continue
        value = context.params.get(str(parameter.name))
        if parameter.param_type_name == "argument":
            ends += [str(one) for one in _each(value)]
        elif _is_default(value, parameter.default):
            continue
        elif isinstance(value, bool):
            words.append(parameter.opts[0] if value else parameter.secondary_opts[0])
        else:
            every = [str(one) for one in _each(value)]
            step = 2 if parameter.opts[0] == BETWEEN else 1
            for place in range(0, len(every), step):
                words += [parameter.opts[0], *every[place : place + step]]
    # A file's name may begin as an option does.
    ends = ["--", *ends] if any(end.startswith("-") and end != "-" for end in ends) else ends
    typed = [*words[:2], *ends, *words[2:]] if "--" not in ends else [*words, *ends]
    return " ".join(_quoted(word) for word in typed)


def _quoted(word: str) -> str:
    """As a shell takes it; bytes that are no letters in the way of bash and zsh."""
    if not any(0xD800 <= ord(letter) <= 0xDFFF for letter in word):
        return shlex.quote(word)
    plain = set(range(0x20, 0x7F)) - set(b"'\\")
    octets = word.encode(errors="surrogateescape")
    return "$'" + "".join(chr(one) if one in plain else f"\\x{one:02x}" for one in octets) + "'"


def _is_default(value: object, default: object) -> bool:
    """0 is not False here, and an option that was not given has no values."""
    if value is None or (isinstance(value, list | tuple) and not value):
        return True
    return value == default and isinstance(value, bool) == isinstance(default, bool)


def _each(value: object) -> Iterable[object]:
    if isinstance(value, list | tuple):
        return value
    return () if value is None else (value,)
