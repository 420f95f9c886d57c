"""How often a group that loses workers starts again, and how many workers it can have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from pulink.distributed.group.job import Watch
from pulink.distributed.group.shards import N_SHARDS
from pulink.distributed.messages import LostWorkerError
from pulink.errors import ClusterError

# Groups that lost a worker one after the other, and got no further than the one before: the work ends them.
_MOST_LOST = 3


def most_ranks(n_workers: int) -> int:
    """The largest number of workers that can own as many shards each, up to this one.

    >>> from pulink.distributed.group.restarts import most_ranks
    >>> [most_ranks(n) for n in (1, 2, 3, 7, 1000)]
    [1, 2, 2, 4, 256]
    """
    return min(1 << (n_workers.bit_length() - 1), N_SHARDS)


def until_done(attempt: Callable[[], Sequence[Exception]], folder: Path) -> None:
    """Call `attempt`, which returns what failed, until nothing does; an error of the work itself is raised.

    folder  of the job: what was kept there tells whether a group got further
    """
    watch, n_lost = Watch(folder), 0
    while failed := attempt():
        for error in failed:
            if not isinstance(error, LostWorkerError):
                raise error
        n_lost = 1 if any("kept" in event for event in watch.news()) else n_lost + 1
        if n_lost == _MOST_LOST:
            raise ClusterError(f"{n_lost} groups of workers were lost one after the other: {failed[0]}")
