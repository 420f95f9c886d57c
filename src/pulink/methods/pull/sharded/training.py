"""What each worker of a cluster does for PULL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pulink.distributed.group import Group
from pulink.distributed.group_checkpoints import GroupCheckpoints
from pulink.distributed.job import GroupTask, Teller
from pulink.methods.pull.sharded.loop import ShardedLoop
from pulink.methods.pull.sharded.settings import LoopSettings
from pulink.predictor.fitting.group_fit import GroupData


def _train(folder: Path, plain: dict[str, Any], group: Group) -> None:
    data = GroupData(folder, group.rank, group.size)
    checkpoints = GroupCheckpoints(folder, group, data.rows)
    settings = LoopSettings.from_plain(plain)
    ShardedLoop(data.rows, group, settings, data.validation, checkpoints, Teller(folder, group)).run()


TRAIN = GroupTask(__name__, "TRAIN", _train)
