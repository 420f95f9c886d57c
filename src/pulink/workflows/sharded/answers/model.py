"""The model of a graph in parts: what is asked is answered by an ordinary model of a node's surroundings."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.engine.autograd.pair_loss import pair_logits
from pulink.engine.threads import use_threads
from pulink.errors import InputError
from pulink.explanation.surroundings import Surroundings
from pulink.graph.graph import Graph
from pulink.methods.baselines.gnn.gcn_ce import GCNCE
from pulink.methods.pull.estimator import PULL
from pulink.persistence.model_folder import Stored
from pulink.persistence.sharded_model_reading import ShardedModelFolder, sharded_place
from pulink.persistence.sharded_names import COUNTED, key_of
from pulink.predictor.fitting.structure_view import without_nan
from pulink.predictor.link_lists import check_least, frame
from pulink.predictor.parameters import check_count
from pulink.predictor.predictor import LinkPredictor
from pulink.predictor.saved_model import restored
from pulink.predictor.sharded.group_embedding import EMBEDDINGS, ENCODER
from pulink.workflows.sharded.answers.outline import outline_of
from pulink.workflows.sharded.answers.reading import surroundings_of

Longs = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]

_MOST_ENTERED = 2**48

_CLASSES: dict[str, type[LinkPredictor]] = {"PULL": PULL, "GCNCE": GCNCE}


class ShardedModel:
    """A fitted model whose graph and embeddings stay in their folder; `open` makes it.

    folder  what was opened
    """

    def __init__(self, folder: ShardedModelFolder) -> None:
        self.folder = folder
        self._encoder = folder.encoder()
        self._calibration = folder.calibration()

    @classmethod
    def open(cls, folder: str | Path, *, verify: bool = False) -> ShardedModel:
        """Open the folder that training left, or that of its results; InputError where it is none.

        verify  whether to read all of it: checksums, and every row of the graph
        """
        return cls(ShardedModelFolder.open(sharded_place(folder) or folder, verify=verify))

    @cached_property
    def outline(self) -> LinkPredictor:
        """The model of the whole graph without rows: it knows counts and its calibration, and scores nothing."""
        nothing = np.empty((0, 2), dtype=np.int64)
        model = self._model(surroundings_of(self.folder.graph, nothing, None), nothing.ravel())
        model.graph_ = outline_of(self.folder.graph)
        return model

    def around(self, pairs: Longs, *, to_draw: bool = False) -> tuple[LinkPredictor, Longs]:
        """An ordinary model of the surroundings of pairs (k x 2), and the numbers that their nodes have there.

        It says of these pairs what a model of the whole graph says, and of no others. to_draw: as in
        `surroundings_of`.
        """
        graph = surroundings_of(self.folder.graph, pairs, self._attribute_counts, to_draw=to_draw)
        return self._model(graph, np.unique(pairs)), graph.places(pairs)

    def number(self, node: object) -> int:
        """The number of a node, given by its name or number."""
        graph = self.folder.graph
        if isinstance(node, str | bool) or not isinstance(node, int | np.integer):
            return int(graph.numbers([node])[0])  # type: ignore[list-item]
        called = graph.summary.called
        if called != COUNTED and (key_of("0", called) == 0 or graph.has_name(str(node))):
            raise InputError(
                f"{node!r} may mean the name or the number of a node, and nodes here are called by numbers: write "
                "names as text"
            )
        if not 0 <= node < graph.n_nodes:
            raise InputError(f"node numbers must lie in 0 .. {graph.n_nodes - 1}, got {node}")
        return int(node)

    def suggest(
        self, node: object, top: int = 10, *, min_probability: float = 0.0
    ) -> tuple[LinkPredictor, pl.DataFrame]:
        """The likeliest missing links of one node, best first, and a model that explains them.

        All nodes are compared with it, some embeddings in memory at a time.
        """
        check_count("top", top, 0)
        check_least(min_probability)
        number = self.number(node)
        others, scores = self._best_with(number, top)
        model, places = self.around(np.stack([np.full_like(others, number), others], axis=1))
        return model, frame(model, places, scores, min_probability)

    def _best_with(self, node: int, top: int) -> tuple[Longs, F64]:
        """The nodes that score best with a node and are no neighbours of it; of equal ones the lower numbers."""
        known = np.union1d(self.folder.graph.neighbours(node).astype(np.int64), node)
        own = self.folder.rows(np.array([node]))[0]
        others, scores = np.empty(0, dtype=np.int64), np.empty(0)
        with use_threads(self.outline.threads):
            for first, rows in self.folder.blocks():
                rows[0] = own
                here = known[np.searchsorted(known, first) : np.searchsorted(known, first + len(rows) - 1)]
                new = np.delete(np.arange(1, len(rows)), here - first)
                pairs = np.stack([np.zeros_like(new), new], axis=1)
                every = np.concatenate([scores, without_nan(pair_logits(rows, pairs), self.outline)])
                best = np.argsort(-every, kind="stable")[:top]
                others, scores = np.concatenate([others, new - 1 + first])[best], every[best]
        return others, scores

    @cached_property
    def _attribute_counts(self) -> Longs | None:
        return self.folder.attribute_counts()

    def _model(self, graph: Graph, nodes: Longs) -> LinkPredictor:
        """An ordinary model of part of the graph; of other nodes than these, embeddings are zero."""
        summary = self.folder.summary
        embeddings = np.zeros((graph.n_nodes, summary.n_units), dtype=np.float32)
        if isinstance(graph, Surroundings) and len(nodes):
            embeddings[graph.places(nodes)] = self.folder.rows(nodes)
        tensors: dict[str, npt.NDArray[Any]] = {f"state.{EMBEDDINGS}": embeddings, "expected.edges": graph.edges}
        tensors |= {f"state.{ENCODER}{name}": array for name, array in self._encoder.items()}
        tensors |= self._calibration | _entered(summary.learned)
        learned = summary.learned | ({} if summary.calibration is None else {"calibration": summary.calibration})
        stored = Stored(summary.kind, summary.params, learned, tensors, graph)
        return restored(_CLASSES[summary.kind], stored, self.folder.path)


def _entered(learned: dict[str, Any]) -> dict[str, npt.NDArray[Any]]:
    """Which pairs entered in each iteration is not kept of a graph in parts, only how many."""
    found: dict[str, npt.NDArray[Any]] = {}
    for name in ("history", "refit_history"):
        records = learned.get(name)
        for record in records if isinstance(records, list) else ():
            n_entered = record.get("n_entered") if isinstance(record, dict) else None
            if type(n_entered) is int and 0 <= n_entered <= _MOST_ENTERED:
                found[f"{name}.{record.get('iteration')}"] = np.broadcast_to(np.int32(-1), (n_entered, 2))
    return found
