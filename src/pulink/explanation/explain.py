"""Why a fitted model proposes a pair: facts of its graph, and for PULL+ what its signals add."""

from __future__ import annotations

from pulink.explanation.reasons import Reasons, find_reasons, in_words, with_signals
from pulink.graph.pairs import resolve_pairs
from pulink.methods.pull_plus.estimator import PULLPlus
from pulink.predictor.predictor import LinkPredictor


def explain(model: LinkPredictor, pairs: object) -> list[list[str]]:
    """For each pair (names, or k x 2 node numbers) of a fitted model's graph, why it may be a link, in words."""
    graph = model.graph_
    return [in_words(own, graph, graph.feature_names) for own in facts(model, pairs)]


def facts(model: LinkPredictor, pairs: object) -> list[Reasons]:
    """The same as nodes, paths and columns by their numbers."""
    numbers = resolve_pairs(model.graph_, pairs)
    found = find_reasons(model.graph_, numbers)
    if isinstance(model, PULLPlus) and len(numbers):
        return with_signals(found, *model.contributions(numbers))
    return found
