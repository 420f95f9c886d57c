"""Where a command's values come from: what is typed, else the environment, else --config, else the defaults."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from pulink.cli.parsing.config import Lost, config_values
from pulink.cli.parsing.environment import CONFIG, THREADS, config_file, environment_values
from pulink.cli.parsing.given import Given
from pulink.cli.parsing.pair_options import CommandWithPairs
from pulink.cli.parsing.suggestions import UsageError, unknown_option, wrong_value
from pulink.cli.terminal.json_errors import heed_file
from pulink.errors import ParameterError, PulinkError
from pulink.text import shown

_GIVEN, _LOST = "pulink.given", "pulink.lost"
# Of these only those count that were given last: a typed --directed replaces a file's bipartite = true.
_ONE_OF = (("directed", "undirected", "bipartite"), ("quiet", "verbose"))
# Lists of NAME=VALUE: what is typed is added to what a file says, and wins for the same name.
_ADDED_TO = ("setting", "kinds")


class ConfiguredCommand(CommandWithPairs):
    """A command whose options may also stand in a file or in the environment."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            left = super().parse_args(ctx, args)
        except typer.BadParameter as error:
            given = given_elsewhere(ctx).get(str(getattr(error.param, "name", "")))
            if given is None or _is_typed(ctx, str(error.param.name)):  # type: ignore[union-attr]
                raise UsageError(wrong_value(error, args)) from None
            # "Input should be a valid integer, unable to parse ..."
            what = error.message.partition(",")[0].removeprefix("Input ")
            raise ParameterError(f"{given.origin} {what}, got {shown(given.value)}") from None
        except Exception as error:
            if (option := getattr(error, "option_name", None)) is None or not hasattr(error, "possibilities"):
                raise
            raise UsageError(unknown_option(str(option), ctx)) from None
        _refuse_lost(ctx)
        _settle(ctx)
        return left


def given_elsewhere(context: Any) -> dict[str, Given]:
    """By parameter, what the environment or a file says, whether or not something else was typed."""
    return context.meta.get(_GIVEN, {})  # type: ignore[no-any-return]


def used_from_elsewhere(context: Any) -> dict[str, Given]:
    """Of these, what was not typed."""
    return {name: one for name, one in given_elsewhere(context).items() if not _is_typed(context, name)}


def name_origins(context: Any, error: PulinkError) -> None:
    """Let a message about a value that nobody typed say where the value stands."""
    message = str(error)
    for name, given in used_from_elsewhere(context).items():
        values = given.value if isinstance(given.value, list) else [given.value]
        is_named = f"--{name.replace('_', '-')}" in message
        if is_named or any(_stands_in(message, str(value)) for value in values):
            _add_origin(error, given.origin)
            return


def _stands_in(message: str, value: str) -> bool:
    """Also a part of it: of l3n.sed=1 a message names 'sed'."""
    parts = re.split("[.=]", value) if "=" in value else []
    return (len(value) > 1 and value in message) or any(repr(part) in message for part in parts)


def _add_origin(error: PulinkError, origin: str) -> None:
    error.args = (f"{error} (given by {origin})", *error.args[1:])


def _look_elsewhere(context: typer.Context, file: Path | None) -> Path | None:
    """Before other options are read: what they are by default is what the environment and the file say."""
    if context.resilient_parsing:
        return file
    command: Any = context.command
    above: Any = context.parent
    name = str(context.info_name)
    commands = {name: command} if above is None else above.command.commands
    given = _of_file(file, name, commands)
    heed_file({key: one.value for key, one in given.items()})
    if os.environ.get(THREADS, "").strip():
        given.pop("threads", None)
    fresh = environment_values(command)
    for group in _ONE_OF:
        if not fresh.keys().isdisjoint(group):
            given = {key: value for key, value in given.items() if key not in group}
    lost = {key: one for key, one in given.items() if isinstance(one.value, Lost)}
    context.meta[_LOST] = {key: one for key, one in lost.items() if key not in fresh}
    given = {key: one for key, one in given.items() if key not in lost}
    context.meta[_GIVEN] = given | fresh
    context.default_map = {key: one.value for key, one in (given | fresh).items()}
    return file


def _of_file(typed: Path | None, name: str, commands: Mapping[str, Any]) -> dict[str, Given]:
    named = config_file() if typed is None else typed
    try:
        return {} if named is None else config_values(Path(named), name, commands)
    except PulinkError as error:
        if typed is None:
            _add_origin(error, CONFIG)
        raise


Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        is_eager=True,
        callback=_look_elsewhere,
        show_default=False,
        help="Options from a TOML file or a run.json (docs/configuration.md); what is typed, then PULINK_* in the "
        "environment, comes first.",
    ),
]


def _refuse_lost(context: Any) -> None:
    """What a run knew of nodes and pairs changes its result: without it, it is another run."""
    for name, given in context.meta.get(_LOST, {}).items():
        if not _is_typed(context, name):
            option = f"--{name.replace('_', '-')}"
            raise ParameterError(
                f"{given.origin}: the run had {option[2:]} ({given.value.what}) that no file names: "
                f"save them as a file and type {option} FILE"
            )


def _settle(context: Any) -> None:
    for group in _ONE_OF:
        here = [name for name in group if name in context.params]
        if any(_is_typed(context, name) for name in here):
            for name in here:
                if name in used_from_elsewhere(context):
                    context.params[name] = _default(context, name)
    for name in _ADDED_TO:
        given = given_elsewhere(context).get(name)
        if given is not None and _is_typed(context, name):
            context.params[name] = [*given.value, *context.params[name]]


def _default(context: Any, name: str) -> Any:
    return next(parameter.default for parameter in context.command.params if parameter.name == name)


def _is_typed(context: Any, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
