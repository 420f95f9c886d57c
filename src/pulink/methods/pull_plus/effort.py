"""How much work a fit takes upon itself: one setting that stands for many.

fast    closed-form signals alone: nothing is trained but trees
normal  two encoders and a network of pairs, each trained once for several folds
high    longer and wider networks, and more trees

A setting of `PULLPlus` that is None is taken from here; one that is given counts, whatever the effort is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

from pulink.methods.pull_plus.learned.pair_net import PairNetConfig
from pulink.methods.pull_plus.signals import ENCODED, PAIR_NET

FAST, NORMAL, HIGH = "fast", "normal", "high"

T = TypeVar("T")


@dataclass(frozen=True)
class Effort:
    """Settings by the names that `PULLPlus` has for them, and what it has no settings for.

    pair_net      how the network of pairs is trained
    most_unseen   folds that share what is trained are at most this share of all
    left_out      families of signals that are not used
    """

    max_folds: int | None
    n_epochs: int
    n_trees: int
    tree_rate: float
    max_rounds: int
    n_splits: int | None
    pair_net: PairNetConfig
    most_unseen: float = 0.25
    left_out: tuple[str, ...] = ()


EFFORTS: dict[str, Effort] = {
    FAST: Effort(3, 1, 100, 0.1, 0, 1, PairNetConfig(1, 1), left_out=(ENCODED, PAIR_NET)),
    NORMAL: Effort(None, 50, 200, 0.05, 1, None, PairNetConfig(64, 300)),
    HIGH: Effort(None, 150, 200, 0.05, 3, None, PairNetConfig(256, 900, 0.2, 1024, 0.003)),
}


class Settings(Protocol):
    """What a fit is given; None: by its effort."""

    effort: str
    n_folds: int
    max_folds: int | None
    n_epochs: int | None
    n_trees: int | None
    n_leaves: int
    tree_rate: float | None
    far_per_edge: int
    near_per_edge: int
    max_rounds: int | None
    missing_share: float | None
    seed: int


@dataclass
class FitSettings:
    """The settings of one fit, nothing left open."""

    n_folds: int
    max_folds: int | None
    most_unseen: float
    n_epochs: int
    n_trees: int
    n_leaves: int
    tree_rate: float
    far_per_edge: int
    near_per_edge: int
    max_rounds: int
    missing_share: float | None
    seed: int

    @classmethod
    def of(cls, given: Settings) -> FitSettings:
        effort = EFFORTS[given.effort]
        return cls(
            n_folds=given.n_folds,
            max_folds=_either(given.max_folds, effort.max_folds),
            most_unseen=effort.most_unseen,
            n_epochs=_either(given.n_epochs, effort.n_epochs),
            n_trees=_either(given.n_trees, effort.n_trees),
            n_leaves=given.n_leaves,
            tree_rate=_either(given.tree_rate, effort.tree_rate),
            far_per_edge=given.far_per_edge,
            near_per_edge=given.near_per_edge,
            max_rounds=_either(given.max_rounds, effort.max_rounds),
            missing_share=given.missing_share,
            seed=given.seed,
        )


def _either(given: T | None, by_effort: T) -> T:
    return by_effort if given is None else given
