"""Options that several commands share, and what is checked of them before any work."""

from __future__ import annotations

import functools
import getpass
import inspect
import sys
from collections.abc import Callable, Iterable
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from pulink.cli.parsing.completion import (
    EFFORTS,
    cluster_addresses,
    dataset_names,
    effort_names,
    group_names,
    method_names_from,
)
from pulink.cli.parsing.pair_options import pairs_of
from pulink.cli.terminal.console import Screen, Sent
from pulink.cli.terminal.signals import signals_wait
from pulink.data.read_options import ReadOptions
from pulink.errors import ParameterError

# The kinds of graphs that can be asked for, each by an option; typed ones by --node-type.
KIND_FLAGS = {
    "directed": "Edges have a direction, from the first column to the second.",
    "undirected": "Edges have no direction, and both columns hold the same kind of nodes.",
    "bipartite": "The two columns hold two different kinds of nodes, even where names repeat.",
}

# Options that are not called as their parameters are.
_FLAGS = {"kinds": "--column"}

Edges = Annotated[
    str,
    typer.Argument(
        metavar="EDGES",
        help="An edge list (.csv, .tsv, .txt, also .gz; .parquet, .arrow, .jsonl, SQLite, DuckDB; .graphml, "
        ".gexf, .gml, .json, .npz), - for standard input, or a dataset's name (see pulink datasets).",
        show_default=False,
        autocompletion=dataset_names,
    ),
]
Nodes = Annotated[
    Path | None,
    typer.Option("--nodes", metavar="FILE", help="A table of node attributes, or a sparse matrix (.npz)."),
]
Model = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL",
        help="A model folder, or the folder that find wrote (--out).",
        show_default=False,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="METHOD.PARAMETER=VALUE",
        help="A method's own parameter, for example --set pull.max_iterations=5; may be given several times.",
    ),
]
MinProbability = Annotated[
    float, typer.Option("--min-probability", min=0.0, max=1.0, help="Leave out links below this probability.")
]
Methods = Annotated[
    str,
    typer.Option(
        "--method",
        help="Methods and groups of them (all, paper, heuristics), separated by commas: see pulink methods.",
        autocompletion=group_names,
    ),
]
Method = Annotated[str, typer.Option("--method", help="See pulink methods.", autocompletion=method_names_from)]
Effort = Annotated[
    str | None,
    typer.Option(
        "--effort",
        metavar="|".join(EFFORTS),
        show_default="normal",
        help="How much work pull-plus takes upon itself: fast trains no network, high trains longer ones.",
        autocompletion=effort_names,
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", min=0, help="Random seed; the same seed and threads give the same result.")
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads", min=1, max=1_024, help="Threads to use.", show_default="PULINK_THREADS, else half the cores"
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="local:N|auto|ray://HOST:PORT",
        help="Who makes pieces of pull-plus's work, or trains pull and gcn-ce together: N processes of this "
        "machine, or a Ray cluster (docs/distributed.md). Any number of them gives the same result.",
        autocompletion=cluster_addresses,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors on stderr.")]
Verbose = Annotated[
    int,
    typer.Option(
        "--verbose",
        "-v",
        count=True,
        show_default=False,
        help="Print more on stderr, with seconds; -vv prints most.",
    ),
]
RawNames = Annotated[
    bool,
    typer.Option(
        "--raw-names",
        help="Do not put an apostrophe before names that a spreadsheet would run as a formula "
        "(pulink removes it again when it reads the file).",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON (fields: docs/json.md).")]


def named_folder(given: str | Path) -> Path:
    """An empty name would be the folder that the command was started in: a variable that was not set."""
    if isinstance(given, str) and not given.strip():
        raise typer.BadParameter("the folder's name is empty")
    return Path(given)


def hold(context: typer.Context, folder: Path | None, files: Iterable[str] = (), depth: int = 0) -> None:
    """Keep other processes out of an output folder until the command ends; see `held`."""
    from pulink.system.folder_lock import held

    if folder is not None:
        Sent.into_folder = True
        with signals_wait():
            context.with_resource(held(folder, files, depth))


def check_files(edges: str, *others: Path | None) -> None:
    """Fail on a misspelt file at once, before the seconds that the libraries take to load."""
    from pulink.data.formats.sources import STDIN, existing_file
    from pulink.data.parts.part_files import is_parts

    files: list[str | Path] = [edges] if Path(edges).suffix else []
    for file in files + [other for other in others if other is not None]:
        if str(file) != STDIN and not is_parts(file):
            existing_file(file)


def tell_waiting(screen: Screen, *sources: str | Path | None) -> None:
    """Say that somebody has to type: a command that waits for a person looks like one that hangs."""
    from pulink.data.formats.sources import STDIN

    for source, what in zip(sources, ("edges", "nodes", "pairs"), strict=False):
        if source is not None and str(source) == STDIN and sys.stdin is not None and sys.stdin.isatty():
            screen.note(f"reading {what} from standard input; end with Ctrl-D")
            return


def flag(name: str) -> str:
    """A parameter as the command line spells it."""
    return _FLAGS.get(name, f"--{name.replace('_', '-')}")


def reads_a_graph(command: Callable[..., None]) -> Callable[..., None]:
    """The command with an option for each field of `ReadOptions` in the place of its parameter `reading`."""
    signature = inspect.signature(command, eval_str=True)
    places: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        places += _reading_options() if parameter.name == "reading" else [parameter]

    @functools.wraps(command)
    def run(**arguments: Any) -> None:
        asked = [kind for kind in KIND_FLAGS if arguments.pop(kind)]
        given = {field.name: arguments.pop(field.name) for field in fields(ReadOptions) if field.name != "kind"}
        given |= {"kinds": _kinds(given["kinds"]), "between": pairs_of(given["between"])}
        command(**arguments, reading=_checked(ReadOptions(**given, kind=_kind(asked))))

    run.__signature__ = signature.replace(parameters=places)  # type: ignore[attr-defined]
    return run


def _reading_options() -> list[inspect.Parameter]:
    """Each field as an option of the command line."""
    hints = get_type_hints(ReadOptions)
    found = []
    for field in fields(ReadOptions):
        if field.name == "kind":
            found += [_switch(kind, meaning) for kind, meaning in KIND_FLAGS.items()]
            continue
        name, metavar = flag(field.name), None
        kind: Any = hints[field.name]
        if kind == list[tuple[str, str]] | None:
            kind, metavar = list[str] | None, "TYPE TYPE"
        elif kind == bool | None:
            name = f"{name}/--no-{name.removeprefix('--')}"
        elif kind == dict[str, str] | None:
            kind, metavar = list[str] | None, "NAME=KIND"
        option = typer.Option(
            name,
            metavar=metavar,
            help=field.metadata["meaning"],
            show_default=field.metadata["unless_given"] or True,
        )
        place = inspect.Parameter(field.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=field.default)
        found.append(place.replace(annotation=Annotated[kind, option]))
    return found


def _switch(name: str, meaning: str) -> inspect.Parameter:
    """An option that is given or not."""
    place = inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=False)
    return place.replace(annotation=Annotated[bool, typer.Option(f"--{name}", help=meaning)])


def _kind(asked: list[str]) -> str | None:
    """The one kind of graph that is asked for."""
    if len(asked) > 1:
        raise ParameterError(f"--{asked[0]} and --{asked[1]} contradict each other: give one of them")
    return asked[0] if asked else None


def _checked(reading: ReadOptions) -> ReadOptions:
    """Refuse types where the kind has none, as the command line calls them."""
    if reading.node_type is not None and reading.kind in ("directed", "undirected"):
        raise ParameterError(
            f"--node-type does not go with --{reading.kind}: links between types are written with the type first "
            "that --between names first"
        )
    if reading.between is not None and reading.node_type is None:
        raise ParameterError("--between goes with --node-type, the node table's column with types")
    return reading


def _kinds(values: list[str] | None) -> dict[str, str] | None:
    pairs = [value.rpartition("=") for value in values or []]
    for name, _, kind in pairs:
        if not name or not kind:
            raise ParameterError("--column takes NAME=KIND, for example --column year=category")
    return {name: kind for name, _, kind in pairs} or None


def check_reading(edges: str, nodes: Path | None, reading: ReadOptions) -> None:
    """Refuse options that would change nothing, as the command line calls them."""
    from pulink.data.formats.recognise import holds_nodes
    from pulink.data.formats.sources import label, suffix
    from pulink.workflows.graph_source import is_dataset, refuse_beside_dataset

    if is_dataset(edges):
        refuse_beside_dataset(edges, nodes, reading, flag)
    # A file with a whole graph in it, such as GraphML, holds its own node table, without a column of ids.
    for name in ("node_id",) if holds_nodes(edges) else ("node_id", "kinds", "node_type"):
        if getattr(reading, name) is None:
            continue
        if nodes is None:
            raise ParameterError(f"{flag(name)} goes with --nodes")
        if suffix(nodes) == ".npz":
            raise ParameterError(f"{flag(name)} goes with a node table, and {label(nodes)} is none")


def method_names(text: str) -> list[str]:
    """What --method names, each once."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise ParameterError(f"--method needs at least one name, got {text!r}")
    return names


def settings_of(
    method: str, texts: list[str] | None, missing_share: float | None, effort: str | None
) -> dict[str, Any]:
    """What --set, --missing-share and --effort say of the one method that runs."""
    from pulink.methods.effort import with_effort
    from pulink.methods.registry import method as method_by_name
    from pulink.methods.registry import parse_settings

    method_by_name(method)
    every = parse_settings(texts or [])
    for name in every:
        if name != method:
            raise ParameterError(f"--set {name}.… is for another method than --method {method}")
    settings = with_effort(every, effort, [method], flag("effort")).get(method, {})
    if missing_share is None:
        return settings
    if "missing_share" in settings:
        raise ParameterError("--missing-share and --set give the same setting: give one of them")
    return settings | {"missing_share": missing_share}


def settings_by_method(names: list[str], texts: list[str] | None, effort: str | None) -> dict[str, dict[str, Any]]:
    """What --set and --effort say of each of the methods that are asked about."""
    from pulink.methods.effort import with_effort
    from pulink.methods.registry import expand, parse_settings

    chosen = expand(names)
    settings = parse_settings(texts or [])
    for name in settings:
        if name not in chosen:
            raise ParameterError(f"--set {name}.… is for a method that is not asked about")
    return with_effort(settings, effort, chosen, flag("effort"))


def login_name() -> str:
    """Who answers where nobody says who: whoever is logged in, where the system tells."""
    try:
        name = getpass.getuser()
    except (ImportError, KeyError, OSError):
        return "reviewer"
    return name if name.isprintable() and 0 < len(name) <= 100 else "reviewer"
