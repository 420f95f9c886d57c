"""A fit of a whole graph: edges are hidden in one split or in several, and all of them calibrate the answer.

Which edges are hidden is chance. Where edges are many, one split tells enough. Where they are few, probabilities,
and the order of pairs by a method that learns, would hang on that chance: so other edges are hidden in turn, no
edge twice. Each split is learned from by a model with a seed of its own, and its hidden edges are ranked among all
unconnected pairs. What all splits tell is put together by ranks. Methods with `averages_splits` keep the models of
all splits: each turns the ranks of its own scores into log-odds, and the mean of these is the score.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, TypeVar

from pulink.calibration.reliability import Scored
from pulink.engine.random import stream_key
from pulink.graph.graph import Graph
from pulink.graph.split import split_part
from pulink.predictor.costs import seconds_of_one_split
from pulink.predictor.fitting.fit_input import hidden_pairs
from pulink.predictor.fitting.fit_run import FitRun, Learned, Validation

if TYPE_CHECKING:
    from pulink.predictor.predictor import LinkPredictor

Model = TypeVar("Model", bound="LinkPredictor")

# Hidden edges that tell probabilities well enough, what one split of a small graph costs at most, and where all
# splits are kept and averaged: by our prices, not by a clock, so that the same graph is always treated alike.
_ENOUGH_HIDDEN, _SMALL, _SMALL_KEPT = 2_000, 20.0, 6.0
_MOST = 10
_SEEDS = 2**31


def fit_by_splits(model: Model, graph: Graph, run: FitRun) -> Model:
    """A copy of the model that has learned from every edge, calibrated by those that were hidden."""
    n_splits = n_splits_for(model, graph)
    fits: list[Model] = []
    hidden: list[Scored] = []
    for part in range(n_splits):
        held = split_part(graph, model.val_ratio, part, model.seed)
        validation = hidden_pairs(held)
        is_refitted = validation is not None and model.refit and (part == 0 or model.averages_splits)
        one, this_run = _of_split(model, part), run.of_split(part + 1, n_splits, graph if is_refitted else None)
        learned = one._chosen(held.train, validation, this_run)
        if validation is None:
            return one._holding(learned, graph)
        with this_run.calibrating():
            hidden.append(one._holding(learned, held.train)._hidden_among(validation, learned.asked))
        if part == 0 or model.averages_splits:
            fits.append(one._holding(_refitted(one, learned, graph, this_run), graph))
    calibrator = model._calibrator_of(hidden, graph.n_recorded)
    with run.of_split(n_splits, n_splits).calibrating():
        if len(fits) == 1:
            ranked = fits[0]._ranked_scores(int(hidden[0][1].sum())) if model.refit else None
            fits[0]._calibrator = calibrator.after_showing(ranked)
            return fits[0]
        fitted = fits[0]._averaged_with(fits[1:], calibrator.rank_curve(), calibrator.missing.best)
        fitted._calibrator = calibrator.after_averaging()
    return fitted


def fit_repeatedly(model: Model, train: Graph, validation: Validation, n_fits: int, run: FitRun) -> Model:
    """The mean of fits with other seeds, where what is hidden is given: for methods that average."""
    fits: list[Model] = []
    for part in range(n_fits):
        one = _of_split(model, part)
        learned = one._chosen(train, validation, run.of_split(part + 1, n_fits))
        fits.append(one._holding(learned, train))
        if part == 0:
            calibrator = fits[0]._calibrator_by(validation, learned.asked)
    fitted = fits[0]._averaged_with(fits[1:], calibrator.rank_curve(), calibrator.missing.best)
    fitted._held, fitted._calibrator = validation, None
    return fitted


def n_splits_for(model: LinkPredictor, graph: Graph) -> int:
    """In how many splits edges are hidden: until enough were, where a split is cheap; else once."""
    n_hidden = int(model.val_ratio * graph.n_recorded + 1e-9)
    # A model that is not trained again answers by the first split alone.
    if not n_hidden or not model.refit:
        return 1
    most = min(_MOST, graph.n_recorded // n_hidden)
    if (wanted := model._n_splits()) is not None:
        return min(wanted, most)
    is_small = seconds_of_one_split(model._as_usual(), graph) <= (_SMALL_KEPT if model.averages_splits else _SMALL)
    useful = -(-_ENOUGH_HIDDEN // n_hidden) if is_small else 1
    return min(most, max(useful, model._fewest_fits()))


def _of_split(model: Model, part: int) -> Model:
    """The model, not fitted; for every split but the first with another seed."""
    one = copy(model)
    if part:
        one.seed = int(stream_key(model.seed, "split", part)) % _SEEDS
    return one


def _refitted(model: LinkPredictor, learned: Learned, graph: Graph, run: FitRun) -> Learned:
    """The same, trained once more on every edge, if that is wanted."""
    if not model.refit:
        return learned
    model._log("training on every edge")
    learned = learned.without_cache()
    return learned.refitted(model._learn_from(graph, None, run.again(learned)))
