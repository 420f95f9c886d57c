"""What can be asked of a graph in parts, and what it takes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pulink.data.parts.part_files import is_parts
from pulink.distributed.executor import executor_in_use
from pulink.distributed.group.job import GroupTask
from pulink.errors import ParameterError
from pulink.methods.baselines.gnn import sharded_epochs
from pulink.methods.baselines.gnn.gcn_ce import GCNCE
from pulink.methods.pull.estimator import PULL
from pulink.methods.pull.sharded import fit, training
from pulink.persistence.checkpoints import FITTING
from pulink.persistence.sharded_graph import ShardedGraph
from pulink.predictor.by_embedding import EmbeddingPredictor
from pulink.predictor.sharded.group_embedding import has_group
from pulink.predictor.sharded.group_memory import GroupSizes, require_group_room
from pulink.system.versions import source_digest, versions
from pulink.text import counted
from pulink.workflows.sharded.sources import parts_key, source_of

if TYPE_CHECKING:
    from pulink.workflows.finding.request import FindRequest


@dataclass(frozen=True)
class GroupMethod:
    """How a method finds links in a group.

    settings  of its training, as JSON can hold them
    n_epochs  at most, for who follows
    """

    kind: type[EmbeddingPredictor]
    task: GroupTask
    settings: Callable[[Any, ShardedGraph], dict[str, Any]]
    n_epochs: Callable[[Any], int]


def _pull_settings(model: PULL, graph: ShardedGraph) -> dict[str, Any]:
    return fit.settings_for(model, graph.n_nodes, graph.mean_weight, None).to_plain()


def _gcn_settings(model: GCNCE, _: ShardedGraph) -> dict[str, Any]:
    return sharded_epochs.settings_of(model)


_METHODS = (
    GroupMethod(
        PULL,
        training.FIND,
        _pull_settings,
        lambda model: model.max_iterations * model.n_epochs,
    ),
    GroupMethod(GCNCE, sharded_epochs.FIND, _gcn_settings, lambda model: model.max_epochs),
)


def is_asked(request: FindRequest) -> bool:
    """Whether workers read the edges: a folder of parts, a method that is trained in groups, and a group."""
    if not isinstance(request.edges, str | Path) or not has_group() or not is_parts(request.edges):
        return False
    model = request.model()
    return model.trains_in_group and model.alone_because(None) is None


def asked_of(request: FindRequest) -> GroupMethod:
    """How the method is trained; ParameterError for what a graph in parts does not serve."""
    for name, given in (
        ("per_node", request.query.per_node),
        ("known_absent", request.known_absent),
        ("reviews", request.reviews),
    ):
        if given is not None:
            raise ParameterError(f"{name} is not served where a cluster reads a graph in parts: find without it")
    if request.nodes is not None and not isinstance(request.nodes, str | Path):
        raise ParameterError("nodes of a graph in parts are a file or a folder of parts")
    model = request.model()
    return next(method for method in _METHODS if type(model) is method.kind)


def key_of_parts(request: FindRequest, method: GroupMethod) -> str:
    """A digest of all that the result depends on."""
    parts = {"edges": source_of(Path(str(request.edges)))}
    if request.nodes is not None:
        parts["nodes"] = source_of(Path(str(request.nodes)))
    made_of = [
        parts_key(parts, request.reading, {}),
        method.task.address,
        {name: str(value) for name, value in request.model().get_params().items()},
        [request.query.top, request.query.fdr, request.query.min_probability],
        versions(),
        source_digest(FITTING),
    ]
    return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:32]


def model_of(request: FindRequest) -> EmbeddingPredictor:
    """What is trained."""
    model = request.model()
    assert isinstance(model, EmbeddingPredictor)
    return model


def refuse_room(request: FindRequest, method: GroupMethod, graph: ShardedGraph) -> None:
    """TooLargeError if the workers of this machine would not fit into its memory."""
    model = model_of(request)
    sizes = GroupSizes(
        graph.n_nodes,
        graph.n_edges,
        graph.n_features,
        graph.weighted,
        model.n_units,
        model.n_layers,
        executor_in_use().n_together,
        model.n_added(graph.n_edges),
    )
    what = f"{method.kind.__name__} on {counted(graph.n_nodes, 'node')} and {counted(graph.n_edges, 'edge')}"
    require_group_room(sizes, what, "use more machines, or fewer units")
