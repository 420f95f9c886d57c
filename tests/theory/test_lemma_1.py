"""Lemma 1: the products of node potentials sum to one over all 2^|E_U| states."""

import itertools

import pytest

from tests.theory.states import NAMES, WORLDS, World


@pytest.mark.parametrize("world", WORLDS, ids=NAMES)
def test_all_states_sum_to_one(world: World) -> None:
    states = list(world.states())
    assert len(states) == 2 ** len(world.unconnected)
    assert sum(world.probability(z) for z in states) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("world", WORLDS, ids=NAMES)
def test_observed_pairs_change_nothing(world: World) -> None:
    # The lemma's product runs over all pairs: states that deny an observed edge have probability 0.
    pairs = world.observed + world.unconnected
    total = 0.0
    for values in itertools.product((0, 1), repeat=len(pairs)):
        product = 1.0
        for pair, value in zip(pairs, values, strict=True):
            product *= world.phi(pair, value)
        total += product
    assert total == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("world", WORLDS, ids=NAMES)
def test_conditional_form(world: World) -> None:
    # Σ over z with z_ij = 1 of Π over the other unconnected pairs of φ is one, for every pair ij.
    for pair in world.unconnected:
        total = 0.0
        for z in world.states(fixed={pair: 1}):
            product = 1.0
            for other in world.unconnected:
                if other != pair:
                    product *= world.phi(other, z[other])
            total += product
        assert total == pytest.approx(1.0, abs=1e-12)
