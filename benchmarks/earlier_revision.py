"""`python -m benchmarks.earlier_revision OTHER/src DATASET ...`: PULL's epoch against that of another checkout.

Both run in processes of their own, in turn, six epochs at a time, so that what else the machine does falls on both
alike. Processor time on one thread; ratios are those of neighbours in time.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pulink
from pulink.engine.threads import use_threads
from pulink.methods.pull.estimator import PULL
from pulink.methods.pull.expected_graph import unchanged
from pulink.methods.pull.loop import Loop
from pulink.persistence.checkpoints import NO_CHECKPOINTS
from pulink.predictor.fitting.fit_run import FitRun

ROUNDS, EPOCHS = 30, 6
_ANSWERING = "--answer"
_HERE = Path(__file__).resolve().parents[1]


def answer(dataset: str) -> None:
    """For each line of standard input, "1" or "2", run epochs of that iteration and print the median seconds."""
    train = pulink.split(pulink.load(dataset), seed=0).train
    with use_threads(1):
        loop = Loop(PULL(), train, None, FitRun.choosing(lambda _: None, NO_CHECKPOINTS))
        trainer = loop._new_trainer()
        terms = {"1": loop._terms(unchanged(train), 1)}
        trainer.train(terms["1"], EPOCHS)
        terms["2"] = loop._terms(loop.expect(2, trainer.embed(loop.observed)), 2)
        for line in sys.stdin:
            taken = []
            for _ in range(EPOCHS):
                started = time.process_time()
                trainer.train(terms[line.strip()], 1)
                taken.append(time.process_time() - started)
            print(statistics.median(taken), flush=True)


class Side:
    """A process that runs epochs of one checkout when it is asked."""

    def __init__(self, source: Path, dataset: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, _ANSWERING, dataset],
            env=os.environ | {"PYTHONPATH": str(source), "OMP_NUM_THREADS": "1", "PULINK_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def epoch(self, iteration: str) -> float:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(iteration + "\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def end(self) -> None:
        self._process.communicate()


def compare(other: Path, dataset: str) -> None:
    sides = Side(other, dataset), Side(_HERE / "src", dataset)
    for iteration in ("1", "2"):
        for side in sides:
            side.epoch(iteration)
        seconds = []
        for number in range(ROUNDS):
            # Who begins changes from round to round.
            order = (0, 1) if number % 2 else (1, 0)
            found = {which: sides[which].epoch(iteration) for which in order}
            seconds.append((found[0], found[1]))
        before, after = (1000 * statistics.median(pair[which] for pair in seconds) for which in (0, 1))
        low, middle, high = statistics.quantiles([new / old for old, new in seconds], n=4)
        figures = f"{before:.2f} ms, here {after:.2f} ms; ratio {middle:.2f} ({low:.2f} to {high:.2f})"
        print(f"{dataset}, iteration {iteration}: {figures}", flush=True)
    for side in sides:
        side.end()


if __name__ == "__main__":
    if sys.argv[1] == _ANSWERING:
        answer(sys.argv[2])
    else:
        for name in sys.argv[2:]:
            compare(Path(sys.argv[1]).resolve(), name)
