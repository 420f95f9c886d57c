"""Graph attention: by hand, against PyG's layer, plain operations and finite differences; what dropout does."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pulink.engine.adjacency import Adjacency, symmetric_adjacency
from pulink.engine.autograd.attention import attention, plain_attention, with_loops
from pulink.engine.threads import use_threads
from tests.support.adjacencies import dense, pair_sets, random_adjacency
from tests.support.pyg_rivals import GATConv

Attention = Callable[..., torch.Tensor]
KEY = np.uint64(7)
LOOPED = with_loops(random_adjacency(40, 0.15, seed=2))


def inputs(n: int, n_heads: int, n_columns: int, seed: int = 0, scale: float = 1.0) -> list[torch.Tensor]:
    """x, source and target scores, all of them asking for gradients."""
    rng = np.random.default_rng(seed)
    shapes = (n, n_heads, n_columns), (n, n_heads), (n, n_heads)
    return [torch.tensor(rng.normal(0, scale, shape).astype(np.float32), requires_grad=True) for shape in shapes]


def gradients(function: Attention, tensors: list[torch.Tensor], *more: object) -> list[np.ndarray]:
    """The output, and the gradient of a wavy function of it to each tensor."""
    tensors = [tensor.detach().clone().requires_grad_() for tensor in tensors]
    out = function(*tensors, *more)
    waves = torch.arange(out.numel(), dtype=torch.float32).reshape(out.shape).sin()
    (torch.sin(out) * waves).sum().backward()
    return [array.detach().numpy() for array in (out, *(tensor.grad for tensor in tensors))]


def assert_all_close(first: list[np.ndarray], second: list[np.ndarray], atol: float = 1e-5) -> None:
    for one, other in zip(first, second, strict=True):
        np.testing.assert_allclose(one, other, atol=atol, rtol=1e-5)


@pytest.mark.parametrize("function", [attention, plain_attention])
def test_a_path_of_three_by_hand(function: Attention) -> None:
    # 0 - 1 - 2, one head: sources 0, ln 2, ln 4 and targets 0 give node 1 the weights 1/7, 2/7, 4/7. Node 2's
    # target of -10 ln 2 makes its logits negative: leaky leaves a fifth, so its weights stand 1 : 2^(1/5).
    looped = with_loops(symmetric_adjacency(np.array([[0, 1], [1, 2]], np.int32), 3))
    source = torch.tensor([[0.0], [np.log(2)], [np.log(4)]], dtype=torch.float32)
    target = torch.tensor([[0.0], [0.0], [-10 * np.log(2)]], dtype=torch.float32)
    x = torch.tensor([[[7.0]], [[70.0]], [[700.0]]])
    fifth = 2**0.2
    expected = [(7 + 2 * 70) / 3, 1 + 2 * 10 + 4 * 100, (70 + fifth * 700) / (1 + fifth)]
    np.testing.assert_allclose(function(x, source, target, looped).ravel().numpy(), expected, rtol=1e-6)


@given(pair_sets())
def test_loops_are_added_in_their_places(case: tuple[np.ndarray, int]) -> None:
    adjacency = symmetric_adjacency(*case)
    looped = with_loops(adjacency)
    assert np.array_equal(dense(looped), dense(adjacency) + np.eye(adjacency.n_nodes))
    for i in range(looped.n_nodes):
        assert (np.diff(looped.indices[looped.indptr[i] : looped.indptr[i + 1]]) > 0).all()


@pytest.mark.parametrize("seed", [0, 1])
def test_output_and_gradients_equal_pyg(seed: int) -> None:
    torch.manual_seed(seed)
    conv = GATConv(12, 16, heads=8, concat=False, dropout=0.0)
    with torch.no_grad():
        for parameter in (conv.att_src, conv.att_dst):
            parameter.mul_(6)
    features = torch.randn(40, 12)
    ends = torch.from_numpy(np.stack([np.repeat(np.arange(40), np.diff(LOOPED.indptr)), LOOPED.indices]))
    weight, att_src, att_dst = (
        p.detach().clone().requires_grad_() for p in (conv.lin.weight, conv.att_src, conv.att_dst)
    )
    x = (features @ weight.T).view(40, 8, 16)
    out = attention(x, (x * att_src).sum(-1), (x * att_dst).sum(-1), LOOPED) + conv.bias.detach()
    expected = conv(features, ends.long())
    for output in (out, expected):
        torch.sin(3 * output).sum().backward()
    torch.testing.assert_close(out, expected, atol=1e-5, rtol=1e-5)
    for ours, theirs in ((weight, conv.lin.weight), (att_src, conv.att_src), (att_dst, conv.att_dst)):
        torch.testing.assert_close(ours.grad, theirs.grad, atol=1e-5, rtol=1e-5)


@settings(max_examples=25)
@given(pair_sets(), st.integers(1, 9), st.integers(1, 20), st.sampled_from([0.0, 0.3, 0.6]))
def test_kernel_equals_plain_operations(
    case: tuple[np.ndarray, int], n_heads: int, n_columns: int, dropout: float
) -> None:
    looped = with_loops(symmetric_adjacency(*case))
    tensors = inputs(looped.n_nodes, n_heads, n_columns)
    arguments = looped, dropout, KEY
    assert_all_close(gradients(attention, tensors, *arguments), gradients(plain_attention, tensors, *arguments))


def test_rows_longer_than_a_block_equal_plain_operations() -> None:
    star = np.array([[0, j] for j in range(1, 300)], np.int32)
    looped = with_loops(symmetric_adjacency(star, 300))
    tensors = inputs(300, 8, 16, seed=1)
    assert_all_close(
        gradients(attention, tensors, looped, 0.6, KEY), gradients(plain_attention, tensors, looped, 0.6, KEY)
    )


@pytest.mark.parametrize("scale", [1.0, 300.0])
def test_plain_gradients_equal_finite_differences(scale: float) -> None:
    tensors = [t.detach().double().requires_grad_() for t in inputs(8, 3, 2)]
    tensors[1:] = [(scale * t.detach()).requires_grad_() for t in tensors[1:]]
    looped = with_loops(random_adjacency(8, 0.4, seed=4))
    assert torch.autograd.gradcheck(lambda *t: plain_attention(*t, looped, 0.5, KEY), tensors)


def test_kernel_gradients_equal_finite_differences() -> None:
    tensors = inputs(40, 4, 16, seed=5)
    outer = torch.randn(40, 16, generator=torch.Generator().manual_seed(0))

    def loss(moved: list[torch.Tensor]) -> float:
        return float((attention(*moved, LOOPED, 0.4, KEY).detach().double() * outer).sum())

    (attention(*tensors, LOOPED, 0.4, KEY) * outer).sum().backward()
    for place, tensor in enumerate(tensors):
        step = 1e-3 * torch.randn(tensor.shape, generator=torch.Generator().manual_seed(place))
        up, down = list(tensors), list(tensors)
        up[place], down[place] = tensor.detach() + step, tensor.detach() - step
        expected = 2 * float((tensor.grad.double() * step).sum())
        assert loss(up) - loss(down) == pytest.approx(expected, rel=2e-2, abs=2e-5)


def test_extreme_scores_stay_finite() -> None:
    tensors = inputs(40, 8, 16, scale=500.0)
    results = gradients(attention, tensors, LOOPED)
    assert all(np.isfinite(array).all() for array in results)
    assert np.abs(results[0]).max() <= float(tensors[0].detach().abs().max())


def test_dropout_keeps_the_expectation() -> None:
    tensors = [tensor.detach() for tensor in inputs(40, 4, 3)]
    whole = attention(*tensors, LOOPED).numpy()
    draws = np.stack([attention(*tensors, LOOPED, 0.6, np.uint64(k)).numpy() for k in range(4000)])
    error = draws.std(axis=0) / np.sqrt(len(draws))
    assert (np.abs(draws.mean(axis=0) - whole) < 5 * error).all()


def test_the_share_of_dropped_entries_is_right() -> None:
    # x = 1 and scores 0: a row of d entries has the output (kept entries) / (0.4 d), averaged over heads.
    ones, zeros = torch.ones(40, 8, 1), torch.zeros(40, 8)
    out = np.stack([attention(ones, zeros, zeros, LOOPED, 0.6, np.uint64(k)).numpy()[:, 0] for k in range(50)])
    n_kept = out * np.diff(LOOPED.indptr) * 8 * 0.4
    np.testing.assert_allclose(n_kept, np.round(n_kept), atol=0.01)
    assert n_kept.sum() / (50 * 8 * LOOPED.indices.size) == pytest.approx(0.4, abs=0.005)


def test_a_key_fixes_what_is_dropped() -> None:
    tensors = inputs(40, 8, 16)
    first, again, other = (gradients(attention, tensors, LOOPED, 0.6, np.uint64(k)) for k in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not any(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


def test_threads_share_the_rows() -> None:
    tensors = inputs(40, 8, 16)
    alone = gradients(attention, tensors, LOOPED, 0.6, KEY)
    for count in (2, 3, 60):
        with use_threads(count):
            together = gradients(attention, tensors, LOOPED, 0.6, KEY)
            again = gradients(attention, tensors, LOOPED, 0.6, KEY)
        assert_all_close(alone, together)
        assert all(np.array_equal(a, b) for a, b in zip(together, again, strict=True))


def test_nodes_without_neighbours_attend_to_themselves() -> None:
    x, source, target = inputs(3, 2, 4)
    lone = with_loops(Adjacency(np.zeros(4, np.int32), np.empty(0, np.int32)))
    torch.testing.assert_close(attention(x, source, target, lone), x.mean(dim=1))
