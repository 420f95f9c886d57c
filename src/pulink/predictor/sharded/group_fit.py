"""One model trained by several processes of a cluster at once, each of which holds the rows of its own nodes.

What workers share is a folder: the training graph, a checkpoint of each of them, and in the end what they learned.
It is a folder of the fit's checkpoints where these are kept, so that another cluster can go on with it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from pulink.distributed.executor import executor_in_use
from pulink.distributed.group.checkpoints import DONE, read_pieces
from pulink.distributed.group.job import Event, GroupTask, Watch, write_job
from pulink.distributed.group.own_rows import OwnRows
from pulink.distributed.group.packed_rows import cut_rows, packed_rows
from pulink.distributed.shared_file import mapped
from pulink.graph.graph import Graph
from pulink.persistence.checkpoints import Checkpoint
from pulink.predictor.fitting.fit_run import FitRun, Validation
from pulink.system.files import write_atomically

T = TypeVar("T")

# The training graph, in the folder of a job.
DATA = "graph.safetensors"


def learned_together(
    task: GroupTask,
    settings: dict[str, Any],
    train: Graph,
    validation: Validation | None,
    run: FitRun,
    hear: Callable[[Event], None],
    use: Callable[[Checkpoint], T],
) -> T:
    """What `use` makes of that which workers kept as `DONE`, with the rows of all nodes.

    hear  told of every event, of none twice
    """
    with _folder(run) as folder:
        rows = all_rows(train)
        found = read_pieces(folder, DONE, rows)
        if found is not None:
            # As `FitCheckpoints.resumed`: where it is of no use, it is made again.
            with contextlib.suppress(ValueError, TypeError, LookupError):
                return use(found)
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / DATA, packed_data(train, validation).to_bytes())
        write_job(folder, task, settings)
        executor_in_use().together(folder, _Follower(folder, run, hear).look)
        (folder / DATA).unlink(missing_ok=True)
        found = read_pieces(folder, DONE, rows)
        assert found is not None, "the workers left nothing"
        return use(found)


class GroupData:
    """What a worker reads of the folder: its rows, and the pairs that were hidden."""

    def __init__(self, folder: Path, rank: int, n_workers: int) -> None:
        packed = mapped(folder / DATA)
        self.rows = cut_rows(packed, rank, n_workers)
        self.validation: Validation | None = None
        if "edges" in packed.arrays:
            self.validation = Validation(*(np.array(packed.arrays[name]) for name in ("edges", "non_edges")))


def packed_data(train: Graph, validation: Validation | None) -> Checkpoint:
    packed = packed_rows(train)
    if validation is None:
        return packed
    pairs = {"edges": validation.edges, "non_edges": validation.non_edges}
    return Checkpoint(packed.plain, packed.arrays | {k: np.asarray(v, dtype=np.int32) for k, v in pairs.items()})


@contextlib.contextmanager
def _folder(run: FitRun) -> Iterator[Path]:
    kept = run.checkpoints.folder(f"together-{run.stage}")
    if kept is not None:
        yield kept
        return
    with executor_in_use().scratch() as folder:
        yield folder


def all_rows(graph: Graph) -> OwnRows:
    """As if one worker held all nodes; entries are of no interest."""
    packed = Checkpoint(
        {"n_edges": 0, "n_columns": 0},
        {
            "bounds": np.linspace(0, graph.n_nodes, 257).astype(np.int64),
            "indptr": np.zeros(graph.n_nodes + 1, dtype=np.int64),
            "indices": np.empty(0, dtype=np.int32),
        },
    )
    return cut_rows(packed, 0, 1)


class _Follower:
    """Passes on what the workers tell, and has them keep where they stand before a stop."""

    def __init__(self, folder: Path, run: FitRun, hear: Callable[[Event], None]) -> None:
        self._watch, self._run, self._hear = Watch(folder), run, hear
        self._has_asked = False

    def look(self) -> None:
        checkpoints = self._run.checkpoints
        if checkpoints.is_stopping and not self._has_asked:
            self._has_asked = True
            self._watch.stop()
        for event in self._watch.news():
            if "kept" in event:
                # Raises KeyboardInterrupt where somebody wants to stop.
                checkpoints.save(f"{self._run.stage}-together", Checkpoint)
            else:
                self._hear(event)
