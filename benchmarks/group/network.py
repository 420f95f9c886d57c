"""What the network gives to a group: `python -m benchmarks.group.network` is a worker that measures it.

The first worker leaves network.json: bytes per second that each machine sends while all exchange their rows,
processor seconds for each of them, seconds of a small message to all, and what keeping a checkpoint takes.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pulink.distributed import task
from pulink.distributed.group.group import Group
from pulink.distributed.group.job import GroupTask
from pulink.distributed.group.shards import Shards
from pulink.distributed.worker import main
from pulink.persistence.checkpoints import Checkpoint, sealed_bytes
from pulink.system.files import write_atomically

MODULE = "benchmarks.group.network"
task.HOMES.append(MODULE)

_WIDTH, _REPEATS, _SMALL = 16, 9, 100


def _network(folder: Path, _: dict[str, Any], group: Group) -> None:
    group = Group(shares_memory=False)
    found: dict[str, Any] = {}
    for n_nodes in (1 << 16, 1 << 20):
        shards = Shards.of_degrees(np.ones(n_nodes, dtype=np.int64))
        buffers = group.rows(shards, _WIDTH)
        buffers.own[:] = 1.0
        buffers.publish()
        group.wait()
        sent = 4 * _WIDTH * n_nodes / group.size * (group.size - 1)
        clock, processor = _medians(lambda buffers=buffers: buffers.publish(), _REPEATS)  # type: ignore[misc]
        found[f"publish_{n_nodes}"] = {
            "sent": sent, "bytes_per_second": sent / clock, "processor_per_byte": processor / sent,
        }  # fmt: skip
    small = np.zeros(256, dtype=np.uint64)
    found["gather"], found["gather_processor"] = _medians(lambda: group.gathered(small), _SMALL)
    found["barrier"], _ = _medians(group.wait, _SMALL)
    counts = np.zeros(1 << 16, dtype=np.int64)
    found["histogram"], _ = _medians(lambda: group.counted(counts), _REPEATS)
    if group.rank == 0:
        kept = Checkpoint({}, {"rows": np.ones((1 << 21, _WIDTH), dtype=np.float32)})
        started = time.process_time()
        write_atomically(folder / "kept", sealed_bytes(kept))
        found["checkpoint_processor_per_byte"] = (time.process_time() - started) / kept.arrays["rows"].nbytes
        (folder / "network.json").write_text(json.dumps(found))
    group.wait()


def _medians(call: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Seconds by the clock and of the processor."""
    clocks, processors = [], []
    for _ in range(repeats):
        clock, processor = time.perf_counter(), time.process_time()
        call()
        clocks.append(time.perf_counter() - clock)
        processors.append(time.process_time() - processor)
    return statistics.median(clocks), statistics.median(processors)


NETWORK = GroupTask(MODULE, "NETWORK", _network)

if __name__ == "__main__":
    main()
