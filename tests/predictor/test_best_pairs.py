"""The list of missing links: exact up to a size, and above it a search that says what it is."""

import numpy as np
import pytest

import pulink
from pulink.engine.autograd.pair_loss import pair_logits
from pulink.errors import ParameterError, TooLargeError
from pulink.predictor.search_scope import AllPairs, HubsAndNorms, TooManyNodes
from pulink.system import memory
from tests.support.planted import planted_graph


@pytest.fixture(scope="module")
def small() -> pulink.GCNCE:
    return pulink.GCNCE(max_epochs=20, min_epochs=0).fit(planted_graph(20, 3, 0.4, 0.05, seed=0))


@pytest.fixture(scope="module")
def large() -> pulink.GCNCE:
    return pulink.GCNCE(max_epochs=60, val_ratio=0.0).fit(planted_graph(60, 25, 0.2, 0.001, seed=0))


def test_the_exact_list_is_every_unconnected_pair_in_order(small: pulink.GCNCE) -> None:
    pairs, scope = small.best_pairs(10**6)
    assert scope == AllPairs()
    graph = small.graph_
    everything = np.stack(np.triu_indices(graph.n_nodes, k=1), axis=1)
    free = everything[~graph.has_edges(everything)]
    assert {tuple(p) for p in np.sort(pairs, axis=1).tolist()} == {tuple(p) for p in free.tolist()}
    logits = pair_logits(small.embeddings_, pairs)
    assert (np.diff(logits) <= 1e-5).all()


def test_on_a_small_graph_the_search_is_as_good_as_exact(small: pulink.GCNCE) -> None:
    # Fewer nodes than the search takes rows: it reaches every pair.
    exact, _ = small.best_pairs(200)
    searched, scope = small.best_pairs(200, exact_nodes=59)
    assert scope == HubsAndNorms(100, 1_000, TooManyNodes(n_nodes=60, exact_nodes=59))
    np.testing.assert_allclose(
        pair_logits(small.embeddings_, searched), pair_logits(small.embeddings_, exact), atol=1e-5
    )


def test_on_a_larger_graph_the_search_finds_the_best(large: pulink.GCNCE) -> None:
    exact, _ = large.best_pairs(1_000)
    searched, scope = large.best_pairs(1_000, exact_nodes=1_000)
    assert isinstance(scope, HubsAndNorms)
    assert not large.graph_.has_edges(searched).any()
    found, best = ({tuple(p) for p in np.sort(pairs, axis=1).tolist()} for pairs in (searched, exact))
    assert len(found) == 1_000
    assert len(found & best) > 950
    assert (np.diff(pair_logits(large.embeddings_, searched)) <= 0).all()


def test_a_floor_on_the_probability_cuts_the_list(small: pulink.GCNCE) -> None:
    whole = small.missing_links(500)
    floor = float(whole["probability"][100])
    cut = small.missing_links(500, min_probability=floor)
    assert cut.equals(whole.filter(whole["probability"] >= floor))


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"top": -1}, "top"),
        ({"top": 2.5}, "top"),
        ({"min_probability": 1.5}, "min_probability"),
        ({"exact_nodes": -1}, "exact_nodes"),
    ],
)
def test_bad_arguments_are_named(small: pulink.GCNCE, arguments: dict[str, float], name: str) -> None:
    with pytest.raises(ParameterError, match=name):
        small.missing_links(**arguments)  # type: ignore[arg-type]


def test_training_that_cannot_fit_is_refused_before_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 1_000)
    with pytest.raises(TooLargeError, match=r"training on 60 nodes and [\d,]+ edges needs about .* GB"):
        pulink.PULL(val_ratio=0.0).fit(planted_graph(20, 3, 0.4, 0.05, seed=0))
