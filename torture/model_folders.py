"""Model folders that were damaged, by accident and on purpose: each is refused with one line, or harmless.

    python -m torture.model_folders --count 1000 --sealed 500 --seed 0
    python -m torture.model_folders --again 123 --keep DIR       (case 123 only; its folder stays)

Models of every method, trained for a few epochs on thirty nodes, take turns. By accident: bytes flipped, files
cut, deleted, swapped with another model's. Such a folder is refused, or its model gives the scores that it gave
before. On purpose (--sealed): checksums are written anew after the change. Such a folder may load, but nothing may
run, crash, hang, warn, take more than 1 GB or 5 s of the processor, or end in an exception other than PulinkError,
whatever the model is asked afterwards. As a control, every model must first load undamaged and give its scores.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import pulink
from torture.asked_process import Answer, AskedProcess, excess
from torture.folder_damage import ACCIDENTS, MALICE, Files, damaged, sealed
from torture.folder_worker import all_pairs
from torture.kept_figures import tell

_COUNT, _SEALED, _ALL = 1_000, 500, "all"
_BUDGET = {
    "n_epochs": 5, "max_rounds": 1, "n_trees": 12, "n_folds": 2, "max_iterations": 3, "max_epochs": 6,
    "min_epochs": 6, "search_epochs": 2, "max_nodes": 8,
}  # fmt: skip
_FATES = ("refused", "equal", "loaded", "violation")


@dataclass(frozen=True)
class Case:
    number: int
    method: str
    what: str
    files: Files
    is_sealed: bool

    @property
    def kind(self) -> str:
        return "sealed" if self.is_sealed else "damaged"


@dataclass
class Figures:
    """What came of the folders so far."""

    controls: Counter[str] = field(default_factory=Counter)
    fates: dict[str, Counter[str]] = field(default_factory=dict)
    methods: Counter[str] = field(default_factory=Counter)
    most: int = 0
    slowest: float = 0.0
    longest: float = 0.0
    violations: list[str] = field(default_factory=list)

    def control(self, method: str, answer: Answer) -> None:
        """An undamaged folder; what its libraries take when they are first used is not judged."""
        self.controls[str(answer["fate"])] += 1
        if answer["fate"] != "equal":
            self.violations.append(f"{method}, undamaged: {answer['fate']}: {answer['told']}")
            _say(f"VIOLATION {self.violations[-1]}")

    def add(self, case: Case, answer: Answer) -> None:
        self.most = max(self.most, answer["grown"])
        self.slowest = max(self.slowest, answer["seconds"])
        self.longest = max(self.longest, answer["clock"])
        fate, message = judged(answer, case)
        for what in (case.kind, f"{case.kind}: {case.what}"):
            self.fates.setdefault(what, Counter())[fate] += 1
        self.methods[case.method] += 1
        if fate == "violation":
            self.violations.append(f"case {case.number} ({case.method}, {case.kind}, {case.what}): {message}")
            _say(f"VIOLATION {self.violations[-1]}")

    def to_dict(self) -> dict[str, Any]:
        return {
            "undamaged": dict(self.controls),
            "fates": {
                what: {fate: counts[fate] for fate in _FATES} for what, counts in sorted(self.fates.items())
            },
            "most megabytes more than before": round(self.most / 1e6),
            "most seconds of the processor": round(self.slowest, 2),
            "most seconds by the clock": round(self.longest, 2),
            "folders by method": dict(sorted(self.methods.items())),
            "violations": self.violations,
        }


def main() -> int:
    arguments = _arguments()
    started, figures = time.monotonic(), Figures()
    with tempfile.TemporaryDirectory(prefix="pulink-torture-") as folder:
        home = Path(folder)
        models = saved_models(home / "models", _methods(arguments.methods))
        worker = AskedProcess("torture.folder_worker", home / "noise")
        for method in models:
            scores = str(home / "models" / f"{method}.npy")
            figures.control(method, worker.ask({"folder": str(home / "models" / method), "scores": scores}))
        for case in cases(models, arguments.count, arguments.sealed, arguments.seed):
            if arguments.again in (None, case.number):
                place = Path(arguments.keep or home / "case")
                write(case.files, place)
                scores = None if case.is_sealed else str(home / "models" / f"{case.method}.npy")
                figures.add(case, worker.ask({"folder": str(place), "scores": scores}))
        worker.stop()
    is_whole = arguments.count >= _COUNT and arguments.sealed >= _SEALED and arguments.methods == _ALL
    about = {"seed": arguments.seed, "minutes": round((time.monotonic() - started) / 60, 1)}
    tell("model_folders", about | figures.to_dict(), whole=is_whole and arguments.again is None)
    return 1 if figures.violations else 0


def saved_models(folder: Path, methods: list[str]) -> dict[str, Files]:
    """Small models of several methods by name, with and without names of nodes; their scores beside them."""
    folder.mkdir(parents=True)
    found = {}
    for number, method in enumerate(methods):
        model = pulink.METHODS[method].make()
        model.set_params(**{key: value for key, value in _BUDGET.items() if key in model.parameter_names()})
        model.fit(small_graph(named=number % 2 == 0)).save(folder / method)
        np.save(folder / f"{method}.npy", model.decision_function(all_pairs(model.graph_)))
        found[method] = {path.name: path.read_bytes() for path in sorted((folder / method).iterdir())}
    return found


def small_graph(*, named: bool) -> pulink.Graph:
    """Three blocks of ten nodes, with weights, features and known non-links."""
    random = np.random.default_rng(0)
    low, high = np.triu_indices(30, k=1)
    linked = random.random(len(low)) < np.where(low // 10 == high // 10, 0.6, 0.1)
    edges = np.stack([low, high], axis=1)
    graph = pulink.Graph.from_edges(
        edges[linked],
        30,
        weights=random.uniform(0.5, 2, int(linked.sum())) if named else None,
        features=random.random((30, 4)),
        feature_names=("a", "b", "c", "d") if named else None,
        names=[f"node {k:02d}" for k in range(30)] if named else None,
    )
    return graph.with_absent(edges[~linked][:5])


def cases(models: dict[str, Files], count: int, n_sealed: int, seed: int) -> Iterator[Case]:
    methods = sorted(models)
    for number in range(count + n_sealed):
        random = np.random.default_rng([seed, number])
        method = methods[number % len(methods)]
        other = str(random.choice([name for name in methods if name != method]))
        is_sealed = number >= count
        while True:
            files, what = damaged(models[method], models[other], MALICE if is_sealed else ACCIDENTS, random)
            if files != models[method]:
                break
        if is_sealed:
            sealed(files)
        yield Case(number, method, what, files, is_sealed)


def write(files: Files, folder: Path) -> None:
    """A folder that holds these files and nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def judged(answer: Answer, case: Case) -> tuple[str, str]:
    """The fate of a case, and why."""
    if too_much := excess(answer, answer["grown"]):
        return "violation", too_much
    fate = str(answer["fate"])
    return "violation" if fate == "loaded" and not case.is_sealed else fate, str(answer["told"])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m torture.model_folders", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--count", type=int, default=_COUNT, help="folders damaged by accident")
    parser.add_argument("--sealed", type=int, default=_SEALED, help="folders changed on purpose, checksums too")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--methods", default=_ALL, help="of which models are made: two names or more, or all")
    parser.add_argument("--again", type=int, metavar="NUMBER", help="only this case")
    parser.add_argument("--keep", metavar="DIR", help="write the folder there and leave it")
    return parser.parse_args()


def _methods(names: str) -> list[str]:
    return list(pulink.METHODS) if names == _ALL else names.split(",")


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
