"""Seconds, bytes and memory of PULL's training in a group, told beforehand: `cost_terms` times what was fitted.

Processor seconds of a worker are a sum of amounts, each at a price that is not negative, fitted to measured runs
by relative errors. What passes by the clock besides is counted: bytes over a bandwidth, messages over a latency,
the slowest of all workers, checkpoints, and restarts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import nnls

from benchmarks.group.cost_terms import (
    Amounts,
    Work,
    epoch_amounts,
    exchange_bytes,
    gathered_bytes,
    n_barriers,
    n_gathers,
    select_amounts,
    select_bytes,
)
from pulink.distributed.group.job import EVERY
from pulink.predictor.sharded.group_memory import GroupSizes, worker_bytes

Row = dict[str, Any]

# The most of PULL.
_ITERATIONS = 10


@dataclass(frozen=True)
class Prices:
    """Processor seconds of one of each amount; crowded: how much slower where both cores of a core pair work."""

    epoch: Amounts
    select: Amounts
    crowded: float

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> Prices:
        return cls(**plain)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Network:
    """Between machines; per_process: what one process can send, whatever the network."""

    bytes_per_second: float
    latency: float
    per_process: float

    @property
    def speed(self) -> float:
        """First workers alone send, one for each machine."""
        return min(self.bytes_per_second, self.per_process)


@dataclass(frozen=True)
class Places:
    """What is known of machines besides: relative spread of their speeds, seconds between failures of one of them,
    seconds until a group stands again, and bytes per second of the storage that all of them share.
    """

    spread: float
    between_failures: float
    recovery: float
    storage: float


def work_of(row: Row) -> Work:
    """Of a measured run."""
    n_here = row["n_workers"] if row["shares_memory"] else 1
    return Work(row["n_nodes"], row["n_edges"], row["n_features"], row["n_workers"], n_here)


def fit(rows: Sequence[Row]) -> Prices:
    """By non-negative least squares of relative errors, for the slowdown of crowded cores that fits best."""
    found = [_fit_crowded(rows, 1.0 + step / 20) for step in range(21)]
    return min(found, key=lambda one: one[0])[1]


def _fit_crowded(rows: Sequence[Row], crowded: float) -> tuple[float, Prices]:
    epochs = [(epoch_amounts(work_of(row), t), row[f"epoch_{t}_processor"], row) for row in rows for t in (1, 2)]
    selects = [(select_amounts(work_of(row)), row["e_step_processor"], row) for row in rows]
    error, epoch = _fitted(epochs, crowded)
    more, select = _fitted(selects, crowded)
    return error + more, Prices(epoch, select, crowded)


def _fitted(told: list[tuple[Amounts, float, Row]], crowded: float) -> tuple[float, Amounts]:
    names = list(told[0][0])
    # A price in units of what the amount is at most, so that all columns are of one size.
    most = {name: max(max(amounts[name] for amounts, *_ in told), 1e-300) for name in names}
    matrix = [
        [amounts[name] / most[name] * _slower(row, crowded) / seconds for name in names]
        for amounts, seconds, row in told
    ]
    prices, error = nnls(np.array(matrix), np.ones(len(matrix)))
    return error**2, {name: float(price) / most[name] for name, price in zip(names, prices, strict=True)}


def _slower(row: Row, crowded: float) -> float:
    return crowded if row["n_workers"] > 1 else 1.0


def priced(amounts: Amounts, prices: Amounts) -> float:
    return sum(prices[name] * amount for name, amount in amounts.items())


def told_processor(row: Row, prices: Prices) -> dict[str, float]:
    """Processor seconds of a worker for a run, which has been measured or not."""
    work, slower = work_of(row), _slower(row, prices.crowded)
    found = {f"epoch_{t}": slower * priced(epoch_amounts(work, t), prices.epoch) for t in (1, 2)}
    return found | {"e_step": slower * priced(select_amounts(work), prices.select)}


def clock_parts(work: Work, iteration: int, prices: Prices, network: Network, places: Places) -> dict[str, float]:
    """Seconds of an epoch by the clock: what is computed, and waited for."""
    amounts = {**epoch_amounts(work, iteration), "bytes": 0.0, "messages": 0.0}
    slower = prices.crowded if work.n_per_machine > 1 else 1.0
    computed = slower * priced(amounts, prices.epoch)
    counters = slower * prices.epoch["counters"] * amounts["counters"]
    publishes = work.n_publishes(iteration)
    moved = publishes * exchange_bytes(work) / network.speed
    steps = n_gathers(work, iteration) * (work.n_workers - 1)
    steps += n_barriers(work, iteration) * math.ceil(math.log2(work.n_workers))
    steps += publishes if work.n_machines > 1 else 0
    return {
        "computing": computed - counters,
        "drawing counters": counters,
        "slowest worker": computed * slowest(work.n_workers, places.spread),
        "exchanging rows": moved,
        "messages": steps * network.latency + gathered_bytes(work, iteration) / network.speed,
    }


def slowest(n_workers: int, spread: float) -> float:
    """By how much the slowest of so many is slower than the average, of normal spread."""
    return spread * math.sqrt(2 * math.log(n_workers)) if n_workers > 1 else 0.0


def select_clock(work: Work, prices: Prices, network: Network, places: Places) -> float:
    """Seconds of an E-step by the clock."""
    slower = prices.crowded if work.n_per_machine > 1 else 1.0
    computed = slower * priced(select_amounts(work), prices.select) * (1 + slowest(work.n_workers, places.spread))
    return computed + select_bytes(work) * (1 if work.n_machines > 1 else 0) / network.speed


def checkpoint_bytes(work: Work) -> float:
    """What all workers keep: last and best embeddings; without features first weights, moments, and the best."""
    rows = 2 if work.n_features else 6
    return rows * work.n_nodes * work.row


def outer_iteration(
    work: Work, prices: Prices, network: Network, places: Places, iteration: int = 2, n_epochs: int = 200
) -> dict[str, float]:
    """Seconds of an outer iteration by the clock, with checkpoints and what restarts are expected to take."""
    parts = clock_parts(work, iteration, prices, network, places)
    epoch = sum(parts.values())
    select = select_clock(work, prices, network, places) if iteration > 1 else 0.0
    bare = n_epochs * epoch + select
    saved = checkpoint_bytes(work) / places.storage
    n_saved = bare / max(EVERY, epoch)
    taken = bare + n_saved * saved
    # A restart reads what was kept, and half of what lies between two checkpoints is lost.
    read = checkpoint_bytes(work) / places.storage
    lost = places.recovery + read + (max(EVERY, epoch) + epoch + saved) / 2
    n_failures = taken * work.n_machines / places.between_failures
    return {
        "epoch": epoch,
        **parts,
        "e_step": select,
        "checkpoints": n_saved * saved,
        "one_restart": lost,
        "restarts": n_failures * lost,
        "seconds": taken + n_failures * lost,
    }


def worker_memory(work: Work) -> float:
    """Bytes at the peak of a worker, of a whole `find`."""
    sizes = GroupSizes(
        work.n_nodes,
        work.n_edges,
        work.n_features,
        False,
        work.n_units,
        work.n_layers,
        work.n_workers,
        round(work.n_added(_ITERATIONS)),
    )
    return float(worker_bytes(sizes, work.n_per_machine))


def ratios(rows: Sequence[Row], prices: Prices) -> npt.NDArray[np.float64]:
    """What is told over what was measured: epochs of both iterations and the E-step, for each run."""
    names = ("epoch_1", "epoch_2", "e_step")
    return np.array([[told_processor(row, prices)[n] / row[f"{n}_processor"] for n in names] for row in rows])
