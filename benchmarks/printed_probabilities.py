"""Do the probabilities that `find` prints come true?

`evaluate` judges a model that chooses by hidden edges; `find` prints the probabilities of one that has then
learned from every edge. A tenth of the edges is hidden, the rest is fitted as `find` does, with that share told,
and all unconnected pairs are asked:

    ratio  the sum of all probabilities over the hidden edges
    error  mean distance between probabilities of 0.05 or more and the share of them that came true
"""

from __future__ import annotations

from typing import Any

import numpy as np

import pulink
from benchmarks.measure import finish, own_arguments
from pulink.calibration.reliability import Reliability
from pulink.methods.registry import method

_HIDDEN = 0.1
_AT_ONCE = 500_000


def probabilities_kept(graph: pulink.Graph, name: str, seed: int) -> dict[str, Any]:
    data = pulink.split(graph, val=0.0, test=_HIDDEN, seed=seed)
    model = method(name).make(seed=seed, threads=1, missing_share=_HIDDEN).fit(data.train)
    pairs = data.train.pair_space.unconnected(data.train.adjacency).astype(np.int64)
    parts = [pairs[start : start + _AT_ONCE] for start in range(0, len(pairs), _AT_ONCE)]
    probabilities = np.concatenate([model.predict_proba(part) for part in parts])
    hidden = graph.pair_space.isin(pairs, data.test_edges)
    kept = Reliability.of(probabilities, hidden.astype(np.float64), np.ones(len(pairs)))
    return {"hidden": int(hidden.sum()), "ratio": float(probabilities.sum() / hidden.sum()), "error": kept.error}


def main() -> None:
    wanted = own_arguments()
    finish(**probabilities_kept(pulink.load(str(wanted["dataset"])), str(wanted["method"]), int(wanted["seed"])))


if __name__ == "__main__":
    main()
