"""A reading option is declared once: a field of ReadOptions, offered by the commands and by pulink.read."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest
import typer

import pulink
from pulink.cli import estimate, find
from pulink.cli.app import app
from pulink.cli.measuring import evaluate
from pulink.cli.parsing.options import KIND_FLAGS, flag
from pulink.data.read_options import ReadKeywords, ReadOptions

FIELDS = [own.name for own in fields(ReadOptions)]
# A kind is asked for by an option of its own.
OFFERED = [each for name in FIELDS for each in (KIND_FLAGS if name == "kind" else [name])]
COMMANDS = {"find": find.find, "estimate": estimate.estimate, "evaluate": evaluate.evaluate}


def options(command: str) -> dict[str, Any]:
    group: Any = typer.main.get_command(app)
    return {own.name: own for own in group.commands[command].params}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_offers_every_field_and_nothing_else(command: str) -> None:
    offered = options(command)
    own = set(inspect.signature(inspect.unwrap(COMMANDS[command])).parameters) - {"context", "reading"}
    for name in OFFERED:
        assert name in offered, (
            f"ReadOptions.{name} is not offered by pulink {command}: does it read its graph with "
            "@options.reads_a_graph?"
        )
        assert flag(name) in offered[name].opts
    for name in set(offered) - own - {"help", "config", "verbose"}:
        assert name in OFFERED, (
            f"pulink {command} offers {offered[name].opts[0]}, which is neither a parameter of the command nor a "
            "field of ReadOptions (data/read_options.py)"
        )


@pytest.mark.parametrize("command", COMMANDS)
def test_they_stand_together_with_types_and_help(command: str) -> None:
    offered = options(command)
    places = [list(offered).index(name) for name in OFFERED]
    assert places == list(range(places[0], places[0] + len(OFFERED)))
    for own in fields(ReadOptions):
        if own.name == "kind":
            continue
        assert offered[own.name].help == own.metadata["meaning"], (
            f"ReadOptions.{own.name} needs a meaning: _about(...)"
        )
    assert offered["header"].secondary_opts == ["--no-header"]
    assert offered["kinds"].multiple and offered["between"].multiple
    assert offered["encoding"].default == "utf-8"


def test_every_field_is_a_keyword_of_read() -> None:
    hints = get_type_hints(ReadOptions)
    assert get_type_hints(ReadKeywords) == hints, "repeat every field of ReadOptions in ReadKeywords, below it"
    shown = inspect.signature(pulink.read).parameters
    assert [name for name in shown if name not in ("edges", "nodes", "options")] == FIELDS
    assert {name: shown[name].annotation for name in FIELDS} == hints


@pytest.mark.parametrize("name", FIELDS)
def test_some_reader_obeys_every_field(name: str) -> None:
    folder = Path(pulink.__file__).parent / "data"
    readers = [path for path in folder.rglob("*.py") if path.name != "read_options.py"]
    # What concerns the table of edges is handed on whole.
    obeyed = rf"\boptions\.({name}|of_edges)\b" if name in ("time", "between") else rf"\boptions\.{name}\b"
    used = [path.name for path in readers if re.search(obeyed, path.read_text())]
    assert used, f"ReadOptions.{name} is offered, and no reader looks at it: use options.{name} in data/"
