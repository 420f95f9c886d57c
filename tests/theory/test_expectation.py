"""Equations 2 to 4: the distribution of z, and the expected adjacency that it gives."""

import numpy as np
import numpy.typing as npt
import pytest

from pulink.methods.pull.expected_graph import ExpectedGraph, expect
from tests.support.adjacencies import dense
from tests.theory.states import NAMES, WORLDS, Pair, World


def adjacency_of(z: dict[Pair, int], n_nodes: int) -> npt.NDArray[np.float64]:
    """A(z): cell ij is z_ij."""
    matrix = np.zeros((n_nodes, n_nodes))
    for (i, j), value in z.items():
        matrix[i, j] = matrix[j, i] = value
    return matrix


def expected_adjacency(world: World) -> npt.NDArray[np.float64]:
    """Equation 3, by enumeration."""
    n = world.graph.n_nodes
    return sum((world.probability(z) * adjacency_of(z, n) for z in world.states()), np.zeros((n, n)))


def built(world: World, n_added: int) -> ExpectedGraph:
    return expect(
        world.graph, world.h, n_added, candidates="all", n_hubs=1, hub_pairs_twice=False, sample_key=None
    )


@pytest.mark.parametrize("world", WORLDS, ids=NAMES)
def test_equation_2_is_equation_1_with_constant_edge_potentials(world: World) -> None:
    # Every pair of pairs that share a node is an edge of the line graph and has the potential c.
    c = 1.7
    pairs = world.observed + world.unconnected
    n_line_edges = sum(1 for a, first in enumerate(pairs) for second in pairs[:a] if set(first) & set(second))
    weights = [np.prod([world.phi(pair, z[pair]) for pair in pairs]) * c**n_line_edges for z in world.states()]
    normaliser = sum(weights)
    assert normaliser == pytest.approx(c**n_line_edges, rel=1e-12)
    for z, weight in zip(world.states(), weights, strict=True):
        assert weight / normaliser == pytest.approx(world.probability(z), rel=1e-12)


@pytest.mark.parametrize("world", WORLDS, ids=NAMES)
def test_equation_4_each_cell_of_the_expectation_is_phi(world: World) -> None:
    matrix = expected_adjacency(world)
    for i, j in world.observed + world.unconnected:
        assert matrix[i, j] == matrix[j, i] == pytest.approx(world.phi((i, j), 1), abs=1e-12)
    assert not np.diag(matrix).any()


@pytest.mark.parametrize("world", WORLDS, ids=NAMES)
def test_the_e_step_builds_the_expectation(world: World) -> None:
    everything = built(world, len(world.unconnected))
    np.testing.assert_allclose(dense(everything.adjacency), expected_adjacency(world), rtol=1e-6)
    np.testing.assert_allclose(dense(everything.graph().adjacency), expected_adjacency(world), rtol=1e-6)


@pytest.mark.parametrize("world", WORLDS, ids=NAMES)
def test_the_approximation_keeps_the_largest_weights_and_drops_the_rest(world: World) -> None:
    exact = expected_adjacency(world)
    ranked = sorted(world.unconnected, key=lambda pair: -exact[pair])
    for n_added in range(len(ranked) + 1):
        approximate = exact.copy()
        for i, j in ranked[n_added:]:
            approximate[i, j] = approximate[j, i] = 0.0
        np.testing.assert_allclose(dense(built(world, n_added).adjacency), approximate, rtol=1e-6)
