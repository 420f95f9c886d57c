"""Results that no run made: files as the runner leaves them, with numbers chosen by a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pulink.experiments.plan import runs_of
from pulink.experiments.results import Results
from pulink.experiments.spec import Experiment, parse


def experiment(**changes: Any) -> Experiment:
    """A table of two graphs that are run and one that is not."""
    content = {
        "title": "A made-up table",
        "source": "Table 9",
        "kind": "table",
        "missing_ratio": 0.1,
        "seeds": 6,
        "controls": True,
        "methods": ["gcn-ce", "gae", "ness", "pull"],
        "columns": [
            {"name": "sample", "note": "as it ships"},
            {"name": "chameleon"},
            {"name": "ogbn-arxiv", "run": False, "note": "not at hand"},
        ],
        "expected": {
            "gcn-ce": {"sample": {"auroc": [96.0, 0.3], "auprc": [90.0, 0.1]}},
            "pull": {"sample": {"auroc": [97.0, 0.4]}, "ogbn-arxiv": {"auroc": [86.46, 0.04]}},
        },
    }
    return parse("made-up", content | changes)


class Store:
    """A folder of results for one experiment."""

    def __init__(self, folder: Path, own: Experiment) -> None:
        self.results = Results(folder)
        self.experiment = own

    def put(self, row: str, column: str, auroc: list[float], **figures: Any) -> Store:
        """Runs with seeds 0, 1, ... and these scores in per cent; AUPRC is a tenth lower unless given."""
        for seed, value in enumerate(auroc):
            run = {
                "auroc": value / 100,
                "auprc": value / 100 - 0.1,
                "cpu_seconds": 10.0 + seed,
                "peak_mb": 500.0 + seed,
                "n_steps": 800,
                "n_train_edges": 80,
                "k": 20,
            }
            self.write(row, column, seed, {"run": run | figures, "threads": 1, "versions": {"pulink": "0.1.0"}})
        return self

    def fail(self, row: str, column: str, seeds: list[int], reason: str) -> Store:
        for seed in seeds:
            self.write(row, column, seed, {"failed": reason})
        return self

    def write(self, row: str, column: str, seed: int, record: dict[str, Any], share: float = 1.0) -> None:
        for own, spec in runs_of(self.experiment, seed):
            found = self.experiment.row_of(spec.method, spec.variant)
            if (own.name, found, spec.edge_share) == (column, row, share):
                self.results.write(spec, {"spec": spec.to_dict()} | record)
