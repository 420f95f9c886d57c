"""`score` is honest or silent: foreign splits and models that saw the test edges are refused."""

import numpy as np
import pytest
import torch

import pulink
from pulink.engine.threads import threads_in_use
from pulink.errors import InputError, LeakError, ParameterError
from tests.support.planted import planted_graph

GRAPH = planted_graph(20, 3, 0.5, 0.05, seed=0)
SPLIT = pulink.split(GRAPH, seed=0)


def quick() -> pulink.PULL:
    return pulink.PULL(n_epochs=2, max_iterations=1)


def test_a_model_that_saw_the_test_edges_is_refused() -> None:
    with pytest.raises(LeakError, match=f"fitted on {len(SPLIT.test_edges)} of the test edges"):
        quick().fit(GRAPH).score(SPLIT)


def test_a_split_of_another_graph_is_refused() -> None:
    other = pulink.split(planted_graph(30, 3, 0.5, 0.05, seed=0), seed=0)
    with pytest.raises(InputError, match="the split has 90 nodes, the model was fitted on 60"):
        quick().fit(SPLIT).score(other)


def test_only_a_split_can_be_scored() -> None:
    with pytest.raises(ParameterError, match="score takes a Split, got Graph"):
        quick().fit(SPLIT).score(GRAPH)  # type: ignore[arg-type]


def test_plain_numbers_are_refused_where_nodes_are_called_by_numbers() -> None:
    graph = pulink.Graph.from_edges(GRAPH.edges, GRAPH.n_nodes, names=[str(i + 1) for i in range(GRAPH.n_nodes)])
    model = quick().fit(graph)
    named = model.predict_proba([("1", "2")])
    np.testing.assert_array_equal(named, model.predict_proba(np.array([[0, 1]])))
    with pytest.raises(InputError, match="may mean names or numbers"):
        model.predict_proba([(1, 2)])


def test_numbers_stand_for_places_where_names_are_no_numbers() -> None:
    graph = pulink.Graph.from_edges(GRAPH.edges, GRAPH.n_nodes, names=[f"n{i}" for i in range(GRAPH.n_nodes)])
    model = quick().fit(graph)
    np.testing.assert_array_equal(model.predict_proba([(0, 1)]), model.predict_proba([("n0", "n1")]))


def test_no_links_can_be_asked_for_also_of_large_graphs() -> None:
    model = quick().fit(GRAPH)
    for exact_nodes in (10, 1000):
        links, searched = model.search_links(0, exact_nodes=exact_nodes)
        assert links.height == 0
        assert searched.exact == (exact_nodes == 1000)


def test_every_door_scores_on_the_threads_of_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, int]] = []
    whole = pulink.PULL._pair_scores

    def recorded(model: pulink.PULL, pairs: np.ndarray) -> np.ndarray:
        seen.append((threads_in_use(), torch.get_num_threads()))
        return whole(model, pairs)

    model = pulink.PULL(n_epochs=2, max_iterations=1, threads=3).fit(SPLIT)
    monkeypatch.setattr(pulink.PULL, "_pair_scores", recorded)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        model.decision_function(np.array([[0, 1]]))
        model.predict_proba(np.array([[0, 1]]))
        model.score(SPLIT)
        model.missing_links(5)
        # The first probability calibrates, which scores once more.
        assert seen == 6 * [(3, 1)]
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
