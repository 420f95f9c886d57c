"""Features read back from embeddings: which cells are asked for, and what an answer costs."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from pulink.engine.random import stream_key
from pulink.methods.baselines.autoencoder.mvgae_features import Numbers, Presences, feature_cells
from pulink.nn.backend import ENGINE, backend_of

KEY = stream_key(0, "test")
WORDS = (np.random.default_rng(0).random((40, 12)) < 0.2).astype(np.float32)


def random_rows(count: int, seed: int) -> torch.Tensor:
    rows = np.random.default_rng(seed).normal(size=(count, 8)).astype(np.float32)
    return torch.tensor(rows, requires_grad=True)


def test_words_are_presences_and_numbers_numbers() -> None:
    assert isinstance(feature_cells(WORDS), Presences)
    assert isinstance(feature_cells(sp.csr_array(3 * WORDS)), Presences)
    assert isinstance(feature_cells(sp.csr_array(-WORDS)), Numbers)
    assert isinstance(feature_cells(WORDS + 1), Numbers)


def test_explicit_zeros_are_absent() -> None:
    matrix = sp.csr_array(WORDS)
    matrix.data[:5] = 0
    cells = feature_cells(matrix)
    assert isinstance(cells, Presences)
    present, _ = cells.draw(1_000, KEY)
    assert len(present) == int(WORDS.sum()) - 5


def test_drawn_cells_are_what_they_are_said_to_be() -> None:
    cells = Presences(sp.csr_array(WORDS))
    for count in (20, 1_000):
        present, absent = cells.draw(count, KEY)
        assert len(present) == min(count, int(WORDS.sum()))
        assert (WORDS[present[:, 0], present[:, 1]] == 1).all()
        assert (WORDS[absent[:, 0], absent[:, 1]] == 0).all()
        assert 0.5 * len(present) < len(absent) <= len(present)
    assert not np.array_equal(cells.draw(20, KEY)[0], cells.draw(20, stream_key(1, "test"))[0])


@pytest.mark.parametrize("device", ["cpu", "plain"])
def test_presences_cost_the_mean_cross_entropy(device: str) -> None:
    cells, z, vectors = Presences(sp.csr_array(WORDS)), random_rows(40, 1), random_rows(12, 2)
    loss = cells.loss(z, vectors, 50, KEY, backend_of(device))
    loss.backward()
    drawn = cells.draw(50, KEY)
    logits = (z @ vectors.T).detach().numpy()
    costs = [
        np.logaddexp(0, -sign * logits[i, f]) for sign, part in zip((1, -1), drawn, strict=True) for i, f in part
    ]
    assert float(loss.detach()) == pytest.approx(np.mean(costs), rel=1e-5)
    assert z.grad is not None
    assert vectors.grad is not None
    assert bool(z.grad.any())
    assert bool(vectors.grad.any())


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("device", ["cpu", "plain"])
def test_numbers_cost_the_squared_error_of_standardised_columns(sparse: bool, device: str) -> None:
    rng = np.random.default_rng(3)
    matrix = rng.normal(5, 3, size=(40, 6)).astype(np.float32) * (rng.random((40, 6)) < 0.7)
    matrix[:, 2] = 7
    cells = Numbers(sp.csr_array(matrix) if sparse else matrix)
    wanted = (matrix - matrix.mean(axis=0)) / np.where(matrix.std(axis=0) > 1e-5, matrix.std(axis=0), 1)
    everywhere = np.stack(np.indices(matrix.shape), axis=-1).reshape(-1, 2).astype(np.int32)
    np.testing.assert_allclose(cells.values(everywhere), wanted.ravel(), atol=1e-4)
    # Vectors that tell the answer cost nothing; others cost what they are off by.
    z, vectors = torch.tensor(wanted, dtype=torch.float32, requires_grad=True), torch.eye(6)
    assert float(cells.loss(z, vectors, 500, KEY, backend_of(device)).detach()) == pytest.approx(0, abs=1e-6)
    off = cells.loss(z + 0.5, vectors, 500, KEY, backend_of(device))
    assert float(off.detach()) == pytest.approx(0.25, rel=1e-3)


def test_learning_reads_words_back() -> None:
    cells, z, vectors = Presences(sp.csr_array(WORDS)), random_rows(40, 4), random_rows(12, 5)
    optimizer = torch.optim.Adam([z, vectors], lr=0.05)
    for step in range(150):
        optimizer.zero_grad()
        cells.loss(z, vectors, 200, stream_key(0, step), ENGINE).backward()
        optimizer.step()
    told = (z @ vectors.T).detach().numpy() > 0
    assert (told == (WORDS > 0)).mean() > 0.95
