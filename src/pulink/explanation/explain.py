"""Why a fitted model proposes a pair: facts of its graph, and for PULL+ what its signals add."""

from __future__ import annotations

from pulink.explanation.reasons import Reasons, find_reasons, in_words, with_signals
from pulink.graph.pairs import resolve_pairs
from pulink.methods.pull_plus.estimator import PULLPlus
from pulink.predictor.predictor import LinkPredictor


def explain(model: LinkPredictor, pairs: object) -> list[list[str]]:
    """Say in words why each of some pairs may be a link.

    Parameters
    ----------
    model : fitted predictor
        Of any method; PULL+ also says what its signals add.
    pairs : list of pairs of names, array of node numbers (k x 2), or frame of two columns
        Pairs of the model's graph.

    Returns
    -------
    list of list of str
        For each pair its reasons: common neighbours, short paths, shared attributes.

    Examples
    --------
    >>> import networkx, pulink
    >>> model = pulink.L3N().fit(pulink.from_networkx(networkx.karate_club_graph()))
    >>> pulink.explain(model, [("4", "16")])[0][0]
    '1 common neighbour: "6" (4 links)'
    """
    graph = model.graph_
    return [in_words(reasons, graph, graph.feature_names) for reasons in facts(model, pairs)]


def facts(model: LinkPredictor, pairs: object) -> list[Reasons]:
    """The same as nodes, paths and columns by their numbers."""
    numbers = resolve_pairs(model.graph_, pairs)
    found = find_reasons(model.graph_, numbers)
    if isinstance(model, PULLPlus) and len(numbers):
        return with_signals(found, *model.contributions(numbers))
    return found
