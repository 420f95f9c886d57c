"""One code path per device: the kernels on the CPU, plain operations elsewhere, with the same result."""

import numpy as np
import pytest

import pulink
from pulink.errors import ParameterError
from tests.support.planted import planted_graph

GRAPH = planted_graph(25, 3, 0.5, 0.05, seed=1)


WITH_DEVICE = sorted(
    name for name, entry in pulink.METHODS.items() if "device" in entry.predictor.parameter_names()
)


@pytest.mark.parametrize("name", WITH_DEVICE)
def test_a_step_on_plain_operations_equals_the_kernels(name: str) -> None:
    split = pulink.split(GRAPH, seed=0)
    short = (
        {"n_epochs": 2, "max_iterations": 2, "stop": False}
        if "pull" in name
        else {"max_epochs": 4, "min_epochs": 4}
    )
    fitted = [pulink.METHODS[name].make(device=device, **short).fit(split) for device in ("cpu", "plain")]
    np.testing.assert_allclose(fitted[0].embeddings_, fitted[1].embeddings_, rtol=1e-4, atol=1e-5)


def test_whole_fits_agree_in_what_they_find() -> None:
    split = pulink.split(GRAPH, seed=0)
    scores = [pulink.PULL(device=device, n_epochs=50).fit(split).score(split) for device in ("cpu", "plain")]
    assert scores[0]["auroc"] == pytest.approx(scores[1]["auroc"], abs=0.01)


@pytest.mark.parametrize("device", ["tpu-of-mine", "cuda:99"])
def test_a_device_that_is_not_there_is_refused(device: str) -> None:
    with pytest.raises(ParameterError, match=f"device '{device}' cannot be used here"):
        pulink.PULL(device=device).fit(GRAPH)


@pytest.mark.parametrize("name", ["pull", "vgae+pull", "gcn-ce"])
def test_other_numbers_of_threads_give_the_same_step(name: str) -> None:
    big = planted_graph(400, 3, 0.3, 0.02, seed=2)  # more than one slice of pairs
    assert big.n_edges > 1 << 15
    split = pulink.split(big, seed=0)
    short = {"n_epochs": 1, "max_iterations": 2} if "pull" in name else {"max_epochs": 2}
    one, two, two_again = (
        pulink.METHODS[name].make(threads=threads, stop=False, **short).fit(split).embeddings_
        for threads in (1, 2, 2)
    )
    np.testing.assert_array_equal(two, two_again)
    np.testing.assert_allclose(one, two, rtol=1e-5, atol=2e-6)
