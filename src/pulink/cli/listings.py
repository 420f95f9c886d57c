"""pulink methods and pulink datasets: what there is to choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pulink.cli.parsing import options
from pulink.cli.parsing import output_options as outputs
from pulink.cli.parsing.completion import method_names_from
from pulink.cli.terminal.console import Screen
from pulink.graph.spaces.kind_names import KINDS
from pulink.workflows.formats.documents import document

if TYPE_CHECKING:
    from pulink.methods.registry import Method


def methods(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="Show the details of this method.",
            show_default=False,
            autocompletion=method_names_from,
        ),
    ] = None,
    output: outputs.OutputFile = None,
    as_format: outputs.TableFormat = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """List the methods. Groups for --method: all, paper (those that the paper reports), heuristics.

    With a NAME, its source, needs, cost and parameters, for --set NAME.PARAMETER=VALUE; with --json, those of all.
    """
    from pulink.methods.registry import METHODS, method

    screen = Screen(quiet)
    place = outputs.destination(as_json, as_format, output)
    entries = [*METHODS.values(), *_plugins(screen)] if name is None else [method(name)]
    if place.format is not None:
        records = [_record(entry) for entry in entries]
        place.send_table(document({"methods": records}), records, screen)
        return
    if name is not None:
        screen.table(name, ["about", "value"], _page(entries[0]), set())
        return
    rows = [
        [
            entry.name,
            _kinds_in_short(entry),
            entry.summary,
            entry.family,
            entry.citation,
            entry.tables or "-",
            entry.features,
            entry.cost,
        ]
        for entry in entries
    ]
    columns = ["name", "kinds", "what it is", "family", "citation", "in the paper", "features", "cost"]
    # Eight columns would leave none of them room for a word.
    screen.table("Methods", columns, rows, set(), n_drawn=3)
    screen.note(
        "groups: all, paper, heuristics; a method's source, needs, cost and parameters: pulink methods NAME"
    )


def _record(entry: Method) -> dict[str, Any]:
    """A method as JSON holds it."""
    from pulink.predictor.parameters import plain_value

    fields = ("name", "family", "summary", "citation", "tables", "features", "cost", "settings")
    parameters = {key: plain_value(value) for key, value in entry.make().get_params().items()}
    found = {field: getattr(entry, field) for field in fields}
    return found | {"kinds": list(kinds_of(entry)), "parameters": parameters}


def _plugins(screen: Screen) -> list[Method]:
    """Methods of other packages that work; of each other one a line."""
    from pulink.errors import ParameterError
    from pulink.methods.registry import plugin_methods

    found, problems = plugin_methods()
    for problem in problems:
        screen.warn(problem)
    works = []
    for entry in found.values():
        try:
            _ = entry.predictor
        except ParameterError as error:
            screen.warn(str(error))
        else:
            works.append(entry)
    return works


def kinds_of(entry: Method) -> tuple[str, ...]:
    """The kinds of graphs that a method serves."""
    return tuple(getattr(entry.predictor, "kinds", ("undirected",)))


def _kinds_in_short(entry: Method) -> str:
    """As few words as there is room for."""
    kinds = kinds_of(entry)
    others = [kind for kind in KINDS if kind not in kinds]
    if len(others) < 2:
        return f"not {others[0]}" if others else "all"
    return ", ".join(kinds)


def _page(entry: Method) -> list[list[str]]:
    """All that is known of a method, as rows of two."""
    rows = [
        ["family", entry.family],
        ["kinds of graphs", ", ".join(kinds_of(entry))],
        ["what it is", entry.summary],
        ["citation", entry.citation],
        ["in the paper", entry.tables or "-"],
        ["features", entry.features],
        ["cost", entry.cost],
    ]
    return rows + [
        [f"{entry.name}.{parameter}", _as_text(value) + (" (fixed)" if parameter in entry.settings else "")]
        for parameter, value in entry.make().get_params().items()
    ]


def _as_text(value: Any) -> str:
    """A value as --set takes it."""
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def datasets(
    output: outputs.OutputFile = None,
    as_format: outputs.TableFormat = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """List the named datasets, and whether they are on this machine."""
    from dataclasses import asdict

    from pulink.data.catalog import datasets as catalogue
    from pulink.data.catalog import search_folders

    screen = Screen(quiet)
    place = outputs.destination(as_json, as_format, output)
    entries = catalogue().values()
    if place.format is not None:
        records = [
            asdict(e) | {"available": e.available, "how": None if e.file is None else e.how_to_get()}
            for e in entries
        ]
        place.send_table(document({"datasets": records}), records, screen)
        return
    rows = [
        [
            e.name,
            "yes" if e.available else "no",
            f"{e.nodes:,}",
            f"{e.edges:,}",
            f"{e.features:,}" if e.features else "-",
            e.kind,
            e.title,
        ]
        for e in entries
    ]
    columns = ["name", "here", "nodes", "edges", "features", "kind", "what it is"]
    screen.table("Datasets", columns, rows, {"nodes", "edges", "features"})
    folders = ", ".join(str(folder) for folder in search_folders())
    screen.note(f"looked in {folders}; how to get one, and its versions NAME+OPTION: --json")
