"""Any method with a budget that suits a test."""

from __future__ import annotations

import pulink
from pulink.models.predictor import LinkPredictor

LEARNING = {"n_epochs": 60, "max_iterations": 3, "max_epochs": 180, "min_epochs": 180}
BRIEF = {"n_epochs": 5, "max_iterations": 3, "max_epochs": 12, "min_epochs": 12}


def make(name: str, budget: dict[str, int], seed: int = 0) -> LinkPredictor:
    """The method with those settings of the budget that it has."""
    model = pulink.METHODS[name].make(seed=seed)
    return model.set_params(**{key: value for key, value in budget.items() if key in model.parameter_names()})
