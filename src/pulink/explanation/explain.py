"""Why a fitted model proposes a pair: facts of its graph, and for PULL+ what its signals add."""

from __future__ import annotations

from pulink.explanation.facts import PairFacts, find_facts, with_signals
from pulink.explanation.reasons import Reason, reasons_of
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
        For each pair its reasons, the main one first: common neighbours, short paths, shared attributes.

    See Also
    --------
    pulink.reasons : the same with the nodes and numbers behind each sentence.

    Examples
    --------
    >>> import networkx, pulink
    >>> model = pulink.L3N().fit(pulink.from_networkx(networkx.karate_club_graph()))
    >>> pulink.explain(model, [("4", "16")])[0][0]
    '1 shared neighbour: "6"'
    """
    return [[reason.text for reason in of_pair] for of_pair in reasons(model, pairs)]


def reasons(model: LinkPredictor, pairs: object) -> list[list[Reason]]:
    """Give the reasons for which each of some pairs may be a link, with the nodes and numbers behind them.

    Parameters
    ----------
    model : fitted predictor
        Of any method; PULL+ also says what its signals add.
    pairs : list of pairs of names, array of node numbers (k x 2), or frame of two columns
        Pairs of the model's graph.

    Returns
    -------
    list of list of Reason
        For each pair its reasons, the main one first; each has `kind`, `text`, `nodes` and `value`.

    See Also
    --------
    pulink.explain : the sentences alone.

    Examples
    --------
    >>> import networkx, pulink
    >>> model = pulink.L3N().fit(pulink.from_networkx(networkx.karate_club_graph()))
    >>> main = pulink.reasons(model, [("4", "16")])[0][0]
    >>> main.kind, main.nodes, main.value
    ('common_neighbours', ('6',), 1)
    """
    graph = model.graph_
    return [reasons_of(found, graph, graph.feature_names) for found in facts(model, pairs)]


def facts(model: LinkPredictor, pairs: object) -> list[PairFacts]:
    """The same as nodes, paths and columns by their numbers."""
    numbers = resolve_pairs(model.graph_, pairs)
    found = find_facts(model.graph_, numbers)
    if isinstance(model, PULLPlus) and len(numbers):
        return with_signals(found, *model.contributions(numbers))
    return found
