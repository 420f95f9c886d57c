"""The random streams: fixed for ever, uniform, and independent of one another."""

import numpy as np
import pytest
from scipy import stats

from pulink.engine.random import GOLDEN, mix64, normals, permutation, random_words, stream_key, uniforms


def test_words_are_the_published_splitmix64_sequence() -> None:
    # The reference generator with seed 0 adds the constant before its first output: counters 1, 2, 3, ...
    assert [hex(word) for word in random_words(np.uint64(0), 5, start=1)] == [
        "0xe220a8397b1dcdaf",
        "0x6e789e6aa1b965f4",
        "0x6c45d188009454f",
        "0xf88bb8a8724c81ec",
        "0x1b39896a51a8749b",
    ]


def test_streams_are_pinned() -> None:
    key = stream_key(0, "non-edges", 3, 1)
    assert int(key) == 0xE6F5B92B72F709E3
    assert [hex(word) for word in random_words(key, 3)] == [
        "0x65e862690236642b",
        "0xab817acbe9dcb950",
        "0xf413e478ea0a1c9b",
    ]
    assert uniforms(key, 2).tolist() == [0.39807715476691774, 0.6699444530330422]
    assert normals(key, 3) == pytest.approx([0.9647664260456614, -1.4237442066884645, -0.29065057212818163])
    assert permutation(key, 6).tolist() == [4, 0, 3, 5, 1, 2]


def test_kernels_mix_as_numpy_does() -> None:
    key = stream_key(7, "twin")
    with np.errstate(over="ignore"):
        mixed = [int(mix64(key + np.uint64(k) * GOLDEN)) for k in range(50)]
    assert mixed == random_words(key, 50).tolist()


def test_a_stream_can_be_entered_anywhere() -> None:
    key = stream_key(1, "enter")
    assert np.array_equal(random_words(key, 100)[40:], random_words(key, 60, start=40))
    assert np.array_equal(uniforms(key, 100)[40:], uniforms(key, 60, start=40))


def test_every_part_of_a_path_matters() -> None:
    paths: list[tuple[int | str, ...]] = [(0,), (1,), (0, 1), (0, "1"), (0, 1, 2), (0, 12), (0, "1/int:2"), (10,)]
    keys = {int(stream_key(int(seed), *rest)) for seed, *rest in paths}
    assert len(keys) == len(paths)


def test_uniforms_are_uniform() -> None:
    draws = uniforms(stream_key(0, "uniform"), 100_000)
    assert draws.min() >= 0
    assert draws.max() < 1
    assert stats.kstest(draws, "uniform").pvalue > 1e-3


def test_every_bit_is_fair() -> None:
    words = random_words(stream_key(0, "bits"), 20_000)
    ones = np.array([((words >> np.uint64(bit)) & np.uint64(1)).sum() for bit in range(64)], dtype=np.float64)
    # 5 standard deviations of a fair coin
    assert np.abs(ones / len(words) - 0.5).max() < 5 * 0.5 / np.sqrt(len(words))


def test_neighbouring_numbers_and_streams_are_uncorrelated() -> None:
    bound = 5 / np.sqrt(20_000)
    first, second = (uniforms(stream_key(0, "stream", k), 20_000) for k in (0, 1))
    assert abs(np.corrcoef(first, second)[0, 1]) < bound
    assert abs(np.corrcoef(first[:-1], first[1:])[0, 1]) < bound


def test_consecutive_pairs_fill_the_square() -> None:
    draws = uniforms(stream_key(2, "square"), 80_000).reshape(-1, 2)
    cells = np.histogram2d(draws[:, 0], draws[:, 1], bins=20, range=[[0, 1], [0, 1]])[0]
    assert stats.chisquare(cells.ravel()).pvalue > 1e-3


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_normals_come_in_any_number(count: int) -> None:
    assert normals(stream_key(0, "n"), count).shape == (count,)


def test_normals_are_normal() -> None:
    draws = normals(stream_key(0, "normal"), 100_001)
    assert stats.kstest(draws, "norm").pvalue > 1e-3
    # The two halves of the transform share their radius, but not their direction.
    half = 50_001
    assert abs(np.corrcoef(draws[: half - 1], draws[half:])[0, 1]) < 5 / np.sqrt(half)


def test_permutations_are_orders_and_every_order_comes() -> None:
    orders = [tuple(permutation(stream_key(s, "order"), 3).tolist()) for s in range(6_000)]
    counts = [orders.count(order) for order in sorted(set(orders))]
    assert len(counts) == 6
    assert stats.chisquare(counts).pvalue > 1e-3
