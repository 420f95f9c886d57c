"""Where there is nothing to learn, nothing is learned.

All sets of m edges are equally likely. Given the training edges, test edges and test non-edges are then a random
halving of the same kind of pairs: whatever a method does, its AUROC is that of random labels, 0.5 with variance
(a + b + 1) / (12 a b).
"""

import numpy as np
import pytest

import pulink
from pulink.metrics import auroc
from tests.support.quick import make

N_NODES, N_EDGES, SEEDS = 180, 1050, 2
# A mean further from a half than this many standard errors is a leak.
BOUND = 4
BUDGET = {
    "n_epochs": 10,
    "n_trees": 60,
    "n_folds": 4,
    "max_iterations": 4,
    "max_epochs": 60,
    "min_epochs": 60,
    "check_every": 5,
    "search_epochs": 12,
    "max_nodes": 8,
}
# A pair's own edge is nothing to common neighbours, and scorers of pairs take it out of the graph on purpose.
BLIND = {"heuristic", "structural"}
# Noise, dropout and small steps keep these from learning edges by heart in so few epochs.
FORGETFUL = {"gat-ce", "vgae", "vgae+pull", "arga", "argva"}
LEAKY = [name for name, entry in pulink.METHODS.items() if entry.family not in BLIND and name not in FORGETFUL]

# That the bound is not an empty one is shown by these in every run of the tests, and by all in the slow ones.
QUICK = {"pull", "gae"}


def uniform_graph(seed: int, n_nodes: int = N_NODES, n_edges: int = N_EDGES) -> pulink.Graph:
    low, high = np.triu_indices(n_nodes, k=1)
    kept = np.random.default_rng(seed).choice(len(low), n_edges, replace=False)
    return pulink.Graph.from_edges(np.stack([low[kept], high[kept]], axis=1), n_nodes)


SPLITS = [pulink.split(uniform_graph(seed), val=0.1, test=0.3, seed=seed) for seed in range(SEEDS)]


def error_of_the_mean(n_test: int = len(SPLITS[0].test_edges), n_seeds: int = SEEDS) -> float:
    return float(np.sqrt((2 * n_test + 1) / (12 * n_test**2) / n_seeds))


@pytest.mark.parametrize("name", list(pulink.METHODS))
def test_auroc_is_a_half(name: str) -> None:
    aurocs = [make(name, BUDGET, seed).fit(data).score(data)["auroc"] for seed, data in enumerate(SPLITS)]
    assert np.mean(aurocs) == pytest.approx(0.5, abs=BOUND * error_of_the_mean())


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in LEAKY]
)
def test_a_leak_would_be_seen(name: str) -> None:
    # The same methods on graphs that still hold the test edges: the bound above is not an empty one.
    leaked = [make(name, BUDGET, seed).fit(uniform_graph(seed)) for seed in range(SEEDS)]
    # `score` refuses such models, so their scores are compared here.
    aurocs = [
        auroc(model.decision_function(data.test_edges), model.decision_function(data.test_non_edges))
        for model, data in zip(leaked, SPLITS, strict=True)
    ]
    assert np.mean(aurocs) > 0.5 + 1.5 * BOUND * error_of_the_mean()
