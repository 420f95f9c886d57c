"""Model folders of graphs in parts, made of ordinary fitted models."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl

from pulink.persistence.sharded_model import (
    GRAPH,
    LINK_COLUMNS,
    LINKS_IN_A_FILE,
    ModelSummary,
    attribute_counts,
    seal_model,
    write_attribute_counts,
    write_calibration,
    write_embeddings,
    write_encoder,
    write_links,
)
from pulink.persistence.sharded_writing import Files
from pulink.predictor.link_lists import link_nodes
from pulink.predictor.parameters import plain_value
from pulink.predictor.predictor import LinkPredictor
from pulink.predictor.sharded.group_embedding import ENCODER
from tests.support.graph_folders import graph_folder


def sharded_folder(
    model: LinkPredictor, folder: Path, *, n_links: int = 20, pieces: tuple[int, int] = (5, 3)
) -> None:
    """A fitted PULL or GCN+CE of an undirected graph, in so many pieces of the graph and of the embeddings."""
    graph = model.graph_
    of_graph, of_embeddings = (
        sorted({0, graph.n_nodes, *(graph.n_nodes * k // n - (0 < k < n) for k in range(n + 1))}) for n in pieces
    )
    folder.mkdir(parents=True, exist_ok=True)
    graph_folder(graph, folder / GRAPH, of_graph)
    files: Files = {}
    for k, (first, end) in enumerate(pairwise(of_embeddings)):
        files |= write_embeddings(folder, k, model.state_["embeddings"][first:end])
    encoder = {
        name.removeprefix(ENCODER): array for name, array in model.state_.items() if name.startswith(ENCODER)
    }
    if encoder:
        files |= write_encoder(folder, encoder)
    plain = None
    if (calibrator := model._ready_calibrator()) is not None:
        plain, arrays = calibrator.stored()
        files |= write_calibration(folder, arrays)
    if isinstance(graph.features, np.ndarray) and (counts := attribute_counts(graph.features)) is not None:
        files |= write_attribute_counts(folder, counts)
    found, searched = model.search_links(n_links)
    listed = _numbered(model, found)
    for k, start in enumerate(range(0, listed.height, LINKS_IN_A_FILE)):
        files |= write_links(folder, k, listed[start : start + LINKS_IN_A_FILE])
    seal_model(
        folder,
        files,
        ModelSummary(
            kind=type(model).__name__,
            params={name: plain_value(value) for name, value in model.get_params().items()},
            learned=model._learned()[0] | {"n_steps": model.n_steps_},
            calibration=plain,
            embedding_ranges=tuple(of_embeddings),
            n_units=model.state_["embeddings"].shape[1],
            searched=str(searched),
            n_links=listed.height,
        ),
    )


def _numbered(model: LinkPredictor, found: pl.DataFrame) -> pl.DataFrame:
    pairs = link_nodes(model.graph_, found)
    return found.with_columns(first=pl.Series(pairs[:, 0]), second=pl.Series(pairs[:, 1])).select(*LINK_COLUMNS)
