"""A batch's own edges are out of the graph: for the embeddings, for the neighbourhoods, for the score."""

import numpy as np
import pytest
import torch

import pulink
from pulink.engine.adjacency import contains
from pulink.errors import InputError, ParameterError, TooLargeError
from pulink.methods.baselines.structural.ncn import NCN
from pulink.predictor.masked_gcn import MaskedTraining, without_edges
from tests.support.planted import planted_graph

GRAPH = planted_graph(15, 3, 0.4, 0.05, seed=0)


def training(graph: pulink.Graph) -> MaskedTraining:
    model = NCN()
    return MaskedTraining(model, graph, model._head())


def test_masked_edges_are_gone_and_the_others_stay() -> None:
    masked = np.array([3, 0, 20])
    adjacency = without_edges(GRAPH, masked)
    kept = np.setdiff1d(np.arange(GRAPH.n_edges), masked)
    assert not contains(adjacency, GRAPH.edges[masked]).any()
    assert contains(adjacency, GRAPH.edges[kept]).all()
    assert adjacency.indices.size == 2 * len(kept)


def test_weights_stay_with_their_edges() -> None:
    graph = pulink.Graph.from_edges([[0, 1], [1, 2], [2, 3]], weights=[2.0, 3.0, 4.0])
    adjacency = without_edges(graph, np.array([1]))
    assert adjacency.indptr.tolist() == [0, 1, 2, 3, 4]
    assert adjacency.indices.tolist() == [1, 0, 3, 2]
    assert adjacency.values is not None
    assert adjacency.values.tolist() == [2.0, 2.0, 4.0, 4.0]


@pytest.mark.parametrize("batch", [[0], [5, 17, 40]])
def test_the_score_of_a_training_pair_does_not_depend_on_its_own_edge(batch: list[int]) -> None:
    kept = np.ones(GRAPH.n_edges, dtype=np.bool_)
    kept[batch] = False
    pairs = GRAPH.edges[batch].astype(np.int64)
    nothing = np.empty(0, dtype=np.int64)
    with_them = training(GRAPH).masked_logits(np.array(batch), pairs)
    never_there = training(GRAPH.keep_edges(kept)).masked_logits(nothing, pairs)
    assert torch.equal(with_them, never_there)
    # The test can tell: left in the graph, they do change the score.
    assert not torch.allclose(training(GRAPH).masked_logits(nothing, pairs), never_there)


def test_training_masks_exactly_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    masked, logits = [], MaskedTraining.masked_logits

    def recorded(self: MaskedTraining, chosen: np.ndarray, pairs: np.ndarray, key: np.uint64) -> torch.Tensor:
        assert np.array_equal(pairs[: len(chosen)], GRAPH.edges[chosen])
        masked.append(chosen)
        return logits(self, chosen, pairs, key)

    monkeypatch.setattr(MaskedTraining, "masked_logits", recorded)
    steps = training(GRAPH)
    steps.advance(2)
    assert steps.n_steps == len(masked) == 10
    for epoch in (masked[:5], masked[5:]):
        assert np.array_equal(np.sort(np.concatenate(epoch)), np.arange(GRAPH.n_edges))


def test_epochs_taken_one_by_one_are_the_same() -> None:
    together, apart = training(GRAPH), training(GRAPH)
    together.advance(3)
    for _ in range(3):
        apart.advance(1)
    for name, value in together.snapshot().items():
        assert np.array_equal(value, apart.snapshot()[name]), name


def test_a_snapshot_is_left_alone_by_later_epochs() -> None:
    steps = training(GRAPH)
    early = steps.snapshot()
    copies = {name: value.copy() for name, value in early.items()}
    steps.advance(2)
    assert all(np.array_equal(early[name], copies[name]) for name in early)
    assert not np.array_equal(steps.snapshot()["embeddings"], early["embeddings"])


def test_too_many_common_neighbours_are_refused_with_a_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pulink.predictor.masked_gcn._MOST_COMMON", 100)
    with pytest.raises(InputError, match=r"up to [\d,]+ common neighbours .* more than 100: use gcn-ce or l3n"):
        NCN().fit(GRAPH)


def test_too_little_memory_is_refused_before_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pulink.system.memory.available_bytes", lambda: 1_000)
    with pytest.raises(TooLargeError, match="use gcn-ce or l3n"):
        NCN().fit(GRAPH)


@pytest.mark.parametrize("setting", [{"n_units": 0}, {"batch_size": 0}, {"dropout": 1.0}, {"learning_rate": -1}])
def test_settings_are_judged_by_name(setting: dict[str, float]) -> None:
    (name,) = setting
    with pytest.raises(ParameterError, match=name):
        NCN(**setting).fit(GRAPH)  # type: ignore[arg-type]
