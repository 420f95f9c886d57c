"""Other people's protocols: what is hidden, what a method is given, what is measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pulink
from pulink.data.catalog import datasets, stored_split
from pulink.errors import InputError, LeakError, ParameterError, UnknownNameError
from pulink.experiments.plan import RunSpec, runs_of
from pulink.experiments.protocol import Protocol
from pulink.experiments.protocol_run import data_of, run_by
from pulink.experiments.spec import Experiment, experiment, experiments, experiments_of
from pulink.graph.graph import Graph
from pulink.graph.split import Split, audit
from pulink.predictor.predictor import LinkPredictor
from tests.support.planted import planted_graph

RECORDS = [own for own in experiments().values() if own.name.startswith("records-")]


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Graph:
    """A planted graph under the name of a dataset of the catalogue."""
    monkeypatch.setenv("PULINK_DATA", str(tmp_path))
    graph = planted_graph(40, 3, 0.3, 0.02, seed=0)
    pulink.write_npz(graph, tmp_path / (datasets()["cora"].file or ""))
    return graph


def arrays(**changes: object) -> dict[str, np.ndarray]:
    """A ring of ten nodes in the layout of ogbl-ddi: 7 training edges, one for validation, two for the test."""
    ring = np.array([[i, (i + 1) % 10] for i in range(10)], dtype=np.int32).T
    parts: dict[str, object] = {
        "num_nodes": 10,
        "edge_index": ring,
        "n_train": 7,
        "valid_edge": ring[:, 7:8],
        "valid_edge_neg": [[0, 1], [5, 6]],
        "test_edge": ring[:, 8:],
        "test_edge_neg": [[7, 2, 3], [2, 8, 9]],
    }
    return {name: np.asarray(value) for name, value in (parts | changes).items()}


@pytest.fixture
def ddi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PULINK_DATA", str(tmp_path))
    return tmp_path / "ogbl_ddi.npz"


def test_seventy_ten_twenty(small: Graph) -> None:
    own = experiment("records-planetoid")
    assert own.protocol is not None
    data = data_of(own.protocol, "cora", own.missing_ratio, 3)
    n = small.n_edges
    assert (len(data.val_edges), len(data.test_edges)) == (int(0.1 * n), int(0.2 * n))
    assert data.train.n_edges == n - int(0.1 * n) - int(0.2 * n)
    assert len(data.test_non_edges) == len(data.test_edges)
    assert not data.train.has_edges(data.hidden_edges).any()
    audit(data)
    other = data_of(own.protocol, "cora", own.missing_ratio, 4)
    assert not np.array_equal(data.test_edges, other.test_edges)


class Watched(pulink.L3N):
    """Remembers what it was fitted on."""

    given: object = None

    def fit(self, data: object, y: object = None, **options: object) -> Watched:
        type(self).given = data
        super().fit(data, y, **options)
        return self


def run(protocol: Protocol, test: float) -> tuple[Split, dict[str, object], object]:
    data = data_of(protocol, "cora", test, 0)
    model: LinkPredictor = Watched()
    return data, run_by(protocol, model, data, 0), Watched.given


@pytest.mark.usefixtures("small")
def test_ninety_ten_gives_the_training_graph_alone() -> None:
    own = experiment("records-small")
    assert own.protocol is not None
    data, measured, given = run(own.protocol, own.missing_ratio)
    assert given is data.train
    assert not len(data.val_edges)
    expected = pulink.L3N().fit(data.train).score(data)["auroc"]
    assert measured["auroc"] == expected
    assert "mrr_hard" not in measured


@pytest.mark.usefixtures("small")
def test_hard_non_edges_are_measured_where_a_protocol_has_them() -> None:
    data, measured, given = run(Protocol("own", val=0.05, n_hard=20), 0.1)
    assert given is data
    assert 1 / 21 <= float(str(measured["mrr_hard"])) <= 1
    assert measured["n_test_edges"] == len(data.test_edges)
    # There are fewer than 100 non-edges.
    assert measured["hits_at_100"] is None


def test_a_publishers_split_is_taken_as_it_is(ddi: Path) -> None:
    np.savez(ddi, **arrays())
    data = data_of(Protocol("own", split="stored"), "ogbl-ddi", 0.1, 5)
    assert data.train.edges.tolist() == [[i, i + 1] for i in range(7)]
    assert data.val_edges.tolist() == [[7, 8]]
    # Each pair once, the lower number first.
    assert data.test_edges.tolist() == [[8, 9], [0, 9]]
    assert data.val_non_edges.tolist() == [[0, 5], [1, 6]]
    assert data.test_non_edges.tolist() == [[2, 7], [2, 8], [3, 9]]
    assert data.train.n_nodes == 10


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"test_edge": [[0], [1]]}, LeakError, "1 of the test edges stands in the training graph"),
        ({"test_edge_neg": [[8], [9]]}, LeakError, "is held out 2 times"),
        ({"n_train": 11}, InputError, "n_train must be one whole number from 0 to 10"),
        ({"n_train": [1, 2]}, InputError, "n_train must be one whole number"),
        ({"valid_edge": [[0, 1]]}, InputError, "valid_edge must be 2 x k"),
        ({"test_edge_neg": [[1], [2**40]]}, InputError, "names a node outside 0 .. 9"),
        ({"valid_edge_neg": [[0.5], [1.0]]}, InputError, "must hold whole numbers"),
    ],
)
def test_a_split_that_cannot_be_is_refused(
    ddi: Path, changes: dict[str, object], error: type[Exception], words: str
) -> None:
    np.savez(ddi, **arrays(**changes))
    with pytest.raises(error, match=words):
        stored_split("ogbl-ddi")


def test_a_file_without_a_split_says_what_it_lacks(ddi: Path) -> None:
    pulink.write_npz(Graph.from_edges([[0, 1]]), ddi)
    with pytest.raises(InputError, match="has no array 'n_train'"):
        stored_split("ogbl-ddi")
    with pytest.raises(InputError, match="'sample' holds no split of its publisher"):
        stored_split("sample")


def test_a_run_has_a_file_of_its_own() -> None:
    (spec,) = (
        spec
        for _, spec in runs_of(experiment("records-heart"), 2)
        if spec.name == "l3n" and spec.dataset == "cora"
    )
    assert spec.path == Path("cora/l3n/records-heart-seed-2.json")
    assert RunSpec(**spec.to_dict()) == spec
    assert spec.protocol == {
        "name": "records-heart",
        "split": "random",
        "val": 0.05,
        "own_val": False,
        "n_hard": 500,
    }


def test_a_beginning_names_all_experiments_with_it() -> None:
    assert experiments_of("records") == RECORDS
    assert len(RECORDS) == 4
    assert experiments_of("pull-plus") == [experiment("pull-plus")]
    with pytest.raises(UnknownNameError, match="records-heart"):
        experiments_of("record")


@pytest.mark.parametrize("own", RECORDS, ids=lambda own: own.name)
def test_every_record_stands_beside_published_numbers_with_their_source(own: Experiment) -> None:
    assert own.protocol is not None
    for column in own.columns:
        printed = [entry for entry in own.published if own.measures[0] in entry.values.get(column.name, {})]
        assert len(printed) >= 5
    assert all(len(entry.source) > 10 for entry in own.published)


def test_protocols_that_mean_nothing_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown split of protocol x 'sorted'"):
        Protocol("x", split="sorted")
    with pytest.raises(ParameterError, match="must be even"):
        Protocol("x", n_hard=5)
    with pytest.raises(ParameterError, match="is given none"):
        Protocol("x", own_val=True, val=0.1)
