"""Any method with a budget that suits a test."""

from __future__ import annotations

import pulink
from pulink.predictor.predictor import LinkPredictor

LEARNING = {
    "n_epochs": 20,
    "max_rounds": 1,
    "n_trees": 60,
    "n_folds": 3,
    "max_iterations": 3,
    "max_epochs": 60,
    "min_epochs": 60,
    "check_every": 3,
    "search_epochs": 15,
    "max_nodes": 8,
    "n_splits": 1,
}
BRIEF = {
    "n_epochs": 5,
    "max_rounds": 0,
    "n_trees": 12,
    "n_folds": 2,
    "max_iterations": 3,
    "max_epochs": 12,
    "min_epochs": 12,
    "search_epochs": 2,
    "max_nodes": 8,
    "n_splits": 1,
}
# These take many gradient steps in an epoch, or dear ones: they get a sixth of the epochs.
DEAR = {"seal", "ncn", "buddy", "neo-gnn", "ps2"}


def make(name: str, budget: dict[str, int], seed: int = 0) -> LinkPredictor:
    """The method with those settings of the budget that it has."""
    if name in DEAR:
        budget = budget | {key: -(-budget[key] // 6) for key in ("max_epochs", "min_epochs")}
    if name == "gat-ce" and budget is LEARNING:
        # Attention without features learns slowly with six tenths of its inputs dropped.
        budget = budget | {"max_epochs": 140, "min_epochs": 140}
    model = pulink.METHODS[name].make(seed=seed)
    return model.set_params(**{key: value for key, value in budget.items() if key in model.parameter_names()})


def is_random(name: str) -> bool:
    """Whether a seed makes a difference."""
    return pulink.METHODS[name].family != "heuristic"
