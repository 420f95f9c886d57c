"""One run in a process of its own: `python -m pulink.experiments.worker`, task on stdin, result on stdout."""

from __future__ import annotations

import json
import math
import os
import sys
import threading
import time
from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.data.catalog import load, stored_loops
from pulink.engine.random import permutation, stream_key
from pulink.errors import PulinkError
from pulink.evaluation import run_once
from pulink.experiments.plan import VAL_RATIO, RunSpec
from pulink.experiments.protocol import Protocol
from pulink.experiments.protocol_run import data_of, run_by
from pulink.experiments.self_loops import with_test_loops
from pulink.graph.graph import Graph
from pulink.graph.split import split
from pulink.methods.baselines.gnn.gcn_ce import equal_budget_control
from pulink.methods.pull.estimator import PULL
from pulink.methods.pull_plus.estimator import PULLPlus
from pulink.methods.registry import method
from pulink.predictor.predictor import LinkPredictor
from pulink.system.versions import versions


def perform(spec: RunSpec, n_steps: int | None, threads: int) -> dict[str, Any]:
    """Make the run; a control takes `n_steps` gradient steps."""
    if spec.protocol:
        return _by_protocol(spec, threads)
    graph = _sampled(load(spec.dataset), spec.edge_share, spec.seed)
    data = split(graph, val=VAL_RATIO, test=spec.missing_ratio, seed=spec.seed)
    model = _model(spec, n_steps, threads)
    run = run_once(spec.method, model, data, spec.seed).to_dict()
    if spec.loops:
        run |= model.score(with_test_loops(data, _loops(spec, graph), spec.missing_ratio, spec.seed))
    run |= {"n_train_edges": data.train.n_edges, "n_nodes": graph.n_nodes, "n_features": graph.n_features}
    return {"spec": spec.to_dict(), "run": run | _journey(model), "threads": threads, "versions": versions()}


def _by_protocol(spec: RunSpec, threads: int) -> dict[str, Any]:
    protocol = Protocol(**spec.protocol)
    data = data_of(protocol, spec.dataset, spec.missing_ratio, spec.seed)
    # What share is missing is not told: nobody else's method knows it.
    model = method(spec.method).make(**({"seed": spec.seed, "threads": threads} | spec.settings))
    run = {"method": spec.method, **run_by(protocol, model, data, spec.seed)}
    train = data.train
    run |= {"n_train_edges": train.n_edges, "n_nodes": train.n_nodes, "n_features": train.n_features}
    return {"spec": spec.to_dict(), "run": run | _journey(model), "threads": threads, "versions": versions()}


def _sampled(graph: Graph, share: float, seed: int) -> Graph:
    if share == 1.0:
        return graph
    keep = np.zeros(graph.n_edges, dtype=np.bool_)
    order = permutation(stream_key(seed, "edge share"), graph.n_edges)
    keep[order[: math.floor(share * graph.n_edges + 1e-9)]] = True
    return graph.keep_edges(keep)


def _loops(spec: RunSpec, graph: Graph) -> npt.NDArray[np.int64]:
    return np.arange(graph.n_nodes) if spec.loops == "every" else stored_loops(spec.dataset)


def _model(spec: RunSpec, n_steps: int | None, threads: int) -> LinkPredictor:
    trained = spec.controls or spec
    given = {"seed": spec.seed, "threads": threads, "missing_share": spec.missing_ratio}
    model = method(trained.method).make(**(given | spec.settings))
    if spec.controls is None:
        return model
    assert isinstance(model, PULL)
    assert n_steps is not None
    return equal_budget_control(n_steps, model.n_epochs, model)


def _journey(model: LinkPredictor) -> dict[str, Any]:
    """When the kept state was reached; for PULL also its outer iterations, for PULL+ its rounds."""
    learned = model.summary()
    names: tuple[str, ...] = ("n_iter", "n_epochs", "stop_reason", "n_rounds", "recall")
    kept = {name: learned[name] for name in names if name in learned}
    if isinstance(model, PULLPlus):
        kept["rounds"] = learned["history"]
    if isinstance(model, PULL):
        kept["history"] = [record.to_dict() | {"seconds": record.seconds} for record in model.history_]
    return kept | {"val_auroc": model.best_val_auroc_}


def _end_with(runner: int) -> None:
    """A runner that was killed can end nothing any more: its runs look for it themselves."""
    while os.getppid() == runner:
        time.sleep(1.0)
    os._exit(1)


def main() -> None:
    task = json.load(sys.stdin)
    threading.Thread(target=_end_with, args=(task.get("runner", os.getppid()),), daemon=True).start()
    try:
        result = perform(RunSpec(**task["spec"]), task["n_steps"], task["threads"])
    except PulinkError as error:
        result = {"spec": task["spec"], "failed": str(error)}
    sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
