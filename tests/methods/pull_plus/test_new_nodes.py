"""What a view gets for nodes that come after it was made."""

from __future__ import annotations

import numpy as np
import pytest

from pulink.engine.structure.eigenpairs import Eigenpairs
from pulink.engine.threads import use_threads
from pulink.graph.graph import Graph
from pulink.graph.new_nodes import append_nodes
from pulink.methods.pull_plus.attribute_signals import Attributes
from pulink.methods.pull_plus.candidates import Candidates, find_candidates
from pulink.methods.pull_plus.new_nodes import grown_candidates, grown_signals, with_rows
from pulink.methods.pull_plus.pair_signals import PairSignals, check_encoders, spectral_matrices
from pulink.predictor.new_nodes import NewNodes
from tests.support.small_views import all_pairs, made, numbers, random_graph, words

N = 25


def grown(features: object = None, rows: object = None) -> tuple[PairSignals, PairSignals]:
    """A view, and the same with two nodes more."""
    graph = random_graph(N, 70, 3, features=features)
    more = append_nodes(graph, ["x", "y"], [("x", "3"), ("4", "x"), ("x", "9"), ("y", "x"), ("y", "3")], rows)
    pair_signals = made(graph)
    with use_threads(1):
        return pair_signals, grown_signals(pair_signals, NewNodes(graph, more, N))


def test_entries_of_a_new_node_are_its_row_where_all_eigenpairs_are_known() -> None:
    """With a whole basis U, Σ_k λ_k u_new,k u_jk = Σ_k (a · u_k) u_jk = a_j."""
    pair_signals, after = grown()
    pairs = np.stack([np.full(N, N), np.arange(N)], axis=1).astype(np.int64)
    for name, matrix in spectral_matrices(after.graph).items():
        values = after.spectra[name].values
        assert np.abs(values).min() > 1e-3 * np.abs(values).max()
        entries = after.spectra[name].pair_signals(pairs, (N,))[:, 0]
        np.testing.assert_allclose(entries, matrix[[N]].toarray()[0, :N], atol=1e-4)
        assert np.array_equal(after.spectra[name].vectors[:N], pair_signals.spectra[name].vectors)


def test_small_eigenvalues_are_left_out() -> None:
    spectrum = Eigenpairs(np.array([2.0, -1.0, 1e-6], np.float32), np.eye(3, dtype=np.float32))
    graph = append_nodes(Graph.from_edges([[0, 1], [1, 2]]), ["x"], [("x", "0"), ("x", "1"), ("x", "2")])
    rows = with_rows(spectrum, spectral_matrices(graph)["adjacency"][3:])
    assert rows.vectors[3].tolist() == [0.5, -1.0, 0.0]


def test_structure_is_that_of_the_extended_graph() -> None:
    _, after = grown()
    afresh = PairSignals(after.graph, {}, {}, None)
    pairs = all_pairs(N + 2)
    of_structure = [name in afresh.names for name in after.names]
    assert np.array_equal(after.signals(pairs)[:, of_structure], afresh.signals(pairs))


@pytest.mark.parametrize("features", [words(N, 9, 0), numbers(N, 5, 0)], ids=["sparse", "dense"])
def test_a_copy_of_a_node_has_its_attributes(features: object) -> None:
    pair_signals, after = grown(features, features[[3, 5]])  # type: ignore[index]
    assert pair_signals.features is not None
    assert after.features is not None
    for name in ("rows", "plain", "shared", "components"):
        table = getattr(after.features, name)
        if table is None:
            continue
        own = table if isinstance(table, np.ndarray) else table.toarray()
        np.testing.assert_allclose(own[N:], own[[3, 5]], atol=1e-5)
        known = getattr(pair_signals.features, name)
        assert np.array_equal(own[:N], known if isinstance(known, np.ndarray) else known.toarray())


@pytest.mark.parametrize("features", [words(N, 9, 0), numbers(N, 5, 0)], ids=["sparse", "dense"])
def test_a_node_without_attributes_is_like_no_other(features: object) -> None:
    nothing = features[:1] * 0  # type: ignore[index]
    own = Attributes.of(features, 0).with_nodes(nothing)  # type: ignore[arg-type]
    for table in (own.rows, own.plain, own.components):
        last = table[N:] if isinstance(table, np.ndarray) else table[N:].toarray()
        assert not last.any()


def test_embeddings_of_old_nodes_stay_and_encoders_are_kept() -> None:
    pair_signals, after = grown(words(N, 9, 0), words(2, 9, 1))
    for name, z in pair_signals.embeddings.items():
        assert np.array_equal(after.embeddings[name][:N], z)
        assert after.embeddings[name].shape == (N + 2, z.shape[1])
        assert np.isfinite(after.embeddings[name]).all()
    stored = PairSignals.from_state(after.graph, after.state(), after.names).learned.encoders
    assert [*stored] == ["gcn", "vgnae"]
    for name, state in pair_signals.learned.encoders.items():
        assert all(np.array_equal(stored[name][part], own) for part, own in state.items())


def test_encoders_of_another_graph_are_refused() -> None:
    pair_signals = made(random_graph(N, 70, 3))
    check_encoders(pair_signals, N)
    state = pair_signals.state()
    for name in [own for own in state if own.startswith("encoders.")]:
        for harmed in ({**state, name: state[name][:-1]}, {key: own for key, own in state.items() if key != name}):
            found = PairSignals.from_state(pair_signals.graph, harmed, pair_signals.names)
            with pytest.raises(ValueError, match="its encoders do not fit its graph"):
                check_encoders(found, N)
    with pytest.raises(ValueError, match="its encoders do not fit its graph"):
        check_encoders(pair_signals, N + 1)


def test_candidates_with_a_new_end_are_those_of_the_extended_graph() -> None:
    pair_signals, after = grown()
    with use_threads(1):
        before = Candidates.of(find_candidates(pair_signals, 10), pair_signals.graph.pair_space)
        found = grown_candidates(before, after, N)
        every = Candidates.of(find_candidates(after, 10**6), after.graph.pair_space)
    pairs = all_pairs(N + 2)
    is_new = pairs[:, 1] >= N
    assert np.array_equal(found.sources_of(pairs[~is_new]), before.sources_of(pairs[~is_new]))
    assert np.array_equal(found.sources_of(pairs[is_new]), every.sources_of(pairs[is_new]))
    assert not found.sources_of(after.graph.edges[after.graph.edges[:, 1] >= N]).any()
