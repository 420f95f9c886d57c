"""Graphs from which a tenth of the edges was taken away, and what a model without them lists.

    python -m benchmarks.review.worlds FOLDER [GRAPH ...]

fits PULL+ to each of them and keeps what a review needs in FOLDER, a file per graph, split and way of missing;
what is there already is not done again. At random: every edge is as likely to be missing. Not at random: edges of
a quarter of the nodes are missing five times as often as others.
"""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import pulink
from pulink.data.catalog import datasets
from pulink.graph.graph import Graph
from pulink.system.files import write_atomically

GRAPHS = (
    "chameleon", "usair", "cora", "sample", "email_eu_core", "flavor_bipartite", "pubmed", "facebook", "crocodile"
)  # fmt: skip
WAYS = "random", "by-node"
SPLITS = range(3)
MISSING = 0.1
_NEGLECTED, _TIMES = 0.25, 5.0
# So many pairs are listed per link that may be missing: below them none has a probability of a tenth.
_LISTED, _MOST_LISTED = 10, 400_000


def removed_edges(graph: Graph, way: str, seed: int) -> npt.NDArray[np.bool_]:
    """Which edges are taken away: a tenth."""
    draw = np.random.default_rng([19, seed])
    neglected = draw.random(graph.n_nodes) < _NEGLECTED
    weights = np.where(neglected[graph.edges].any(axis=1), _TIMES, 1.0) if way == "by-node" else 1.0
    # The largest keys of such a race are a sample with these weights, without replacement.
    keys = draw.exponential(size=graph.n_edges) / weights
    gone = np.zeros(graph.n_edges, dtype=np.bool_)
    gone[np.argsort(keys, kind="stable")[: round(MISSING * graph.n_edges)]] = True
    return gone


@dataclass(frozen=True)
class World:
    """What a review is simulated with.

    others, hidden, n_splits  where hidden edges stand, as in `FdrCurve`
    n_known, n_hidden, bound  as in `Calibrator` and `MissingLinks`
    links                     which of the listed pairs, best first, are links that were taken away (k)
    n_missing                 how many were taken away
    """

    others: npt.NDArray[np.float64]
    hidden: npt.NDArray[np.float64]
    n_splits: int
    n_known: int
    n_hidden: float
    best: float
    low: float
    high: float
    bound: float
    links: npt.NDArray[np.bool_]
    pairs: npt.NDArray[np.int32]
    n_missing: int

    @classmethod
    def read(cls, file: Path) -> World:
        with np.load(file) as arrays:
            plain = {name: arrays[name] for name in arrays.files}
        return cls(**{name: array if array.ndim else array.item() for name, array in plain.items()})


def fitted(name: str, way: str, split: int) -> dict[str, Any]:
    """All numbers of a world, by a fit."""
    whole = pulink.load(name)
    gone = removed_edges(whole, way, split)
    model = pulink.PULLPlus(threads=1, seed=split).fit(whole.keep_edges(~gone))
    calibrator = model._ready_calibrator()
    assert calibrator is not None
    missing, curve = calibrator.missing, calibrator.fdr_curve
    listed = min(int(_LISTED * max(missing.bound, gone.sum())) + 1_000, _MOST_LISTED)
    pairs, _ = model.best_pairs(listed)
    return {
        "others": curve.others, "hidden": curve.hidden, "n_splits": curve.n_splits,
        "n_known": calibrator.n_known, "n_hidden": calibrator.n_hidden,
        "best": missing.best, "low": missing.low, "high": missing.high, "bound": missing.bound,
        "links": whole.has_edges(pairs), "pairs": pairs, "n_missing": int(gone.sum()),
    }  # fmt: skip


def main(folder: Path, names: tuple[str, ...]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    available = [name for name in names if datasets()[name].available]
    for split in SPLITS:
        for name in available:
            for way in WAYS:
                file = folder / f"{name}.{way}.{split}.npz"
                if not file.exists():
                    content = io.BytesIO()
                    np.savez_compressed(content, **fitted(name, way, split))
                    write_atomically(file, content.getvalue())
                    print(file.name, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), tuple(sys.argv[2:]) or GRAPHS)
