"""ARGA and ARGVA: settings, and that they learn; test_autoencoders_equal_pyg.py has the arithmetic."""

import numpy as np
import pytest

import pulink
from pulink.errors import ParameterError
from pulink.methods.baselines.autoencoder.arga import ARGA
from pulink.methods.baselines.autoencoder.argva import ARGVA
from tests.support.planted import planted_graph

SPLIT = pulink.split(planted_graph(30, 3, 0.7, 0.03, seed=1), seed=0)


@pytest.mark.parametrize(("method", "n_epochs"), [(ARGA, 40), (ARGVA, 100)])
def test_they_learn_planted_blocks(method: type[ARGA], n_epochs: int) -> None:
    model = method(max_epochs=n_epochs, check_every=10, learning_rate=0.01).fit(SPLIT)
    assert model.score(SPLIT)["auroc"] > 0.85


def test_more_steps_of_the_discriminator_change_the_encoder() -> None:
    none, five = (ARGA(max_epochs=2, discriminator_steps=n).fit(SPLIT).embeddings_ for n in (0, 5))
    assert not np.array_equal(none, five)


@pytest.mark.parametrize(("name", "value"), [("discriminator_rate", 0), ("discriminator_steps", -1)])
def test_a_bad_setting_is_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(ParameterError, match=f"{name} must be .* got {value}"):
        ARGA(**{name: value}).fit(SPLIT)
