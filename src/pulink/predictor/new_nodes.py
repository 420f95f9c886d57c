"""Nodes that were not there when a model was fitted: they get what scoring needs, and nothing is trained again.

    X'   inputs of an encoder (n' x d): attributes on the scale of the fit; where a graph has none, every node of
         the fit has a column of its own; where nothing is known of a new node, the mean of its neighbours' inputs
    Z'   the trained encoder on X' and the extended graph; rows of nodes that were there stay as they were learned

Structure is that of the extended graph in every method that looks at it. Probabilities are those of the fit.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch
from torch import Tensor, nn

from pulink.engine.adjacency import Adjacency
from pulink.engine.threads import use_threads
from pulink.errors import InputError
from pulink.graph.features import Features
from pulink.graph.graph import Graph
from pulink.graph.new_nodes import append_nodes
from pulink.nn.backend import ENGINE, Backend
from pulink.nn.inputs import FeatureInput, scale_like

if TYPE_CHECKING:
    from pulink.predictor.predictor import LinkPredictor

F32 = npt.NDArray[np.float32]
Model = TypeVar("Model", bound="LinkPredictor")

# How many nodes were there at the fit, in the state of a model that has more.
_N_FITTED = "n_fitted"


@dataclass(frozen=True)
class NewNodes:
    """A model's graph, the same with nodes appended, and how many nodes there were at the fit."""

    old: Graph
    graph: Graph
    n_fitted: int

    def appended(self, rows: F32, encoded: F32) -> F32:
        """Rows of the old nodes as they are, and below them those of the new ones among all that were encoded."""
        return np.ascontiguousarray(np.concatenate([rows, encoded[self.old.n_nodes :]]), dtype=np.float32)

    def inputs(self, scaling: str) -> Features:
        """X' (n' x d), or (n' x n_fitted) without attributes."""
        graph, n_fitted = self.graph, self.n_fitted
        is_new = np.arange(graph.n_nodes) >= n_fitted
        if graph.features is None:
            one_hot = sp.eye_array(graph.n_nodes, n_fitted, dtype=np.float32, format="csr")
            return _filled(sp.csr_array(one_hot), is_new, graph.adjacency)
        known: Any = graph.features[:n_fitted]
        empty = np.asarray(abs(graph.features).sum(axis=1)).ravel() == 0
        return _filled(scale_like(graph.features, known, scaling), is_new & empty, graph.adjacency)

    def feature_input(self, scaling: str, backend: Backend = ENGINE) -> FeatureInput:
        """X' for an encoder."""
        return FeatureInput(self.inputs(scaling), self.graph.n_nodes, backend)


def grown(
    model: Model, names: object, edges: object, features: object = None, weights: npt.ArrayLike | None = None
) -> Model:
    """A model of the same kind whose graph has these nodes too; see `append_nodes` for what they may be."""
    model._check_fitted()
    # Calibrated on the graph that was fitted, before it has pairs of which the fit knew nothing.
    model._ready_calibrator()
    graph = append_nodes(model.graph_, names, edges, features, weights)
    n_fitted = fitted_nodes(model.state_, model.graph_)
    found = copy(model)
    old, new = model._view(model.graph_), model._view(graph)
    per_node = 2 if model._sees_roles(graph) else 1
    with use_threads(model.threads), torch.no_grad():
        found._grow(NewNodes(old, new, per_node * n_fitted))
    found.state_ = with_fitted_nodes(found.state_, n_fitted)
    found.graph_, found._held = graph, None
    return found


def with_fitted_nodes(state: dict[str, npt.NDArray[Any]], n_fitted: int) -> dict[str, npt.NDArray[Any]]:
    """The state of a model that was fitted with so many nodes, and has more."""
    return state | {_N_FITTED: np.array([n_fitted], dtype=np.int64)}


def fitted_nodes(state: dict[str, npt.NDArray[Any]], graph: Graph) -> int:
    """How many nodes were there at the fit, of a model with this state and graph."""
    return int(state.get(_N_FITTED, [graph.n_nodes])[0])


def encode(
    module: nn.Module, state: dict[str, Tensor], inputs: FeatureInput, operator: Any, backend: Backend = ENGINE
) -> F32:
    """Embeddings (n' x d) by an encoder with these parameters."""
    try:
        module.load_state_dict(state)
    except RuntimeError as error:
        raise InputError("the encoder that the model keeps does not fit its graph: fit it again") from error
    module = module.to(backend.device)
    z, _ = module.propagate(module.project(inputs), operator, None)  # type: ignore[operator]
    return np.ascontiguousarray(z.detach().cpu().numpy())


def refusal(model: LinkPredictor, reason: str) -> InputError:
    """For a method that cannot."""
    return InputError(
        f"{type(model).__name__} cannot take new nodes without a fit: {reason}; pull, gcn-ce, pull-plus, buddy "
        "and the heuristics can"
    )


def _filled(rows: Features, unknown: npt.NDArray[np.bool_], adjacency: Adjacency) -> Features:
    """Unknown rows become means over neighbours, from the known ones outwards; those out of reach stay."""
    n = len(unknown)
    ones = np.ones(adjacency.indices.size, dtype=np.float32)
    links = sp.csr_array((ones, adjacency.indices, adjacency.indptr), shape=(n, n))
    while (lines := np.flatnonzero(unknown)).size:
        near = sp.csr_array(links[lines] @ sp.diags_array((~unknown).astype(np.float32)))
        counts = near.sum(axis=1)
        lines, shares = lines[counts > 0], near[counts > 0] / counts[counts > 0][:, None]
        if not lines.size:
            break
        rows = _replaced(rows, lines, sp.csr_array(shares) @ rows)
        unknown = unknown.copy()
        unknown[lines] = False
    return rows


def _replaced(rows: Features, lines: npt.NDArray[np.int64], means: Features) -> Features:
    if isinstance(rows, np.ndarray):
        found = rows.copy()
        found[lines] = means
        return found
    places = np.arange(len(lines))
    put = sp.csr_array((np.ones(len(lines), np.float32), (lines, places)), shape=(rows.shape[0], len(lines)))
    # Sparse rows of which nothing is known are empty.
    return sp.csr_array(rows + put @ means, dtype=np.float32)
