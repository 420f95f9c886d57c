"""Experiments are data: a TOML file with datasets, methods, settings and the paper's numbers."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from pulink.data.catalog import named
from pulink.errors import InputError, UnknownNameError
from pulink.experiments.protocol import Protocol
from pulink.methods.registry import method

# measure -> (mean, standard deviation), in per cent
Expected = dict[str, tuple[float, float]]

_KINDS = ("table", "iterations", "scaling")
_TESTS = ("signed-rank", "t")
_LOOPS = ("", "stored", "every")


@dataclass(frozen=True)
class Column:
    """One dataset of an experiment, as the paper calls it, and what stands for it here.

    dataset    the catalogue's name, with options where it has any
    note       how it differs from the paper's, or why it is not run
    run        whether it is run at all
    loops      which self-loops are hidden as test edges too: "" none, "stored" the source's, "every" one per node
    cost_only  whether only time and memory mean anything; then one seed is enough
    """

    name: str
    dataset: str
    note: str = ""
    run: bool = True
    loops: str = ""
    cost_only: bool = False


@dataclass(frozen=True)
class Override:
    """Settings that differ from the methods' own on some datasets; `variant` names them in file names."""

    variant: str
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    values: dict[str, Any]


@dataclass(frozen=True)
class Published:
    """Numbers of a method that others printed, which is not run here or not by them.

    method    as they call it
    source    the paper and its table
    values    column -> measure -> (mean, standard deviation or None), in per cent
    recalled  whether they were written down from memory and held against no copy of the paper
    """

    method: str
    source: str
    values: dict[str, dict[str, tuple[float, float | None]]]
    recalled: bool = False


@dataclass(frozen=True)
class Experiment:
    """A table or a figure.

    kind          "table", "iterations" (a figure over outer iterations) or "scaling" (seconds over edges)
    source        where it stands in the paper; "ours" if it does not
    measures      what a table shows
    methods       names of methods; METHOD.VARIANT is a row of its own, with the settings of that variant
    lead          the method that all others are tested against
    test          "signed-rank" or "t", paired over seeds
    controls      whether every PULL method has GCN+CE with as many gradient steps beside it
    edge_shares   for "scaling": shares of the edges that are kept
    expected      method -> column -> measure -> (mean, standard deviation), in per cent
    protocol      whose rules it measures by, where they are not the paper's
    published     what others print for the same measures
    """

    name: str
    title: str
    source: str
    kind: str
    missing_ratio: float
    seeds: int
    columns: tuple[Column, ...]
    methods: tuple[str, ...]
    measures: tuple[str, ...] = ("auroc", "auprc")
    controls: bool = False
    lead: str = "pull"
    test: str = "signed-rank"
    overrides: tuple[Override, ...] = ()
    edge_shares: tuple[float, ...] = (1.0,)
    expected: dict[str, dict[str, Expected]] = field(default_factory=dict)
    protocol: Protocol | None = None
    published: tuple[Published, ...] = ()

    def override(self, column: Column, name: str) -> Override | None:
        """The settings of a method on a column, where they differ; a control takes those of its PULL method."""
        method_name = name.rpartition("@")[2]
        for entry in self.overrides:
            if column.name in entry.datasets and method_name in entry.methods:
                return entry
        return None

    def row_of(self, method: str, variant: str) -> str:
        """The row of a run: variants are rows of their own where the experiment says so."""
        variant_row = f"{method}.{variant}"
        return variant_row if variant_row in self.methods else method

    @property
    def rows(self) -> tuple[str, ...]:
        """Methods, and behind each PULL method its control where the experiment has controls."""
        rows = []
        for name in self.methods:
            rows.append(name)
            if self.controls and "." not in name and method(name).has_control:
                rows.append(f"gcn-ce@{name}")
        return tuple(rows)


@cache
def experiments() -> dict[str, Experiment]:
    """Every experiment by its name, in the order of their files."""
    folder = files("pulink.experiments") / "paper"
    found = {}
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".toml"):
            name = file.name.removesuffix(".toml").partition("-")[2]
            found[name] = parse(name, tomllib.loads(file.read_text(encoding="utf-8")))
    return found


def experiment(name: str) -> Experiment:
    """An experiment by its name; an unknown one lists them all."""
    if name not in experiments():
        raise UnknownNameError("experiment", name, experiments())
    return experiments()[name]


def experiments_of(name: str) -> list[Experiment]:
    """The experiment of this name, or all of those whose names begin with it: records is every records-..."""
    found = [own for own in experiments().values() if own.name == name]
    return (
        found or [own for own in experiments().values() if own.name.startswith(f"{name}-")] or [experiment(name)]
    )


def parse(name: str, content: dict[str, Any]) -> Experiment:
    """An experiment from the content of its file; names in it are checked."""
    try:
        columns = tuple(_column(entry) for entry in content["columns"])
        made = Experiment(
            name=name,
            title=content["title"],
            source=content["source"],
            kind=content["kind"],
            missing_ratio=float(content["missing_ratio"]),
            seeds=int(content["seeds"]),
            columns=columns,
            methods=tuple(content["methods"]),
            measures=tuple(content.get("measures", ("auroc", "auprc"))),
            controls=bool(content.get("controls", False)),
            lead=content.get("lead", "pull"),
            test=content.get("test", "signed-rank"),
            overrides=tuple(_override(entry) for entry in content.get("settings", [])),
            edge_shares=tuple(content.get("edge_shares", (1.0,))),
            expected={
                row: {column: {m: (v[0], v[1]) for m, v in cell.items()} for column, cell in cells.items()}
                for row, cells in content.get("expected", {}).items()
            },
            protocol=Protocol(**content["protocol"]) if "protocol" in content else None,
            published=tuple(_published(entry) for entry in content.get("published", [])),
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(f"experiment {name}: {error!r} is missing or malformed") from error
    _check(made)
    return made


def _column(entry: dict[str, Any]) -> Column:
    return Column(
        name=entry["name"],
        dataset=entry.get("dataset", entry["name"]),
        note=entry.get("note", ""),
        run=entry.get("run", True),
        loops=entry.get("loops", ""),
        cost_only=entry.get("cost_only", False),
    )


def _override(entry: dict[str, Any]) -> Override:
    return Override(entry["variant"], tuple(entry["datasets"]), tuple(entry["methods"]), dict(entry["values"]))


def _published(entry: dict[str, Any]) -> Published:
    values = {
        column: {m: (float(value[0]), float(value[1]) if len(value) > 1 else None) for m, value in cell.items()}
        for column, cell in entry["values"].items()
    }
    return Published(entry["method"], entry["source"], values, entry.get("recalled", False))


def _check(made: Experiment) -> None:
    if made.kind not in _KINDS:
        raise UnknownNameError(f"kind of experiment {made.name}", made.kind, _KINDS)
    if made.test not in _TESTS:
        raise UnknownNameError(f"test of experiment {made.name}", made.test, _TESTS)
    if made.protocol is not None and (made.kind != "table" or made.controls or made.edge_shares != (1.0,)):
        raise InputError(f"experiment {made.name}: a protocol has a table of whole graphs, without controls")
    variants = {(name, entry.variant) for entry in made.overrides for name in entry.methods}
    for name in made.methods:
        method(name.partition(".")[0])
        if "." in name and (name, name.partition(".")[2]) not in variants:
            raise InputError(f"experiment {made.name}: no settings are given for {name!r}")
    for column in made.columns:
        if column.run:
            named(column.dataset)
        if column.loops not in _LOOPS:
            raise UnknownNameError(f"kind of loops of experiment {made.name}", column.loops, _LOOPS)
    names = {column.name for column in made.columns}
    for row, cells in made.expected.items():
        if row not in made.methods or not set(cells) <= names:
            raise InputError(f"experiment {made.name}: numbers are given for {row!r}, which it does not run")
    for entry in made.published:
        if not set(entry.values) <= names or not {m for own in entry.values.values() for m in own} <= {
            *made.measures
        }:
            raise InputError(
                f"experiment {made.name}: {entry.method} has numbers of a column or measure that it does not have"
            )
