"""One worker of a group: it joins the others, and does its part of a job.

Workers are started by an executor, by Ray Train, or by torchrun:

    torchrun --nproc-per-node 4 -m pulink.distributed.group.rank FOLDER
"""

from __future__ import annotations

import os
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from pulink.distributed.group.group import Group
from pulink.distributed.group.job import run_job
from pulink.distributed.messages import LostWorkerError
from pulink.distributed.task import Task
from pulink.errors import PulinkError
from pulink.persistence.checkpoints import Checkpoint

# How long workers wait for one that says nothing, although it has not ended.
PATIENCE = timedelta(minutes=30)


class NothingShared:
    """For pieces that have nothing in common."""

    def packed(self) -> Checkpoint:
        return Checkpoint()


class _Joined:
    """The group that this process belongs to, from job to job."""

    store = ""
    group: Group | None = None


def do_job(folder: Path, group: Group) -> None:
    """This worker's part; LostWorkerError if another worker was lost meanwhile."""
    torch.set_num_threads(1)
    try:
        run_job(folder, group)
    except PulinkError:
        raise
    except RuntimeError as error:
        # What gloo raises when a worker is gone has no class of its own.
        if group.is_alone:
            raise
        raise LostWorkerError(f"a worker of the group was lost: {str(error).splitlines()[0]}") from error


def _rank(_: Any, piece: Checkpoint) -> Checkpoint:
    """Join the group of a store, unless this process belongs to it already, and do a job."""
    told = piece.plain
    if told["store"] != _Joined.store:
        if dist.is_initialized():
            dist.destroy_process_group()
        _Joined.store, _Joined.group = "", None
        if told["size"] > 1:
            # All workers are of this machine: nobody else can reach them.
            os.environ["GLOO_SOCKET_IFNAME"] = "lo"
            store = dist.FileStore(told["store"], told["size"])  # type: ignore[attr-defined]
            dist.init_process_group(
                "gloo", store=store, rank=told["rank"], world_size=told["size"], timeout=PATIENCE
            )
        _Joined.store, _Joined.group = told["store"], Group()
    assert _Joined.group is not None
    do_job(Path(told["folder"]), _Joined.group)
    return Checkpoint()


RANK = Task(__name__, "RANK", _rank, lambda _: NothingShared())


def main() -> None:
    """Started by torchrun, which says in the environment who is who."""
    dist.init_process_group("gloo", timeout=PATIENCE)
    try:
        do_job(Path(sys.argv[1]), Group())
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
