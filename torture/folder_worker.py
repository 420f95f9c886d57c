"""A process that loads model folders, one per line, and uses what it got: a crash ends only this one.

{"folder": PATH, "scores": PATH or null}  ->  {"fate": "refused" | "equal" | "loaded" | "violation", "told": ...}

"equal": the model gives the scores that were saved. Without any to compare with, everything is asked of a model
that loads, and each answer must be one or a PulinkError. A warning is a violation, too.
"""

from __future__ import annotations

import traceback
import warnings
from typing import Any

import numpy as np

import pulink
from pulink.errors import PulinkError
from torture.asked_process import answer_all

_LONGEST = 1_000


def main() -> None:
    answer_all(lambda asked: outcome(asked["folder"], asked["scores"]))


def outcome(folder: str, scores: str | None) -> tuple[str, str]:
    """What becomes of a folder."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        fate, message = _outcome(folder, scores)
    if fate == "violation" or not heard:
        return fate, message
    words = [
        f"{warning.category.__name__} in {warning.filename}, line {warning.lineno}: {warning.message}"
        for warning in heard
    ]
    return "violation", f"{len(words)} warnings ({fate}), the first: {words[0]}"


def _outcome(folder: str, scores: str | None) -> tuple[str, str]:
    try:
        model = pulink.load_model(folder)
    except PulinkError as error:
        return _refusal(str(error), folder)
    except BaseException:
        return "violation", traceback.format_exc(limit=-4)
    try:
        if scores is None:
            return _used(model)
        same = np.array_equal(
            model.decision_function(all_pairs(model.graph_)), np.load(scores, allow_pickle=False)
        )
    except BaseException:
        return "violation", "after loading: " + traceback.format_exc(limit=-4)
    return ("equal", "") if same else ("violation", "loaded, and gives other scores")


def all_pairs(graph: pulink.Graph) -> Any:
    return np.stack(np.triu_indices(min(graph.n_nodes, 200), k=1), axis=1)


def _refusal(message: str, folder: str) -> tuple[str, str]:
    if len(message.splitlines()) != 1 or len(message) > _LONGEST or not message.isprintable():
        return "violation", f"a message of {len(message)} characters: {message[:300]!r}"
    return ("refused", message) if folder in message else ("violation", f"a message without the folder: {message}")


def _used(model: Any) -> tuple[str, str]:
    """Everything that a person may ask of a loaded model."""
    graph = model.graph_
    questions = (
        lambda: model.decision_function(all_pairs(graph)),
        lambda: model.predict_proba(all_pairs(graph)),
        lambda: model.missing_links(20),
        lambda: model.missing_links(fdr=0.5),
        lambda: model.suggest(graph.names[0]),
        lambda: model.links_per_node(2),
        lambda: (model.summary(), model.estimate_missing(), model.reliability(), model.best_val_auroc_),
        lambda: (repr(model), model._repr_html_(), model.training_summary_),
        lambda: model.assuming(0.2),
    )
    n_refused = 0
    for question in questions:
        try:
            question()
        except PulinkError:
            n_refused += 1
    return "loaded", f"{n_refused} questions refused"


if __name__ == "__main__":
    main()
