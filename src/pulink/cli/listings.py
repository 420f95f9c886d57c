"""pulink methods and pulink datasets: what there is to choose from."""

from __future__ import annotations

from pulink.cli import options
from pulink.cli.console import Screen


def methods(quiet: options.Quiet = False, as_json: options.Json = False) -> None:
    """List the methods. Groups for --method: all, paper (those that the paper reports), heuristics.

    With --json also each method's parameters with their defaults, for --set METHOD.PARAMETER=VALUE.
    """
    from pulink.methods import METHODS

    screen = Screen(quiet)
    if as_json:
        fields = ("name", "family", "summary", "citation", "tables", "features", "cost", "settings")
        screen.json(
            [
                {field: getattr(entry, field) for field in fields} | {"parameters": entry.make().get_params()}
                for entry in METHODS.values()
            ]
        )
        return
    rows = [
        [entry.name, entry.family, entry.summary, entry.citation, entry.tables or "-", entry.features, entry.cost]
        for entry in METHODS.values()
    ]
    columns = ["name", "family", "what it is", "citation", "in the paper", "features", "cost"]
    screen.table("Methods", columns, rows, set())
    screen.note("groups: all, paper, heuristics; a method's parameters: pulink methods --json")


def datasets(quiet: options.Quiet = False, as_json: options.Json = False) -> None:
    """List the named datasets, and whether they are on this machine."""
    from dataclasses import asdict

    from pulink.data.catalog import datasets as catalogue
    from pulink.data.catalog import search_folders

    screen = Screen(quiet)
    entries = catalogue().values()
    if as_json:
        screen.json(
            [
                asdict(e) | {"available": e.available, "how": None if e.file is None else e.how_to_get()}
                for e in entries
            ]
        )
        return
    rows = [
        [
            e.name,
            "yes" if e.available else "no",
            f"{e.nodes:,}",
            f"{e.edges:,}",
            f"{e.features:,}" if e.features else "-",
            e.title,
        ]
        for e in entries
    ]
    columns = ["name", "here", "nodes", "edges", "features", "what it is"]
    screen.table("Datasets", columns, rows, {"nodes", "edges", "features"})
    folders = ", ".join(str(folder) for folder in search_folders())
    screen.note(f"looked in {folders}; how to get one, and its versions NAME+OPTION: --json")
