"""One table for every method: can it see what was hidden, does it taste it, does it find what is not there?

    python -m torture.audit [--method pull,l3n] [--seeds 5] [--out torture/results]

leak      held-out edges among all that a fitted model holds on to: every graph that can be reached from it, and
          every pair that a loss called a certain link; and a model that was shown them is refused by `score`.
          Left out is what PULL guessed, `expected_graph_`
poison    scores change by no bit when the test pairs swap sides, are taken away, or when the graph behind the
          split is overwritten with lies; nor by other validation pairs where there is nothing to choose
random    a graph whose edges were drawn by lot: AUROC is 0.5 within its error, over several seeds
shown     the same with the test edges left in the training graph: where a method could have told, it would have

Exit status 1 if a method fails.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest
from tests.contract import test_every_method as contract
from tests.leakage import test_random_graph as lot
from tests.leakage.test_positives import certain, recorded_terms
from tests.support.quick import make

import pulink
from pulink.errors import LeakError
from pulink.metrics import auroc
from pulink.predictor.predictor import LinkPredictor
from pulink.system.files import write_atomically

N_NODES, N_EDGES, SHOWN_SEEDS = 300, 1500, 2
POISONS: dict[str, Callable[[str], None]] = {
    "test pairs": contract.test_the_test_pairs_cannot_be_tasted,
    "whole graph": contract.test_the_graph_behind_the_split_cannot_be_tasted,
    "validation pairs": contract.test_validation_pairs_choose_but_do_not_teach,
}


@dataclass
class Row:
    """What was seen of one method; `errors` is how many standard errors its mean AUROC lies from a half."""

    method: str
    n_hidden: int
    n_graphs: int
    n_visible: int
    n_positives: int
    refused_when_shown: bool
    poisoned: list[str]
    aurocs: list[float]
    errors: float
    shown: float | None
    seconds: float

    @property
    def passes(self) -> bool:
        harmless = not self.n_visible and not self.poisoned and self.refused_when_shown
        return harmless and self.n_graphs > 0 and abs(self.errors) < lot.BOUND


def split_of(seed: int) -> pulink.Split:
    return pulink.split(lot.uniform_graph(seed, N_NODES, N_EDGES), val=0.1, test=0.3, seed=seed)


def examined(name: str, n_seeds: int) -> Row:
    started = time.process_time()
    splits = [split_of(seed) for seed in range(n_seeds)]
    n_graphs = n_visible = n_positives = 0
    aurocs = []
    for seed, data in enumerate(splits):
        with pytest.MonkeyPatch.context() as patch:
            terms = recorded_terms(patch)
            model = make(name, lot.BUDGET, seed).fit(data)
        hidden = set(map(tuple, data.test_edges.tolist()))
        for graph in graphs_within(model):
            n_graphs += 1
            n_visible += int(graph.has_edges(data.test_edges).sum())
        positives = {tuple(sorted(pair)) for term in terms for pair in np.unique(certain(term), axis=0).tolist()}
        n_positives += len(positives)
        n_visible += len(positives & hidden)
        aurocs.append(model.score(data)["auroc"])
    n_test = len(splits[0].test_edges)
    refused, shown = when_shown(name, splits[:SHOWN_SEEDS])
    return Row(
        method=name,
        n_hidden=sum(len(data.test_edges) for data in splits),
        n_graphs=n_graphs,
        n_visible=n_visible,
        n_positives=n_positives,
        refused_when_shown=refused,
        poisoned=[what for what, poison in POISONS.items() if not _holds(poison, name)],
        aurocs=aurocs,
        errors=(float(np.mean(aurocs)) - 0.5) / lot.error_of_the_mean(n_test, n_seeds),
        shown=shown if name in lot.LEAKY else None,
        seconds=round(time.process_time() - started, 1),
    )


def when_shown(name: str, splits: list[pulink.Split]) -> tuple[bool, float]:
    """Fitted on graphs that hold the test edges: whether `score` refuses, and the AUROC that it does not give."""
    refused, aurocs = True, []
    for seed, data in enumerate(splits):
        model = make(name, lot.BUDGET, seed).fit(lot.uniform_graph(seed, N_NODES, N_EDGES))
        refused &= _refuses(model, data)
        edges, non_edges = map(model.decision_function, (data.test_edges, data.test_non_edges))
        aurocs.append(auroc(edges, non_edges))
    return refused, float(np.mean(aurocs))


def _refuses(model: LinkPredictor, data: pulink.Split) -> bool:
    try:
        model.score(data)
    except LeakError:
        return True
    return False


def _holds(poison: Callable[[str], None], name: str) -> bool:
    try:
        poison(name)
    except AssertionError:
        return False
    return True


def graphs_within(model: LinkPredictor) -> Iterator[pulink.Graph]:
    """Every graph that can be reached from a model by following references, but for what it guessed."""
    waiting: list[Any] = [vars(model)]
    seen = {id(getattr(model, "expected_graph_", None))}
    while waiting:
        value = waiting.pop()
        if id(value) in seen or isinstance(value, type | ModuleType | FunctionType):
            continue
        seen.add(id(value))
        if isinstance(value, pulink.Graph):
            yield value
        waiting += gc.get_referents(value)


def as_markdown(rows: list[Row]) -> str:
    lines = [
        "| method | held-out edges visible | poisons tasted | AUROC on random graphs | standard errors from 0.5 "
        "| test edges left in | |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        shown = "—" if row.shown is None else f"{row.shown:.3f}"
        lines.append(
            f"| {row.method} | {row.n_visible} of {row.n_hidden:,} | {len(row.poisoned)} of {len(POISONS)} "
            f"| {np.mean(row.aurocs):.3f} | {row.errors:+.1f} | {shown} | {'pass' if row.passes else 'FAIL'} |"
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Leaks, poison and random graphs, for every method.")
    parser.add_argument("--method", default="all", help="names of methods and groups, with commas between")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("torture/results"))
    arguments = parser.parse_args()
    rows = []
    for name in pulink.methods.registry.expand(arguments.method.split(",")):
        rows.append(examined(name, arguments.seeds))
        print(as_markdown(rows[-1:]).splitlines()[-1], f"{rows[-1].seconds} s", flush=True)
    figures = {
        "graph": {"n_nodes": N_NODES, "n_edges": N_EDGES, "seeds": arguments.seeds},
        "bound": lot.BOUND,
        "rows": [asdict(row) | {"passes": row.passes} for row in rows],
    }
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_atomically(arguments.out / "audit.json", json.dumps(figures, indent=1) + "\n")
    write_atomically(arguments.out / "audit.md", as_markdown(rows))
    return 0 if all(row.passes for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
