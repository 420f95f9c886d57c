"""Options that take two values and may be repeated: --between drug protein --between drug disease.

Typer knows none of these: its options take one value. The words are written out as `--between drug --between
protein` before it reads them, and put together again afterwards.
"""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

from pulink.errors import ParameterError

BETWEEN = "--between"


class CommandWithPairs(TyperCommand):
    """A command whose option --between takes two values."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, one_value_each(args))


def one_value_each(words: list[str]) -> list[str]:
    """The words of a command line, in which the option stands before each of its values.

    >>> from pulink.cli.parsing.pair_options import one_value_each
    >>> one_value_each(["a.csv", "--between", "drug", "protein"])
    ['a.csv', '--between', 'drug', '--between', 'protein']
    """
    found: list[str] = []
    for place, word in enumerate(words):
        if word == "--":
            return found + words[place:]
        is_second = (
            (place > 1 and words[place - 2] == BETWEEN and not words[place - 1].startswith("-"))
            or (place > 0 and words[place - 1].startswith(f"{BETWEEN}="))
        ) and not word.startswith("-")
        found += [BETWEEN, word] if is_second else [word]
    return found


def pairs_of(values: list[str] | None) -> list[tuple[str, str]] | None:
    """The values two by two.

    >>> from pulink.cli.parsing.pair_options import pairs_of
    >>> pairs_of(["drug", "protein"])
    [('drug', 'protein')]
    """
    if not values:
        return None
    if len(values) % 2:
        raise ParameterError(f"{BETWEEN} takes two types of nodes, for example {BETWEEN} drug protein")
    return list(zip(values[::2], values[1::2], strict=True))
