"""Several fits of PULL+ as one, and their arrays side by side in a model folder.

    score of a pair = mean over the members of g_k(s_k) + shift

s_k    its score by the trees of member k, on the signals of member k
g_k    log-odds of the probability that the rank of such a score has (`pulink.calibration.rank_curve`)
shift  so that all probabilities add up to the number of missing links

Members learned from other splits, other deals of folds and with other seeds: what one of them has by chance, the
mean has less of. A pair on whose rank they disagree is promised less than the best ranks are worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pulink.calibration.curve import Calibration, Knots, ScoreCurve
from pulink.calibration.rank_curve import LARGEST, RankCurve, level_shift
from pulink.graph.graph import Graph
from pulink.methods.pull_plus.candidates import Candidates
from pulink.methods.pull_plus.pair_signals import PairSignals, check_encoders, stored_names
from pulink.methods.pull_plus.scoring.scorer import Scorer
from pulink.methods.pull_plus.scoring.validation_set import Round
from pulink.methods.pull_plus.signals import SOURCE_COUNT
from pulink.persistence.checks import finite
from pulink.persistence.model_folder import Stored
from pulink.predictor.new_nodes import NewNodes, fitted_nodes, with_fitted_nodes

if TYPE_CHECKING:
    from pulink.methods.pull_plus.estimator import PULLPlus

F64 = npt.NDArray[np.float64]
Arrays = dict[str, npt.NDArray[Any]]

_TREES, _STATE, _CURVE = "trees.", "state.", "average."


def averaged(fits: Sequence[PULLPlus], ranks: RankCurve, n_missing: float) -> PULLPlus:
    """The first fit, with the others as its members."""
    n_hidden = 0
    members = []
    for fit in fits:
        member = copy(fit)
        curve = Calibration.of(ranks, Knots.of(fit._ranked_scores(n_hidden), ranks.n_others))
        member._average, member._found = ScoreCurve(curve.scores, curve.log_odds), None
        members.append(member)
    joined = _joined(members)
    every = joined._ranked_scores(n_hidden)
    shift = level_shift(every.scores, LARGEST * np.diff(every.counts, prepend=0.0), n_missing)
    for member in members:
        assert member._average is not None
        member._average = ScoreCurve(member._average.scores, member._average.log_odds + shift)
    final = _joined(members)
    # All pairs rise by the same: their order is known already.
    final._found = joined._found
    return final


def mean_of(values: Sequence[F64]) -> F64:
    """The mean of arrays of one shape, summed one after the other: NumPy's order hangs on the shape."""
    total = values[0].copy()
    for other in values[1:]:
        total += other
    return np.asarray(total / len(values))


def _joined(members: Sequence[PULLPlus]) -> PULLPlus:
    first = copy(members[0])
    first._members, first._found = tuple(members[1:]), None
    first.n_steps_ = sum(member.n_steps_ for member in members)
    return first


def grown_members(members: Sequence[PULLPlus], new_nodes: NewNodes) -> tuple[PULLPlus, ...]:
    """The same fits with nodes that came later."""
    found = []
    for member in members:
        grown = copy(member)
        grown._grow(new_nodes)
        grown.state_, grown.graph_ = with_fitted_nodes(grown.state_, new_nodes.n_fitted), new_nodes.graph
        found.append(grown)
    return tuple(found)


def learned_together(fit: PULLPlus) -> tuple[dict[str, Any], Arrays]:
    """What a fit and its members learned: plain values, and arrays by names of their own."""
    learned, arrays = _learned(fit)
    if fit._members:
        learned["members"] = []
    for number, member in enumerate(fit._members):
        plain, own = _learned(member)
        learned["members"].append(plain)
        every = own | {f"{_STATE}{name}": array for name, array in member.state_.items()}
        arrays |= {f"{_prefix(number)}{name}": array for name, array in every.items()}
    return learned, arrays


def _learned(fit: PULLPlus) -> tuple[dict[str, Any], Arrays]:
    learned = {
        "n_rounds": fit.n_rounds_,
        "history": [record.to_dict() for record in fit.history_],
        "recall": fit.recall_,
        "weight_unit": fit.weight_unit_,
        "sources": list(fit._candidates.names),
        "signals": list(fit.signals_),
    }
    arrays = {f"{_TREES}{name}": array for name, array in fit._scorer.state().items()}
    if fit._average is not None:
        arrays |= {f"{_CURVE}scores": fit._average.scores, f"{_CURVE}log_odds": fit._average.log_odds}
    return learned, arrays


def restore_together(fit: PULLPlus, stored: Stored) -> None:
    """Take back what `learned_together` gave; KeyError, TypeError and ValueError mean that it does not fit."""
    _restore(fit, stored.learned, stored.tensors, stored.graph)
    members = []
    for number, learned in enumerate(_listed(stored.learned.get("members", []))):
        arrays = _under(stored.tensors, _prefix(number))
        member = copy(fit)
        member.state_, member.graph_, member._members = _under(arrays, _STATE), stored.graph, ()
        _restore(member, learned, arrays, stored.graph)
        if member.signals_ != fit.signals_ or member._average is None or fit._average is None:
            raise ValueError("its members cannot be averaged")
        members.append(member)
    fit._members = tuple(members)


def _restore(fit: PULLPlus, learned: dict[str, Any], arrays: Arrays, graph: Graph) -> None:
    fit.n_rounds_ = int(learned["n_rounds"])
    fit.history_ = [Round(**record) for record in learned["history"]]
    fit.recall_ = {str(name): float(share) for name, share in learned["recall"].items()}
    # Models that were made before weights had a unit know none.
    fit.weight_unit_ = _positive(learned.get("weight_unit", 1.0))
    fit._pair_signals = PairSignals.from_state(fit._seen(graph), fit.state_, stored_names(learned))
    fit.signals_ = *fit._pair_signals.names, SOURCE_COUNT
    check_encoders(fit._pair_signals, fitted_nodes(fit.state_, graph))
    fit._scorer = Scorer.from_state(_under(arrays, _TREES), len(fit.signals_))
    curve = _under(arrays, _CURVE)
    fit._average = ScoreCurve(curve["scores"], curve["log_odds"]) if curve else None
    fit._candidates = Candidates.from_state(fit.state_, learned["sources"], graph.pair_space)
    if not 0 <= fit.n_rounds_ < len(fit.history_):
        raise ValueError("its history does not hold its round")


def _listed(members: Any) -> list[dict[str, Any]]:
    if not isinstance(members, list) or not all(isinstance(member, dict) for member in members):
        raise TypeError("its members are no list")
    return members


def _under(arrays: Arrays, prefix: str) -> Arrays:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _prefix(number: int) -> str:
    return f"member-{number}."


def _positive(value: object) -> float:
    if finite(value) <= 0:
        raise ValueError("its weights have no unit")
    return finite(value)
