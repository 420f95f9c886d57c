"""Nodes that pair signals get after their encoders were trained and their eigenpairs found.

    embeddings   the trained encoders on the extended graph (see predictor/new_nodes.py)
    eigenpairs   u_new = Σ_j M_new,j u_j / λ over old nodes j, M the matrix of the extended graph
    attributes   on the scale and by the directions of the fit
    candidates   found again on the extended graph, of which those with a new end are taken in

All that depends on structure alone is that of the extended graph.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from pulink.engine.structure.eigenpairs import Eigenpairs
from pulink.methods.pull_plus.candidates import Candidates, candidate_count, find_candidates
from pulink.methods.pull_plus.learned.encoders import ENCODERS
from pulink.methods.pull_plus.pair_signals import PairSignals, spectral_matrices
from pulink.methods.pull_plus.quantities.pairs import F32
from pulink.predictor.new_nodes import NewNodes

# Eigenvalues below this share of the largest are left out of new rows: dividing by them would only blow up noise.
_SMALL = 1e-3


def grown_signals(pair_signals: PairSignals, new_nodes: NewNodes) -> PairSignals:
    """The signals with rows for new nodes."""
    matrices = spectral_matrices(new_nodes.graph) if pair_signals.spectra else {}
    spectra = {
        name: with_rows(spectrum, matrices[name][len(spectrum.vectors) :])
        for name, spectrum in pair_signals.spectra.items()
    }
    embeddings = {name: _embeddings(pair_signals, name, new_nodes) for name in pair_signals.embeddings}
    features = pair_signals.features
    if features is not None:
        assert new_nodes.graph.features is not None
        features = features.with_nodes(new_nodes.graph.features[new_nodes.old.n_nodes :])
    return PairSignals(
        new_nodes.graph,
        spectra,
        embeddings,
        features,
        pair_signals.learned,
        pair_signals.names,
        pair_signals.ranking,
    )


def with_rows(spectrum: Eigenpairs, links: sp.csr_array) -> Eigenpairs:
    """Eigenpairs with rows for new nodes, from their rows of the extended matrix (k x n')."""
    sizes = np.abs(spectrum.values)
    large = sizes > _SMALL * sizes.max(initial=0.0)
    products = np.asarray(links[:, : len(spectrum.vectors)] @ spectrum.vectors)
    rows = np.where(large, products / np.where(large, spectrum.values, 1), 0)
    return Eigenpairs(spectrum.values, np.concatenate([spectrum.vectors, rows.astype(np.float32)]))


def grown_candidates(candidates: Candidates, pair_signals: PairSignals, n_old: int) -> Candidates:
    """Old pairs as they were, and pairs with a new end as a fit of the grown graph would choose them."""
    graph = pair_signals.graph
    found = Candidates.of(find_candidates(pair_signals, candidate_count(graph)), graph.pair_space)
    is_new = (found.pairs >= n_old).any(axis=1)
    codes = np.concatenate([graph.pair_space.codes(candidates.pairs), found.codes[is_new]])
    counts = np.concatenate([candidates.counts, found.counts[is_new]])
    order = np.argsort(codes)
    return Candidates(codes[order], counts[order], candidates.names, graph.pair_space)


def _embeddings(pair_signals: PairSignals, name: str, new_nodes: NewNodes) -> F32:
    z = pair_signals.embeddings[name]
    encoder = ENCODERS[name](n_units=z.shape[1])
    plain = replace(new_nodes, old=new_nodes.old.without_direction, graph=new_nodes.graph.without_direction)
    return new_nodes.appended(z, encoder.encode_by(pair_signals.learned.encoders[name], plain))
