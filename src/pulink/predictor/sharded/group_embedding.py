"""Embeddings that a group of workers trains: which fits can be trained so, and what is taken from the workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pulink.distributed.executor import executor_in_use
from pulink.distributed.group.checkpoints import ROWS
from pulink.graph.graph import Graph
from pulink.graph.spaces.kinds import UNDIRECTED
from pulink.nn.sharded.kept_state import BEST, joined
from pulink.nn.sharded.trainer import GCNSettings
from pulink.persistence.checkpoints import Checkpoint
from pulink.predictor.fitting.fit_run import State

if TYPE_CHECKING:
    from pulink.predictor.by_embedding import EmbeddingPredictor

# Names in `state_`: of the embeddings, and so begin those of the encoder's parameters.
EMBEDDINGS, ENCODER = "embeddings", "encoder."
# What a fit depends on where a group trains: it rounds otherwise than one process does.
GROUP = "group"
BY_GROUP = {"engine": [GROUP]}
_STANDARD = "standard"


def has_group() -> bool:
    """Whether several processes can train one model here."""
    executor = executor_in_use()
    return executor.is_elsewhere and executor.n_together > 0


def alone_because(model: EmbeddingPredictor, graph: Graph | None) -> str | None:
    """Why a fit of this graph is trained by one process, whatever the cluster; None if workers can share it."""
    if model.device != "cpu":
        return f"with device={model.device!r}"
    if model.feature_scaling == _STANDARD:
        return f"with feature_scaling={_STANDARD!r}"
    if graph is None:
        return None
    if graph.kind != UNDIRECTED or graph.space is not None:
        return f"on a graph that is {graph.kind}"
    if graph.n_absent:
        return "with pairs that are known to be no links"
    return None


def engine_of(model: EmbeddingPredictor) -> dict[str, str]:
    """What a record says of who trained a model: nothing of one process."""
    return {"engine": GROUP} if model.by_group_ else {}


def gcn_settings(model: EmbeddingPredictor) -> GCNSettings:
    """What the workers are told of the encoder."""
    return GCNSettings(model.n_units, model.n_layers, model.learning_rate, model.feature_scaling, model.seed)


def group_state(found: Checkpoint) -> State:
    """`state_`, of what the workers kept."""
    state: State = {EMBEDDINGS: found.arrays[f"{ROWS}{EMBEDDINGS}"]}
    return state | {f"{ENCODER}{name}": value for name, value in joined(found, BEST).items()}
