"""Formulas without settings: degrees, walks, and the list of reversed edges."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.kinds.graphs import Table
from benchmarks.kinds.measures import F64
from benchmarks.kinds.scorers import DenseScorer, adjacency_of
from pulink.graph.split import Split


def degree_products(edges: sp.csr_matrix) -> F64:
    """Degree of the row times degree of the column: out-degree of a source, in-degree of a target."""
    out, into = (np.asarray(edges.sum(axis=axis)).ravel() for axis in (1, 0))
    return np.outer(out, into)


def popularity(split: Split) -> DenseScorer:
    """Product of the degrees."""
    return DenseScorer(Table.of(split.train), degree_products(adjacency_of(split)))


def l3_walks(edges: sp.csr_matrix) -> F64:
    """Walks i -> u <- v -> j, each step by the roots of the degrees of its ends."""
    out, into = (np.asarray(edges.sum(axis=axis)).ravel() for axis in (1, 0))
    half = sp.diags(_root(out)) @ edges @ sp.diags(_root(into))
    return np.asarray((half @ half.T @ half).todense())


def two_step_walks(edges: sp.csr_matrix) -> F64:
    """Walks i -> u -> j, each by the degree of u: resource allocation along the directions."""
    degrees = np.asarray(edges.sum(axis=1)).ravel() + np.asarray(edges.sum(axis=0)).ravel()
    return np.asarray((edges @ sp.diags(_root(degrees) ** 2) @ edges).todense())


def _root(degrees: F64) -> F64:
    return np.where(degrees > 0, 1 / np.sqrt(np.maximum(degrees, 1)), 0.0)


def l3(split: Split) -> DenseScorer:
    """Walks of three steps, there, back and there."""
    return DenseScorer(Table.of(split.train), l3_walks(adjacency_of(split)))


def two_steps(split: Split) -> DenseScorer:
    """Walks of two steps along the directions."""
    return DenseScorer(Table.of(split.train), two_step_walks(adjacency_of(split)))


def reverses(split: Split) -> DenseScorer:
    """The reverses of training edges first, then all other pairs; both by the product of the degrees."""
    edges = adjacency_of(split)
    products = degree_products(edges)
    list_first = edges.T.toarray() * (products.max() + 1) + products
    free = edges.T - edges.T.multiply(edges)
    return DenseScorer(Table.of(split.train), list_first, {"n_free_reverses": int(free.sum())})
