"""Where PULL+ spends its time: `find` on a dataset, in processor seconds by part, beside PULL."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pulink
from benchmarks.measure import finish, own_arguments
from pulink.calibration.calibrator import Calibrator
from pulink.methods.pull_plus import candidates, estimator, pair_signals, training_set
from pulink.methods.pull_plus.learned.pair_net import PairNet
from pulink.methods.pull_plus.scoring import em
from pulink.methods.pull_plus.scoring.trees import Grower, Trees
from pulink.predictor.encoder_predictor import EpochEmbedding

# What is timed, by the name that it is shown under; a part within a part counts for the inner one alone.
PARTS: list[tuple[str, Any, str]] = [
    ("features", estimator.Attributes, "of"),
    ("eigenpairs", pair_signals, "_spectra"),
    ("encoders", EpochEmbedding, "train_encoder"),
    ("pair network", PairNet, "trained_on"),
    ("candidates", training_set, "find_candidates"),
    ("candidates", candidates, "find_candidates"),
    ("candidates", estimator, "find_candidates"),
    ("signals", pair_signals.PairSignals, "signals"),
    ("trees grown", Grower, "grow"),
    ("trees read", Trees, "scores"),
    ("calibration", em, "block_curve"),
    ("calibration", Calibrator, "of"),
]


class Clock:
    """Processor seconds by part."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._inner = [0.0]

    def around(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **more: Any) -> Any:
            self._inner.append(0.0)
            started = time.process_time()
            try:
                return function(*arguments, **more)
            finally:
                taken = time.process_time() - started
                self.seconds[name] += taken - self._inner.pop()
                self._inner[-1] += taken

        return timed

    def watch(self) -> None:
        for name, home, attribute in PARTS:
            found = home.__dict__[attribute]
            watched = self.around(name, found.__func__ if isinstance(found, classmethod) else found)
            setattr(home, attribute, classmethod(watched) if isinstance(found, classmethod) else watched)


def processor_seconds(model: Any, graph: pulink.Graph) -> tuple[float, float]:
    """Of fit and list together, and by the clock on the wall."""
    started = time.process_time(), time.perf_counter()
    model.fit(graph).missing_links(100)
    return time.process_time() - started[0], time.perf_counter() - started[1]


def main() -> None:
    wanted = own_arguments()
    graph = pulink.load(wanted["dataset"])
    rival, _ = processor_seconds(pulink.PULL(threads=wanted["threads"]), graph)
    clock = Clock()
    clock.watch()
    total, wall = processor_seconds(pulink.PULLPlus(threads=wanted["threads"]), graph)
    parts = {**clock.seconds, "all else": total - sum(clock.seconds.values())}
    finish(parts=parts, total=total, wall=wall, pull=rival, times_pull=total / rival)


if __name__ == "__main__":
    main()
