"""What was probably meant by an option that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Any

from pulink.errors import ParameterError
from pulink.text import shown

# What Typer says of a number, and what it means.
_ALLOWED = {
    "should be greater than or equal to": "must be at least",
    "should be less than or equal to": "must be at most",
    "should be a valid integer": "must be a whole number",
    "should be a valid number": "must be a number",
}


class UsageError(ParameterError):
    """A command line that is not understood."""


def unknown_option(typed: str, context: Any) -> str:
    """One line: the options that look alike, or the commands that have this one."""
    command = context.command
    mine = sorted(_options(command))
    name = context.info_name
    close = [option for option in mine if option.startswith(typed)] if len(typed) > 3 else []
    if not close:
        # Dashes are alike in all of them.
        plain = {option.lstrip("-"): option for option in mine}
        close = [plain[one] for one in difflib.get_close_matches(typed.lstrip("-"), plain, n=1)]
    if close:
        hint = f" Did you mean {close[0]!r}?"
    else:
        others = {} if context.parent is None else context.parent.command.commands
        having = [other for other, one in others.items() if typed in _options(one)]
        hint = f" It is an option of {', '.join(having)}." if having else ""
    return f"unknown option of {name} {shown(typed)}.{hint} All options: pulink {name} --help"


def wrong_value(error: Any, words: Sequence[str]) -> str:
    """One line about a value that an option does not take: the option, what is allowed, and the value."""
    message = str(error.message).partition(",")[0].removeprefix("Input ").rstrip(".")
    for said, meant in _ALLOWED.items():
        message = message.replace(said, meant)
    options = [option for option in getattr(error.param, "opts", ()) if option.startswith("-")]
    if not options or not message:
        where = "pulink" if error.ctx is None else error.ctx.command_path
        return f"{str(error.format_message()).rstrip('.')}; all that can be typed: {where} --help"
    got = next((f", got {shown(value)}" for value in _values(options, words)), "")
    return f"{max(options, key=len)} {message}{got}"


def _values(options: Sequence[str], words: Sequence[str]) -> Iterator[str]:
    """What stands behind an option, the last first: it is the one that counts."""
    for word, following in reversed([*zip(words, [*words[1:], ""], strict=True)]):
        name, equals, value = word.partition("=")
        if name in options:
            yield value if equals else following


def _options(command: Any) -> set[str]:
    return {option for one in command.params for option in (*one.opts, *one.secondary_opts) if option[:1] == "-"}
