"""Several fits of PULL+ as one, and their arrays side by side in a model folder.

    score of a pair = mean over the members of g_k(s_k) + shift

s_k    its score by the trees of member k, on the signals of member k
g_k    log-odds of the probability that the rank of such a score has (`pulink.calibration.rank_curve`)
shift  so that all probabilities add up to the number of missing links

Members learned from other splits, other deals of folds and with other seeds: what one of them has by chance, the
mean has less of. A pair on whose rank they disagree is promised less than the best ranks are worth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pulink.calibration.curve import Calibration, ScoreCurve
from pulink.calibration.rank_curve import LARGEST, RankCurve, level_shift
from pulink.predictor.new_nodes import NewNodes, with_fitted_nodes

if TYPE_CHECKING:
    from pulink.methods.pull_plus.estimator import PULLPlus

F64 = npt.NDArray[np.float64]
Arrays = dict[str, npt.NDArray[Any]]

_CURVE = "average."


def averaged(fits: Sequence[PULLPlus], ranks: RankCurve, n_missing: float) -> PULLPlus:
    """The first fit, with the others as its members."""
    n_hidden = 0
    members = []
    for fit in fits:
        member = copy(fit)
        curve = Calibration.of(ranks, fit._ranked_scores(n_hidden))
        member._average, member._found = ScoreCurve(curve.scores, curve.log_odds), None
        members.append(member)
    every = _joined(members)._ranked_scores(n_hidden)
    shift = level_shift(every.scores, LARGEST * np.diff(every.counts, prepend=0.0), n_missing)
    for member in members:
        assert member._average is not None
        member._average = ScoreCurve(member._average.scores, member._average.log_odds + shift)
    return _joined(members)


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


def stored_curve(curve: ScoreCurve | None) -> Arrays:
    """The arrays of g; none for a fit that is not averaged."""
    return {} if curve is None else {f"{_CURVE}scores": curve.scores, f"{_CURVE}log_odds": curve.log_odds}


def restored_curve(arrays: Arrays) -> ScoreCurve | None:
    """What `stored_curve` gave."""
    if f"{_CURVE}scores" not in arrays:
        return None
    return ScoreCurve(arrays[f"{_CURVE}scores"], arrays[f"{_CURVE}log_odds"])


def stored_members(arrays: Sequence[Arrays]) -> Arrays:
    """The arrays of every member, by names of their own."""
    return {
        f"{_prefix(number)}{name}": array for number, some in enumerate(arrays) for name, array in some.items()
    }


def restored_members(learned: Any, arrays: Arrays) -> Iterator[tuple[dict[str, Any], Arrays]]:
    """What was learned by each member, and its arrays."""
    if not isinstance(learned, list):
        raise TypeError("its members are no list")
    for number, plain in enumerate(learned):
        prefix = _prefix(number)
        yield (
            plain,
            {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)},
        )


def _prefix(number: int) -> str:
    return f"member-{number}."
