"""Processes of this machine: pieces come back in order, errors cross over, what was lost is made again."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pulink.distributed.executor import ThisProcess
from pulink.distributed.local_executor import MOST_LOST, LocalWorkers
from pulink.distributed.messages import LostWorkerError
from pulink.errors import ClusterError, InputError, UnknownNameError
from pulink.persistence.checkpoints import Checkpoint
from tests.support import trial_tasks
from tests.support.trial_tasks import DIE, FAIL, TIMES, Numbers

NUMBERS = Numbers(np.arange(4, dtype=np.float32))
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def workers() -> Iterator[LocalWorkers]:
    executor = LocalWorkers(2, trial_tasks.MODULE)
    try:
        yield executor
    finally:
        executor.close()


def is_there(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def gone(pids: list[int]) -> bool:
    """Whether these processes end soon."""
    limit = time.monotonic() + 20
    while any(map(is_there, pids)) and time.monotonic() < limit:
        time.sleep(0.05)
    return not any(map(is_there, pids))


def test_pieces_come_back_in_their_order_whoever_is_faster(workers: LocalWorkers) -> None:
    pieces = [Checkpoint({"factor": k, "seconds": 0.3 * (k == 0)}) for k in range(6)]
    found = list(workers.map(TIMES, NUMBERS, pieces))
    here = list(ThisProcess().map(TIMES, NUMBERS, pieces))
    assert [one.arrays["values"].tolist() for one in found] == [one.arrays["values"].tolist() for one in here]
    assert {one.plain["pid"] for one in found} == {worker.pid for worker in workers.workers}


def test_what_pieces_share_is_one_file_in_a_folder_of_ones_own(workers: LocalWorkers) -> None:
    before = set(workers.folder.iterdir())
    numbers = Numbers(np.arange(1000, dtype=np.int64))
    list(workers.map(TIMES, numbers, [Checkpoint({"factor": k}) for k in range(4)]))
    assert stat.S_IMODE(workers.folder.stat().st_mode) == 0o700
    assert len(set(workers.folder.iterdir()) - before) == 1
    del numbers
    limit = time.monotonic() + 5
    while not set(workers.folder.iterdir()) <= before and time.monotonic() < limit:
        time.sleep(0.01)
    assert set(workers.folder.iterdir()) <= before


@pytest.mark.parametrize(
    ("how", "kind", "message"),
    [
        ("input", InputError, "file.csv: row 3 has no target"),
        ("name", UnknownNameError, "unknown method 'pul'. Did you mean 'pull'? Known: pull"),
        ("output", OSError, "no room"),
        ("memory", MemoryError, "too much"),
        ("odd", ClusterError, "a piece of the work failed: _Odd: how odd"),
    ],
)
def test_an_error_crosses_over_with_its_class_and_message(
    workers: LocalWorkers, how: str, kind: type[Exception], message: str
) -> None:
    pids = {worker.pid for worker in workers.workers}
    with pytest.raises(kind) as caught:
        list(workers.map(FAIL, NUMBERS, [Checkpoint({"how": how})] * 3))
    assert (type(caught.value), str(caught.value)) == (kind, message)
    (made,) = workers.map(TIMES, NUMBERS, [Checkpoint({"factor": 1})])
    assert made.plain["pid"] in pids


def test_a_piece_whose_worker_died_is_made_by_another(workers: LocalWorkers, tmp_path: Path) -> None:
    piece = Checkpoint({"factor": 3, "file": str(tmp_path / "asked"), "times": 1})
    (made,) = workers.map(DIE, NUMBERS, [piece])
    first, second = map(int, (tmp_path / "asked").read_text().split())
    assert made.arrays["values"].tolist() == [0, 3, 6, 9]
    assert made.plain["pid"] == second != first
    assert not is_there(first)


def test_whoever_ends_a_piece_does_not_end_the_process_that_comes_after_it(
    workers: LocalWorkers, tmp_path: Path
) -> None:
    """As soon as anybody hears of the piece: of its loss, and of its answer."""
    for times in (1, 0):
        job = workers._asked(
            DIE, NUMBERS, Checkpoint({"factor": 1, "file": str(tmp_path / "asked"), "times": times}), 1
        )
        ended: list[int] = []

        def end_at_once(_: object, job: object = job, ended: list[int] = ended) -> None:
            for worker in workers.workers:
                worker.end_piece([job])  # type: ignore[list-item]
                ended.append(worker.pid)

        job.pending.add_done_callback(end_at_once)
        assert isinstance(job.pending.exception(), LostWorkerError if times else type(None))
        limit = time.monotonic() + 10
        while len(ended) < len(workers.workers) and time.monotonic() < limit:
            time.sleep(0.01)
        assert [worker.pid for worker in workers.workers] == ended
        assert all(map(is_there, ended))


def test_a_piece_that_ends_every_worker_is_given_up(workers: LocalWorkers, tmp_path: Path) -> None:
    piece = Checkpoint({"factor": 3, "file": str(tmp_path / "asked"), "times": 99})
    with pytest.raises(ClusterError, match=f"ended {MOST_LOST} workers: the last was ended by signal 9"):
        list(workers.map(DIE, NUMBERS, [piece]))
    assert len((tmp_path / "asked").read_text().split()) == MOST_LOST


def test_no_worker_and_no_file_is_left_behind() -> None:
    executor = LocalWorkers(1, trial_tasks.MODULE)
    (first,) = executor.workers
    pending = executor.start(TIMES, NUMBERS, Checkpoint({"factor": 1, "seconds": 60.0}))
    waiting = executor.start(TIMES, NUMBERS, Checkpoint({"factor": 1, "seconds": 60.0}))
    pid = first.pid
    executor.close()
    assert gone([pid])
    assert not executor.folder.exists()
    assert isinstance(pending.exception() if not pending.cancelled() else ClusterError(), ClusterError)
    assert waiting.cancelled()


DRIVER = """
import os, sys, time
import numpy as np
from pulink.distributed.local_executor import LocalWorkers
from pulink.persistence.checkpoints import Checkpoint
from tests.support import trial_tasks
workers = LocalWorkers(2, trial_tasks.MODULE)
shared = trial_tasks.Numbers(np.arange(3))
for _ in range(2):
    workers.start(trial_tasks.TIMES, shared, Checkpoint({"factor": 1, "seconds": 60.0}))
print(workers.folder, *(worker.pid for worker in workers.workers), flush=True)
time.sleep(60)
"""


def test_workers_end_with_a_driver_that_is_killed() -> None:
    paths = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER], stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": paths}
    )
    assert driver.stdout is not None
    folder, *pids = driver.stdout.readline().split()
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    driver.stdout.close()
    assert gone([int(pid) for pid in pids])
    assert not Path(folder).exists()
