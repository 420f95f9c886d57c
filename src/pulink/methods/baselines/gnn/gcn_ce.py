"""GCN+CE: a graph convolutional network with cross-entropy (Kipf and Welling 2017).

m training edges against m fresh non-edges in every epoch, mean cross-entropy of inner products.
"""

from __future__ import annotations

from dataclasses import dataclass

from pulink.predictor.by_embedding import EmbeddingPredictor
from pulink.predictor.encoder_predictor import EpochEmbedding


@dataclass(kw_only=True, eq=False, repr=False)
class GCNCE(EpochEmbedding):
    """GCN+CE with the paper's stopping rule.

    Parameters
    ----------
    max_epochs, min_epochs, patience
        Up to `max_epochs` steps; never stopped before `min_epochs`; stopped when validation AUROC has failed to
        rise in more than `patience` checks in a row. The best state is kept.
    check_every
        Epochs between two looks at the validation edges.
    stop
        False: spend all epochs, and keep the best state.
    n_units, n_layers, learning_rate, feature_scaling, val_ratio, refit, seed, threads, device
        As in `pulink.PULL`.

    Learned: `embeddings_`, `encoder_state_`, `n_epochs_` (the epoch whose state is kept), `n_steps_`,
    `stop_reason_`, `history_` (epoch, validation AUROC), `graph_`.
    """


def equal_budget_control(n_steps: int, check_every: int, like: EmbeddingPredictor) -> GCNCE:
    """GCN+CE with exactly `n_steps` gradient steps on a split, and everything else as in `like`.

    It may look at the validation edges every `check_every` steps, as often as PULL does, and keeps the best state.
    """
    shared = {name: getattr(like, name) for name in EmbeddingPredictor.parameter_names()}
    return GCNCE(**shared, max_epochs=n_steps, check_every=check_every, stop=False)
