"""Model folders that were damaged, by accident and on purpose: each is refused with one line, or harmless.

    python -m torture.model_folders --count 1000 --sealed 500 --seed 0
    python -m torture.model_folders --again 123 --keep DIR       (case 123 only; its folder stays)

By accident: bytes flipped, files cut, deleted, swapped with another model's. Such a folder is refused, or its
model gives the scores that it gave before. On purpose (--sealed): checksums are written anew after the change.
Such a folder may load, but nothing may run, crash, take gigabytes or end in another exception than a PulinkError,
whatever the model is asked afterwards.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import pulink
from torture.asked_process import AskedProcess
from torture.folder_damage import ACCIDENTS, MALICE, Files, damaged, sealed
from torture.folder_worker import all_pairs

_METHODS = ("pull", "pull-plus", "gcn-ce", "l3n", "seal")
_BUDGET = {
    "n_epochs": 5, "max_rounds": 1, "n_trees": 12, "n_folds": 2, "max_iterations": 3, "max_epochs": 6,
    "min_epochs": 6, "search_epochs": 2, "max_nodes": 8,
}  # fmt: skip
_MEMORY = 1_000_000_000


@dataclass(frozen=True)
class Case:
    number: int
    method: str
    what: str
    files: Files
    is_sealed: bool


def main() -> int:
    arguments = _arguments()
    started, fates = time.monotonic(), dict[str, Counter[str]]()
    violations, most, slowest = [], 0, 0.0
    with tempfile.TemporaryDirectory(prefix="pulink-torture-") as folder:
        home = Path(folder)
        models = saved_models(home / "models", arguments.methods.split(","))
        worker = AskedProcess("torture.folder_worker", home / "noise")
        for case in cases(models, arguments.count, arguments.sealed, arguments.seed):
            if arguments.again not in (None, case.number):
                continue
            place = Path(arguments.keep or home / "case")
            write(case.files, place)
            scores = None if case.is_sealed else str(home / "models" / f"{case.method}.npy")
            answer = worker.ask({"folder": str(place), "scores": scores})
            most, slowest = max(most, answer["grown"]), max(slowest, answer["seconds"])
            fate = _judged(answer, case)
            kind = "sealed" if case.is_sealed else "damaged"
            fates.setdefault(f"{kind} {case.what}", Counter())[fate] += 1
            fates.setdefault(f"{kind}: all", Counter())[fate] += 1
            if fate == "violation":
                violations.append(f"case {case.number} ({case.method}, {kind}, {case.what}): {answer['told']}")
                _say(f"VIOLATION {violations[-1]}")
        worker.stop()
    for what, own in sorted(fates.items()):
        told = "".join(f"{own[fate]:>9,}" for fate in ("refused", "equal", "loaded", "violation"))
        sys.stdout.write(f"{what:32}{told}\n")
    sys.stdout.write(f"{'':32}  refused    equal   loaded violation\n")
    sys.stdout.write(f"most memory {most / 1e6:.0f} MB, slowest {slowest:.1f} s of the processor; ")
    sys.stdout.write(f"{time.monotonic() - started:.0f} s in all\n")
    return 1 if violations else 0


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
        method, other = (str(own) for own in random.choice(methods, 2, replace=False))
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


def _judged(answer: dict[str, Any], case: Case) -> str:
    """The fate of a case; too much memory is a violation too."""
    if answer["grown"] > _MEMORY:
        answer["told"] = f"{answer['grown'] / 1e6:.0f} MB ({answer['fate']}: {answer['told'][:200]})"
        return "violation"
    if answer["fate"] == "loaded" and not case.is_sealed:
        return "violation"
    return str(answer["fate"])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m torture.model_folders", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--count", type=int, default=1_000, help="folders damaged by accident")
    parser.add_argument("--sealed", type=int, default=500, help="folders changed on purpose, their checksums too")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--methods", default=",".join(_METHODS), help="of which models are made; names or all")
    parser.add_argument("--again", type=int, metavar="NUMBER", help="only this case")
    parser.add_argument("--keep", metavar="DIR", help="write the folder there and leave it")
    arguments = parser.parse_args()
    arguments.methods = ",".join(pulink.METHODS) if arguments.methods == "all" else arguments.methods
    return arguments


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
