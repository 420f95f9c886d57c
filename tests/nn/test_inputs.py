"""Feature scaling against PyTorch Geometric, and the identity that is never built."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from scipy.stats import zscore

from pulink import Graph
from pulink.engine.autograd.sparse import propagation_operator
from pulink.errors import UnknownNameError
from pulink.nn.encoders import GCN
from pulink.nn.inputs import FeatureInput, scale_features
from tests.support.planted import planted_graph
from tests.support.pyg import Data, NormalizeFeatures


def as_array(features: sp.csr_array | np.ndarray) -> np.ndarray:
    return features if isinstance(features, np.ndarray) else features.toarray()


def pyg_rows(matrix: np.ndarray) -> np.ndarray:
    x = torch.from_numpy(matrix.astype(np.float32))
    return NormalizeFeatures()(Data(x=x.clone(), edge_index=torch.empty(2, 0, dtype=torch.long))).x.numpy()


RNG = np.random.default_rng(0)
WORDS = (RNG.random((12, 9)) < 0.3).astype(np.float32)
COUNTS = WORDS * RNG.integers(1, 7, (12, 9)).astype(np.float32)
FRACTIONS = 0.01 * COUNTS
NEGATIVE = RNG.normal(size=(12, 9)).astype(np.float32)
POSITIVE = (1 + RNG.random((12, 9))).astype(np.float32)


@pytest.mark.parametrize(
    "matrix", [WORDS, COUNTS, FRACTIONS, NEGATIVE], ids=["words", "counts", "small", "signed"]
)
def test_rows_equal_pyg(matrix: np.ndarray) -> None:
    for features in (matrix, sp.csr_array(matrix)):
        np.testing.assert_allclose(as_array(scale_features(features, "rows")), pyg_rows(matrix), atol=1e-6)


@pytest.mark.parametrize("sparse", [False, True])
def test_rows_equal_pyg_where_no_entry_is_zero(sparse: bool) -> None:
    features = sp.csr_array(POSITIVE) if sparse else POSITIVE
    np.testing.assert_allclose(as_array(scale_features(features, "rows")), pyg_rows(POSITIVE), atol=1e-6)


def test_rows_by_hand() -> None:
    # Sums 4 and 0.5: the first is divided by, the second is below one and left alone.
    matrix = np.array([[1, 3, 0], [0, 0.5, 0], [0, 0, 0]], dtype=np.float32)
    expected = [[0.25, 0.75, 0], [0, 0.5, 0], [0, 0, 0]]
    for features in (matrix, sp.csr_array(matrix)):
        np.testing.assert_allclose(as_array(scale_features(features, "rows")), expected)


def test_sparse_rows_stay_sparse() -> None:
    assert isinstance(scale_features(sp.csr_array(WORDS), "rows"), sp.csr_array)


def test_standard_columns() -> None:
    matrix = np.concatenate([NEGATIVE, np.full((12, 1), 5, dtype=np.float32)], axis=1)
    scaled = as_array(scale_features(matrix, "standard"))
    np.testing.assert_allclose(scaled[:, :-1], zscore(NEGATIVE, axis=0), atol=1e-5)
    assert not scaled[:, -1].any()
    np.testing.assert_allclose(as_array(scale_features(sp.csr_array(matrix), "standard")), scaled, atol=1e-6)


def test_auto_scales_words_and_leaves_signed_numbers() -> None:
    np.testing.assert_allclose(as_array(scale_features(COUNTS, "auto")), pyg_rows(COUNTS), atol=1e-6)
    assert scale_features(NEGATIVE, "auto") is NEGATIVE
    assert scale_features(COUNTS, "none") is COUNTS


def test_an_unknown_scaling_lists_the_known() -> None:
    with pytest.raises(UnknownNameError, match=r"feature_scaling 'row'.*Known: auto, none, rows, standard"):
        scale_features(WORDS, "row")


def test_no_features_are_an_identity_matrix() -> None:
    graph = planted_graph(5, 3, 0.7, 0.2, seed=0)
    operator = propagation_operator(graph.adjacency)
    outcomes = []
    for features in (None, sp.eye_array(15, dtype=np.float32, format="csr"), np.eye(15, dtype=np.float32)):
        encoder = GCN(15, 4, 2, seed=0)
        held = FeatureInput.of(Graph.from_edges(graph.edges, 15, features=features), "none")
        z, _ = encoder.propagate(encoder.project(held), operator, None)
        torch.sin(z).sum().backward()
        assert held.n_columns == 15
        outcomes.append((z.detach().numpy(), encoder.weights[0].grad.numpy()))
    for z, gradient in outcomes[1:]:
        np.testing.assert_allclose(z, outcomes[0][0], atol=1e-6)
        np.testing.assert_allclose(gradient, outcomes[0][1], atol=1e-6)
