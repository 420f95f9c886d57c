"""How much memory a run may need, told before any is made."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from pulink.data.catalog import load
from pulink.errors import PulinkError
from pulink.experiments.plan import RunSpec
from pulink.methods.registry import method
from pulink.predictor.costs import cost_of


def most_needed(specs: Iterable[RunSpec]) -> tuple[int, RunSpec | None]:
    """The bytes of the dearest of these runs, and which that is; None where nothing is known of any.

    Runs of one method on one dataset need about as much, whatever the seed. A graph or a method that is not there
    fails when it is run.
    """
    kinds = {(spec.dataset, spec.name): spec for spec in specs if spec.controls is None}
    dearest: tuple[int, RunSpec | None] = 0, None
    for dataset in dict.fromkeys(dataset for dataset, _ in kinds):
        with contextlib.suppress(PulinkError):
            graph = load(dataset)
            for spec in (spec for (name, _), spec in kinds.items() if name == dataset):
                model = method(spec.method).make(**({"seed": spec.seed} | spec.settings))
                cost = cost_of(model, graph)
                if cost is not None and cost.n_bytes > dearest[0]:
                    dearest = cost.n_bytes, spec
    return dearest
