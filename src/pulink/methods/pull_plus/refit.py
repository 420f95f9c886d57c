"""Learning once more from every edge, after hidden edges have chosen a round.

What signals need is made anew, but for what was trained without some folds, which serves every graph on the same
nodes. Where pairs have two unlike ends, trees are grown again too, with the labels of
the first round: hidden edges are found better so than by trees of any round that saw fewer edges. Undirected
graphs keep the trees of the chosen round, which is faster.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from pulink.engine.pace import portion
from pulink.graph.graph import Graph
from pulink.graph.spaces.kinds import UNDIRECTED
from pulink.methods.pull_plus import training_set
from pulink.methods.pull_plus.attribute_signals import Attributes
from pulink.methods.pull_plus.candidates import prepare
from pulink.methods.pull_plus.learned.parts import LearnedParts
from pulink.methods.pull_plus.pair_signals import SignalConfig
from pulink.methods.pull_plus.scoring import scorer
from pulink.methods.pull_plus.scoring.scorer import Scorer
from pulink.methods.pull_plus.training_set import gather
from pulink.predictor.fitting.fit_run import FitRun, Learned

# About which share of the time is over once folds were looked at, and once the whole graph was.
_GATHERED, _LOOKED = 0.7, 0.9


class Settings(training_set.Settings, scorer.Settings, Protocol):
    """Of folds, and of trees."""


def learn_again(
    train: Graph, features: Attributes | None, config: SignalConfig, settings: Settings, run: FitRun
) -> Learned:
    """What signals need, of every edge, and the trees where they are grown again."""
    assert run.chosen is not None
    grows = train.kind != UNDIRECTED
    attributes, n_trained = {}, 0
    learned = LearnedParts.from_state(run.chosen.state)
    with run.steps():
        if grows:
            with portion(0.0, _GATHERED):
                taught = gather(train, features, config, settings, run.checkpoints.under("refit-"))
            learned, n_trained = taught.learned or learned, taught.n_trained
        with portion(_GATHERED if grows else 0.0, _LOOKED if grows else 1.0):
            ready = prepare(train, features, config, learned, None, run)
        if grows:
            with portion(_LOOKED, 1.0):
                terms = run.chosen.attributes["_scorer"].terms
                attributes = {"_scorer": replace(Scorer.fit(taught, settings), terms=terms), "n_rounds_": 0}
    n_steps = n_trained * config.n_steps(features)
    return Learned(run.chosen.budget, ready.state, n_steps, ready.attributes() | attributes, ready.cache())
