"""Where pieces on the nodes of a Ray cluster find what they share: `in-store`, or `copied`, once per piece."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import ray

from pulink.distributed.shared_file import viewed
from pulink.methods.pull_plus.pair_signals import SignalConfig
from pulink.methods.pull_plus.work import Work
from tests.support.planted import planted_graph


def place(stored: npt.NDArray[np.uint8]) -> str:
    """Of the edges of a graph that was packed, unpacked here."""
    graph = Work.unpacked(viewed(stored.data)).train
    address = _begin(graph.edges)
    for line in Path("/proc/self/maps").read_text().splitlines():
        first, last = (int(word, 16) for word in line.split()[0].split("-"))
        if first <= address < last:
            return "in-store" if "plasma" in line or "/dev/shm" in line else "copied"  # noqa: S108
    return "nowhere"


def _begin(array: npt.NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])


def main() -> None:
    ray.init("auto", log_to_driver=False, logging_level=logging.ERROR)
    graph = planted_graph(400, 2, 0.3, 0.02, seed=0)
    work = Work(graph, None, SignalConfig(4, 2, 0.01, seed=0))
    stored = ray.put(np.frombuffer(work.packed().to_bytes(), dtype=np.uint8))
    task: Any = ray.remote(place).options(scheduling_strategy="SPREAD")
    sys.stdout.write(" ".join(ray.get([task.remote(stored) for _ in range(4)])) + "\n")


if __name__ == "__main__":
    main()
