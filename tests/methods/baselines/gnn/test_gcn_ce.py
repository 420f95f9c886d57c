"""GCN+CE: its stopping rule, and that the best state is the one kept."""

import numpy as np
import pytest

import pulink
from pulink.errors import ParameterError
from pulink.predictor.by_embedding import validation_auroc
from pulink.predictor.fitting.fit_run import Validation
from tests.support.planted import planted_graph

GRAPH = planted_graph(20, 3, 0.5, 0.03, seed=0)
SPLIT = pulink.split(GRAPH, val=0.15, test=0.1, seed=0)


def stopping_epoch(aurocs: list[float], min_epochs: int, patience: int) -> int:
    """The rule in plain words: after `min_epochs`, more than `patience` checks in a row without a new best."""
    for epoch in range(1, len(aurocs) + 1):
        best_at = int(np.argmax(aurocs[:epoch])) + 1
        if epoch >= min_epochs and epoch - best_at > patience:
            return epoch
    return len(aurocs)


@pytest.fixture(scope="module")
def whole() -> pulink.GCNCE:
    """80 epochs without a stop."""
    return pulink.GCNCE(max_epochs=80, stop=False).fit(SPLIT)


@pytest.mark.parametrize(("min_epochs", "patience"), [(0, 0), (0, 3), (30, 3), (60, 0), (0, 200)])
def test_it_stops_by_its_rule(whole: pulink.GCNCE, min_epochs: int, patience: int) -> None:
    aurocs = [auroc for _, auroc in whole.history_]
    assert [epoch for epoch, _ in whole.history_] == list(range(1, 81))
    model = pulink.GCNCE(max_epochs=80, min_epochs=min_epochs, patience=patience).fit(SPLIT)
    last = stopping_epoch(aurocs, min_epochs, patience)
    assert [auroc for _, auroc in model.history_] == aurocs[:last]
    assert model.n_steps_ == last
    assert model.n_epochs_ == 1 + int(np.argmax(aurocs[:last]))
    assert (model.stop_reason_ == "max_epochs") == (last == 80)


def test_the_best_state_is_kept() -> None:
    model = pulink.GCNCE(max_epochs=60, stop=False).fit(SPLIT)
    kept = validation_auroc(model.embeddings_, Validation(SPLIT.val_edges, SPLIT.val_non_edges))
    assert kept == max(auroc for _, auroc in model.history_)
    exactly = pulink.GCNCE(max_epochs=model.n_epochs_, stop=False).fit(SPLIT)
    assert np.array_equal(exactly.embeddings_, model.embeddings_)


def test_a_graph_is_refitted_with_the_chosen_number_of_epochs() -> None:
    model = pulink.GCNCE(max_epochs=40, min_epochs=0, patience=5).fit(GRAPH)
    whole = pulink.GCNCE(max_epochs=model.n_epochs_, val_ratio=0.0).fit(GRAPH)
    assert np.array_equal(model.embeddings_, whole.embeddings_)
    assert model.n_steps_ == model.history_[-1][0] + model.n_epochs_


@pytest.mark.parametrize(
    ("name", "value"),
    [("max_epochs", 0), ("min_epochs", -1), ("patience", -1), ("check_every", 0), ("stop", 1), ("n_units", 0)],
)
def test_a_bad_setting_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(ParameterError, match=f"{name} must be .* got {value}"):
        pulink.GCNCE(**{name: value}).fit(SPLIT)
