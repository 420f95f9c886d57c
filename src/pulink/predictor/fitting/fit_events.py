"""What callbacks are told while a model is fitted, and by what methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pulink.errors import ParameterError
from pulink.text import shown

if TYPE_CHECKING:
    from pulink.predictor.predictor import LinkPredictor

START, EPOCH, ITERATION, ROUND, END = KINDS = ("fit_start", "epoch", "iteration", "round", "fit_end")


@dataclass(frozen=True)
class FitEvent:
    """One thing that happened in a fit.

    Attributes
    ----------
    kind : str
        "fit_start", "epoch", "iteration", "round" or "fit_end".
    model : LinkPredictor
        The one whose `fit` was called; it has learned nothing before "fit_end".
    stage : str
        "choose" while validation edges are hidden, "refit" on every edge; empty at the start and at the end.
    number, of : int
        Which epoch, iteration or round, and how many there are at most. Rounds of PULL+ count from 0.
    values : mapping of str to float
        What was measured, such as loss, val_auroc or k; what is not known is left out.
    split, n_splits : int
        Which of the splits is learned from, from 1 on, and how many there are.
    """

    kind: str
    model: LinkPredictor
    stage: str = ""
    number: int = 0
    of: int = 0
    values: Mapping[str, float] = field(default_factory=dict)
    split: int = 1
    n_splits: int = 1


class Callback:
    """Base of callbacks: override what you want to be told; the other methods do nothing.

    A class that has some of these methods and does not extend this one serves as well. What a method returns is
    ignored. An exception that it raises ends the fit, and `fit` raises it.
    """

    def on_fit_start(self, event: FitEvent) -> None:
        """Settings and graph were accepted; learning begins.

        Parameters
        ----------
        event : FitEvent
            What happened, and in which model.
        """

    def on_epoch(self, event: FitEvent) -> None:
        """A neural method took one epoch of gradient steps.

        Parameters
        ----------
        event : FitEvent
            What happened, and in which model.
        """

    def on_iteration(self, event: FitEvent) -> None:
        """PULL ended an iteration of its outer loop.

        Parameters
        ----------
        event : FitEvent
            What happened, and in which model.
        """

    def on_round(self, event: FitEvent) -> None:
        """PULL+ scored the trees of one round by the validation edges.

        Parameters
        ----------
        event : FitEvent
            What happened, and in which model.
        """

    def on_fit_end(self, event: FitEvent) -> None:
        """The model is fitted and can be asked.

        Parameters
        ----------
        event : FitEvent
            What happened, and in which model.
        """


@dataclass(frozen=True)
class Callbacks:
    """The callbacks of one fit, and the model that they are told of."""

    model: LinkPredictor | None = None
    each: tuple[Any, ...] = ()

    def tell(self, kind: str, values: Mapping[str, Any] | None = None, **where: Any) -> None:
        """Let every callback know, in the order in which they were given."""
        if self.model is None or not self.each:
            return
        known = {name: float(value) for name, value in (values or {}).items() if value is not None}
        event = FitEvent(kind, self.model, values=MappingProxyType(known), **where)
        for callback in self.each:
            if (method := getattr(callback, f"on_{kind}", None)) is not None:
                method(event)

    def __bool__(self) -> bool:
        return bool(self.each)


NO_CALLBACKS = Callbacks()


def callbacks_of(model: LinkPredictor, callbacks: Iterable[object] | None) -> Callbacks:
    """Checked: a list of objects, each with at least one of the methods."""
    if callbacks is None:
        return NO_CALLBACKS
    if isinstance(callbacks, str) or not isinstance(callbacks, Iterable):
        raise ParameterError(f"callbacks must be a list, such as [CSVLogger('log.csv')], got {shown(callbacks)}")
    each = tuple(callbacks)
    methods = [f"on_{kind}" for kind in KINDS]
    for callback in each:
        if isinstance(callback, type):
            raise ParameterError(f"callbacks holds the class {callback.__name__}: make one of it with ()")
        if not any(callable(getattr(callback, method, None)) for method in methods):
            raise ParameterError(
                f"every callback has at least one of the methods {', '.join(methods)}, got {shown(callback)}"
            )
    return Callbacks(model, each)
