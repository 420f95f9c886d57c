"""PULL's training in a group with a clock: `python -m benchmarks.group.measured` is a worker that knows it.

Each worker leaves measured-RANK.json: seconds by the clock and of the processor for every epoch, bytes that it
sent, its peak memory, and how much of the graph it held.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from pulink.distributed import task
from pulink.distributed.group.checkpoints import GroupCheckpoints
from pulink.distributed.group.group import Group
from pulink.distributed.group.job import Event, GroupTask, Teller
from pulink.distributed.worker import main
from pulink.methods.pull.sharded.loop import ShardedLoop
from pulink.methods.pull.sharded.settings import LoopSettings
from pulink.predictor.sharded.group_fit import GroupData
from pulink.system.memory import peak_bytes, reset_peak, resident_bytes

MODULE = "benchmarks.group.measured"
task.HOMES.append(MODULE)


class _Clock(Teller):
    """Notes when epochs and iterations end, and what was sent by then."""

    def __init__(self, folder: Path, group: Group) -> None:
        super().__init__(folder, group)
        self._group = group
        self.ticks: list[dict[str, Any]] = []
        self._note("start")

    def _note(self, what: str) -> None:
        times = {"clock": time.perf_counter(), "processor": time.process_time()}
        self.ticks.append({"what": what, "sent": self._group.bytes_sent} | times)

    def tell(self, event: Event) -> None:
        for what in ("epoch", "iteration"):
            if what in event:
                self._note(f"{what} {event[what]}")

    def is_due(self) -> bool:
        return False


def _measured(folder: Path, plain: dict[str, Any], group: Group) -> None:
    group = group if plain["shares_memory"] else Group(shares_memory=False)
    # Kernels are compiled before the clock starts.
    for name in ("warm", "graph"):
        place = folder / name
        data = GroupData(place, group.rank, group.size)
        settings = LoopSettings.from_plain(plain["settings"])
        before = resident_bytes()
        reset_peak()
        clock = _Clock(place, group)
        ShardedLoop(data.rows, group, settings, None, GroupCheckpoints(None, group, data.rows), clock).run()
    rows = data.rows
    found = {
        "ticks": clock.ticks,
        "resident_before": before,
        "peak": peak_bytes(),
        "n_rows": rows.n_rows,
        "n_entries": int(rows.indices.size),
        "n_machines": group.n_machines,
    }
    (folder / f"measured-{group.rank}.json").write_text(json.dumps(found))


MEASURED = GroupTask(MODULE, "MEASURED", _measured)

if __name__ == "__main__":
    main()
