"""What each worker of a cluster does for PULL."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from pulink.distributed.group.checkpoints import GroupCheckpoints
from pulink.distributed.group.group import Group
from pulink.distributed.group.job import GroupTask, Teller
from pulink.distributed.group.own_rows import OwnRows
from pulink.methods.pull.sharded.loop import ShardedLoop
from pulink.methods.pull.sharded.settings import LoopSettings
from pulink.nn.sharded.kept_state import small_parameters
from pulink.predictor.fitting.fit_run import Validation
from pulink.predictor.sharded.find_job import GroupLearned, find_in_group
from pulink.predictor.sharded.group_fit import GroupData


def _train(folder: Path, plain: dict[str, Any], group: Group) -> None:
    data = GroupData(folder, group.rank, group.size)
    checkpoints = GroupCheckpoints(folder, group, data.rows)
    settings = LoopSettings.from_plain(plain)
    ShardedLoop(data.rows, group, settings, data.validation, checkpoints, Teller(folder, group)).run()


def _learn(
    rows: OwnRows,
    group: Group,
    settings: dict[str, Any],
    validation: Validation | None,
    budget: int | None,
    checkpoints: GroupCheckpoints,
    teller: Teller,
) -> GroupLearned:
    wanted = replace(LoopSettings.from_plain(settings), budget=budget)
    loop = ShardedLoop(rows, group, wanted, validation, checkpoints, teller)
    kept = loop.run()
    plain = {
        "n_iter": kept,
        "n_steps": loop.n_steps,
        "stop_reason": loop.stop_reason,
        "history": [loop.told(record) for record in loop.history],
    }
    return GroupLearned(loop.embeddings, small_parameters(loop.state, rows), kept, plain)


def _find(folder: Path, plain: dict[str, Any], group: Group) -> None:
    find_in_group(folder, plain, group, _learn)


TRAIN = GroupTask(__name__, "TRAIN", _train)
FIND = GroupTask(__name__, "FIND", _find)
