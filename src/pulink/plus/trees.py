"""Gradient-boosted trees over the signals of pairs, by LightGBM; kept as the text that LightGBM writes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.engine.threads import threads_in_use

Floats = npt.NDArray[np.float32]

_CHUNK = 1 << 17


class Trees:
    """A fitted model; `text` is all of it."""

    def __init__(self, text: str) -> None:
        import lightgbm

        self.text = text
        self._booster = lightgbm.Booster(model_str=text)

    @classmethod
    def fit(
        cls,
        signals: Floats,
        labels: npt.NDArray[np.float64],
        *,
        n_trees: int,
        n_leaves: int,
        rate: float,
        seed: int,
    ) -> Trees:
        """Learn the chance that a row (k x S) is a link from labels in [0, 1], by cross-entropy."""
        import lightgbm

        settings: dict[str, Any] = {
            "objective": "cross_entropy",
            "learning_rate": rate,
            "num_leaves": n_leaves,
            "min_data_in_leaf": 20,
            "feature_fraction": 0.5,
            "bagging_fraction": 0.8,
            "bagging_freq": 1,
            "lambda_l2": 1.0,
            "seed": seed,
            "deterministic": True,
            "force_row_wise": True,
            "num_threads": threads_in_use(),
            "verbose": -1,
        }
        data = lightgbm.Dataset(signals, labels.astype(np.float32))
        return cls(lightgbm.train(settings, data, num_boost_round=n_trees).model_to_string())

    def scores(self, signals: Floats) -> npt.NDArray[np.float64]:
        """Log-odds of a link among rows like those of the training (k)."""
        parts = [
            self._booster.predict(signals[k : k + _CHUNK], raw_score=True, num_threads=threads_in_use())
            for k in range(0, len(signals), _CHUNK)
        ]
        return np.concatenate(parts) if parts else np.empty(0)
