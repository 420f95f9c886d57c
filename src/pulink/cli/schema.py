"""pulink schema: the JSON Schemas of what pulink prints and writes."""

from __future__ import annotations

from typing import Annotated

import typer

from pulink.cli.parsing.completion import document_names
from pulink.cli.terminal.console import Screen
from pulink.workflows.formats.documents import DOCUMENTS
from pulink.workflows.formats.documents import schema as schema_of


def schema(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="Print the schema of this document.",
            show_default=False,
            autocompletion=document_names,
        ),
    ] = None,
) -> None:
    """Print the JSON Schema (draft 2020-12) of a JSON document; without a NAME, list the documents."""
    screen = Screen(quiet=False)
    if name is not None:
        screen.json(schema_of(name))
        return
    screen.table(
        "JSON documents", ["name", "where it comes from"], [list(row) for row in DOCUMENTS.items()], set()
    )
    screen.note("one of them: pulink schema NAME")
