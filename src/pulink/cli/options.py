"""Options that several commands share, and the graph they name."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pulink.cli.signals import signals_wait
from pulink.errors import InputError, ParameterError, UnknownNameError
from pulink.text import counted

if TYPE_CHECKING:
    from pulink.graph.graph import Graph
    from pulink.predictor.predictor import LinkPredictor

Edges = Annotated[
    str,
    typer.Argument(
        metavar="EDGES",
        help="An edge list (.csv, .tsv, .txt, also .gz; .parquet, .npz, .graphml), - for standard input, "
        "or a dataset's name (see pulink datasets).",
        show_default=False,
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
Source = Annotated[str | None, typer.Option("--source", help="The edge list's column with one end.")]
Target = Annotated[str | None, typer.Option("--target", help="The edge list's column with the other end.")]
Weight = Annotated[str | None, typer.Option("--weight", help="The edge list's column with weights.")]
NodeId = Annotated[str | None, typer.Option("--node-id", help="The node table's column with ids.")]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the edge list's first line names its columns.",
        show_default="judged by its looks",
    ),
]
Encoding = Annotated[str, typer.Option("--encoding", help="The files' encoding.")]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--column", metavar="NAME=KIND", help="Read a node column as number, category, text or ignore it."
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
Seed = Annotated[int, typer.Option("--seed", min=0, help="Same seed and threads, same result.")]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads", min=1, max=1_024, help="Threads to use.", show_default="PULINK_THREADS, else half the cores"
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing on stderr but errors.")]
RawNames = Annotated[
    bool,
    typer.Option(
        "--raw-names",
        help="Names as they are, in CSV and on a pipe, also where a spreadsheet takes one for a formula; "
        "otherwise such a name gets an apostrophe before it, which pulink takes off when it reads the file.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON (fields: docs/json.md).")]


def named_folder(given: str | Path) -> Path:
    """An empty name would be the folder that the command was started in: a variable that was not set."""
    if isinstance(given, str) and not given.strip():
        raise typer.BadParameter("the folder's name is empty")
    return Path(given)


def hold(context: typer.Context, folder: Path | None, files: Iterable[str] = (), depth: int = 0) -> None:
    """Keep other processes out of an output folder until the command ends; what it writes must find room there.

    files  what will be written into it
    depth  how far below it files are written
    """
    from pulink.system.files import check_file_target, check_writable, remove_leftovers
    from pulink.system.folder_lock import locked

    if folder is None:
        return
    check_writable(folder)
    for name in files:
        check_file_target(folder / name)
    with signals_wait():
        context.with_resource(locked(folder))
    remove_leftovers(folder, depth)


def check_files(edges: str, *others: Path | None) -> None:
    """Fail on a misspelt file at once, before the seconds that the libraries take to load."""
    from pulink.data.formats.sources import STDIN, existing_file

    if edges != STDIN and Path(edges).suffix:
        existing_file(edges)
    for other in others:
        if other is not None and str(other) != STDIN:
            existing_file(other)


def open_graph(
    edges: str,
    nodes: Path | None = None,
    *,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    node_id: str | None = None,
    header: bool | None = None,
    encoding: str = "utf-8",
    kinds: list[str] | None = None,
    absent: Path | None = None,
) -> Graph:
    """A file, standard input or a catalogue name becomes a graph; `absent`: pairs of it that are no links."""
    from pulink.data.absent_pairs import read_absent

    graph = _read(
        edges, nodes, source=source, target=target, weight=weight, node_id=node_id, header=header,
        encoding=encoding, kinds=kinds,
    )  # fmt: skip
    return graph if absent is None else read_absent(absent, graph, encoding)


def _read(
    edges: str,
    nodes: Path | None,
    *,
    source: str | None,
    target: str | None,
    weight: str | None,
    node_id: str | None,
    header: bool | None,
    encoding: str,
    kinds: list[str] | None,
) -> Graph:
    from pulink.data.catalog import datasets, is_named, load
    from pulink.data.formats.sources import label
    from pulink.data.read import read

    if is_named(edges) and not os.path.isfile(edges):  # noqa: PTH113 (Path's raises where it may not look)
        given = {
            "--nodes": nodes,
            "--source": source,
            "--target": target,
            "--weight": weight,
            "--node-id": node_id,
            "--header": header,
            "--column": kinds,
        }
        for option, value in given.items():
            if value is not None:
                raise ParameterError(f"{option} goes with a file; {edges!r} is a dataset of the catalogue")
        return load(edges)
    if edges != "-" and not _exists(edges) and "." not in Path(edges).name:
        hint = UnknownNameError("dataset", edges, datasets()).suggestion
        maybe = f"; did you mean the dataset {hint!r}?" if hint else ""
        raise InputError(f"{label(edges)}: no such file, and no dataset of that name{maybe}")
    chosen = _kinds(kinds)
    _check_node_options(edges, nodes, node_id, chosen)
    return read(
        edges,
        nodes,
        source=source,
        target=target,
        weight=weight,
        node_id=node_id,
        header=header,
        encoding=encoding,
        kinds=chosen,
    )


def _exists(edges: str) -> bool:
    from pulink.data.formats.sources import label

    try:
        return Path(edges).exists()
    except OSError as error:
        raise InputError(f"{label(edges)}: cannot be read ({error.strerror})") from error


def _check_node_options(edges: str, nodes: Path | None, node_id: str | None, kinds: dict[str, str] | None) -> None:
    """Options of a node table need one; a GraphML file holds its own, without a column of ids."""
    from pulink.data.formats.sources import label, suffix
    from pulink.data.read import GRAPHML

    given = {"--node-id": node_id, "--column": None if suffix(edges) in GRAPHML else kinds}
    for option, value in given.items():
        if value is not None and nodes is None:
            raise ParameterError(f"{option} goes with --nodes")
        if value is not None and nodes is not None and suffix(nodes) == ".npz":
            raise ParameterError(f"{option} goes with a node table, and {label(nodes)} is none")


def open_model(folder: Path) -> LinkPredictor:
    """The model in a folder, or in the folder of a run."""
    from pulink.methods.registry import load_model

    return load_model(folder)


def settings_of(method: str, texts: list[str] | None) -> dict[str, Any]:
    """What --set says of the one method that runs."""
    from pulink.methods.registry import parse_settings

    settings = parse_settings(texts or [])
    for name in settings:
        if name != method:
            raise ParameterError(f"--set {name}.… is for another method than --method {method}")
    return settings.get(method, {})


def _kinds(values: list[str] | None) -> dict[str, str] | None:
    pairs = [value.rpartition("=") for value in values or []]
    for name, _, kind in pairs:
        if not name or not kind:
            raise ParameterError("--column takes NAME=KIND, for example --column year=category")
    return {name: kind for name, _, kind in pairs} or None


def describe(edges: str, graph: Graph) -> str:
    """What was read, in one line."""
    from pulink.data.formats.sources import label

    features = f", {counted(graph.n_features, 'node feature')}" if graph.n_features else ", no node features"
    weights = ", weighted" if graph.weights is not None else ""
    cleaning = str(graph.cleaning)
    counts = f"{counted(graph.n_nodes, 'node')}, {counted(graph.n_edges, 'edge')}{features}{weights}"
    return f"read {label(edges)}: {counts}" + (f" ({cleaning})" if cleaning else "")
