"""One run: which method on which graph with which seed; where its result is kept; in which order runs are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pulink.experiments.spec import Column, Experiment

# The share of edges hidden for validation, beside those hidden for the test.
VAL_RATIO = 0.1

_CONTROL = "gcn-ce@"


@dataclass(frozen=True)
class RunSpec:
    """All that a run depends on, but the versions of the software.

    method      a method's name, or gcn-ce@METHOD: GCN+CE with as many gradient steps as that run took
    variant     a name for the settings where they differ from the method's own
    edge_share  the share of the graph's edges that is kept before anything is hidden
    loops       which self-loops are hidden as test edges too; see `Column`
    protocol    whose rules it is measured by, where they are not the paper's; see `Protocol`
    """

    dataset: str
    method: str
    missing_ratio: float
    seed: int
    variant: str = ""
    edge_share: float = 1.0
    settings: dict[str, Any] = field(default_factory=dict, hash=False)
    loops: str = ""
    protocol: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def name(self) -> str:
        """The method, and its variant if it has one."""
        return f"{self.method}.{self.variant}" if self.variant else self.method

    @property
    def path(self) -> Path:
        """Where its result is kept, below the folder of results."""
        share = "" if self.edge_share == 1.0 else f"-share-{self.edge_share:g}"
        dataset = f"{self.dataset}+{self.loops}-loops" if self.loops else self.dataset
        rules = self.protocol.get("name", f"missing-{self.missing_ratio:g}{share}")
        return Path(dataset) / self.name / f"{rules}-seed-{self.seed}.json"

    @property
    def controls(self) -> RunSpec | None:
        """The run whose budget this one takes; None for a run that stands alone."""
        if not self.method.startswith(_CONTROL):
            return None
        return RunSpec(**(asdict(self) | {"method": self.method.removeprefix(_CONTROL)}))

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def runs_of(experiment: Experiment, seed: int) -> Iterator[tuple[Column, RunSpec]]:
    """The runs of one seed of an experiment: dataset by dataset, method by method."""
    for column in experiment.columns:
        if not column.run or (column.cost_only and seed > 0):
            continue
        for share in experiment.edge_shares:
            for name in experiment.rows:
                override = experiment.override(column, name)
                yield (
                    column,
                    RunSpec(
                        dataset=column.dataset,
                        method=name.partition(".")[0],
                        missing_ratio=experiment.missing_ratio,
                        seed=seed,
                        variant=override.variant if override else "",
                        edge_share=share,
                        settings=override.values if override else {},
                        loops=column.loops,
                        protocol=experiment.protocol.to_dict() if experiment.protocol else {},
                    ),
                )


def plan(
    chosen: Iterable[Experiment],
    *,
    seeds: int | None = None,
    datasets: Iterable[str] | None = None,
    methods: Iterable[str] | None = None,
) -> list[RunSpec]:
    """Every run once: one seed of everything before the second seed of anything.

    methods  names of methods, each with all of its variants, and of variants (METHOD.VARIANT)
    A control is planned right behind the run that it controls.
    """
    chosen = list(chosen)
    allowed_datasets = None if datasets is None else set(datasets)
    allowed_methods = None if methods is None else set(methods)
    found: dict[Path, RunSpec] = {}
    for seed in range(max((_n_seeds(e, seeds) for e in chosen), default=0)):
        for experiment in chosen:
            if seed >= _n_seeds(experiment, seeds):
                continue
            for column, spec in runs_of(experiment, seed):
                if allowed_datasets is not None and not allowed_datasets & {column.name, column.dataset}:
                    continue
                if allowed_methods is not None and not allowed_methods & {
                    spec.method.removeprefix(_CONTROL),
                    spec.name,
                }:
                    continue
                found.setdefault(spec.path, spec)
    return list(found.values())


def _n_seeds(experiment: Experiment, seeds: int | None) -> int:
    return experiment.seeds if seeds is None else seeds
