"""How much work a fit takes upon itself: one setting that stands for many.

fast    closed-form signals alone: nothing is trained but trees
normal  two encoders and a network of pairs, each trained once for several folds
high    longer and wider networks, and the mean of at least four fits

A setting of `PULLPlus` that is None is taken from here; one that is given counts, whatever the effort is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

from pulink.errors import ParameterError
from pulink.graph.graph import Graph
from pulink.methods.pull_plus.attribute_signals import n_leading
from pulink.methods.pull_plus.learned.pair_net import PairNetConfig
from pulink.methods.pull_plus.pair_signals import SignalConfig
from pulink.methods.pull_plus.scoring.trees import MOST_LEAVES
from pulink.methods.pull_plus.signals import ENCODED, FAMILIES, PAIR_NET
from pulink.predictor.parameters import check_choice, check_count, check_positive

FAST, NORMAL, HIGH = "fast", "normal", "high"

# On Citeseer 150 epochs for 50 raised precision@K from 0.119 to 0.136 (three splits).
FEW_EDGES = 10_000

T = TypeVar("T")

# The least that each count may be.
_LEAST = {"n_folds": 2, "max_folds": 1, "n_units": 1, "n_epochs": 1, "n_trees": 1, "n_leaves": 2,
          "far_per_edge": 1, "near_per_edge": 0, "max_rounds": 0}  # fmt: skip
# Those of them that may be None.
_LEFT_OPEN = {"max_folds", "n_epochs", "n_trees", "max_rounds"}


@dataclass(frozen=True)
class Effort:
    """Settings by the names that `PULLPlus` has for them, and what it has no settings for.

    pair_net      how the network of pairs is trained
    most_unseen   folds that share what is trained are at most this share of all
    left_out      families of signals that are not used
    few_edges     n_epochs of graphs of at most `FEW_EDGES` edges, None: the same
    fewest_fits   fits that are averaged at least, by other seeds, and other hidden edges where none are given
    """

    max_folds: int | None
    n_epochs: int
    n_trees: int
    tree_rate: float
    max_rounds: int
    n_splits: int | None
    pair_net: PairNetConfig
    most_unseen: float = 0.4
    left_out: tuple[str, ...] = ()
    few_edges: int | None = None
    fewest_fits: int = 1


EFFORTS: dict[str, Effort] = {
    FAST: Effort(3, 1, 100, 0.1, 0, 1, PairNetConfig(1, 1), left_out=(ENCODED, PAIR_NET)),
    NORMAL: Effort(None, 50, 200, 0.05, 1, None, PairNetConfig(64, 300, n_components=64), few_edges=150),
    HIGH: Effort(
        None,
        100,
        200,
        0.05,
        3,
        None,
        PairNetConfig(128, 900, 0.1, 1024, 0.004, 40, n_components=64),
        most_unseen=0.25,
        few_edges=150,
        fewest_fits=4,
    ),
}


class Settings(Protocol):
    """What a fit is given; None: by its effort."""

    effort: str
    n_folds: int
    max_folds: int | None
    n_units: int
    learning_rate: float
    leave_out: str
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
    n_units: int
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
            n_units=given.n_units,
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


def check(given: Settings) -> None:
    """Refuse settings that cannot be."""
    check_choice("effort", given.effort, EFFORTS)
    for name, least in _LEAST.items():
        if getattr(given, name) is not None or name not in _LEFT_OPEN:
            check_count(name, getattr(given, name), least)
    check_positive("learning_rate", given.learning_rate)
    settings = FitSettings.of(given)
    check_positive("tree_rate", settings.tree_rate)
    for name, most in (("n_leaves", MOST_LEAVES), ("tree_rate", 1)):
        if getattr(settings, name) > most:
            raise ParameterError(f"{name} must be at most {most}, got {getattr(given, name)!r}")
    if not isinstance(given.leave_out, str) or not left_out(given) <= {*FAMILIES}:
        raise ParameterError(f"leave_out may name {', '.join(FAMILIES)}; got {given.leave_out!r}")


def left_out(given: Settings) -> set[str]:
    """Families of signals that are not to be used, whatever the effort is."""
    return {name.strip() for name in given.leave_out.split(",")} - {""}


def signal_config(given: Settings, train: Graph) -> SignalConfig:
    """How the signals of a graph and of graphs without some of its edges are made."""
    effort = EFFORTS[given.effort]
    unused = left_out(given) | {*effort.left_out}
    return SignalConfig(
        given.n_units,
        _n_epochs(given, train),
        given.learning_rate,
        given.seed,
        tuple(name for name in FAMILIES if name not in unused),
        train.kind,
        train.times is not None,
        effort.pair_net.fitting(min(n_leading(max(train.n_nodes, 1)), train.n_features), train.n_edges),
        train.n_nodes,
    )


def _n_epochs(given: Settings, train: Graph) -> int:
    """Where edges are few, an epoch costs little, and embeddings need more of them."""
    few = EFFORTS[given.effort].few_edges
    if given.n_epochs is None and few is not None and train.n_edges <= FEW_EDGES:
        return few
    return FitSettings.of(given).n_epochs


def _either(given: T | None, by_effort: T) -> T:
    return by_effort if given is None else given
