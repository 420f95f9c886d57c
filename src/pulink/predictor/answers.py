"""What a fitted model answers: scores, probabilities, lists of links, how many are missing."""

from __future__ import annotations

import copy
from abc import abstractmethod
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import expit

from pulink.calibration.calibrator import Calibrator
from pulink.calibration.missing_links import MissingLinks
from pulink.calibration.reliability import Reliability
from pulink.calibration.review.review import Review
from pulink.engine.threads import use_threads
from pulink.errors import NotFittedError, ParameterError
from pulink.graph.graph import Graph
from pulink.graph.pairs import resolve_node, resolve_pairs
from pulink.graph.repr_html import card
from pulink.predictor.fitting.structure_view import StructureView
from pulink.predictor.link_lists import as_came, best_of_each, by_answers, check_least, frame, length_of, ordered
from pulink.predictor.parameters import check_count, check_share
from pulink.predictor.scikit_learn.estimator import ScikitLearnEstimator
from pulink.predictor.search_scope import SearchScope
from pulink.system.memory import require_memory

# Up to so many nodes the best pairs are searched among all pairs.
EXACT_NODES = 200_000


class FittedModel(ScikitLearnEstimator, StructureView):
    """Everything that can be asked once `graph_` is there; how scores come about is left to subclasses."""

    missing_share: float | None
    threads: int | None
    graph_: Graph
    _calibrator: Calibrator | None

    @abstractmethod
    def _ready_calibrator(self) -> Calibrator | None:
        """None where no edges could be held out."""

    @property
    @abstractmethod
    def best_val_auroc_(self) -> float | None:
        """Validation AUROC of the kept state; None without validation edges."""

    def _probabilities(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """What the method itself believes, where nothing could be held out to calibrate by."""
        return np.asarray(expit(scores), dtype=np.float64)

    def _check_fitted(self) -> None:
        if not hasattr(self, "graph_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit first")

    def decision_function(self, pairs: object) -> npt.NDArray[np.float64]:
        """Score pairs: any real number, larger for likelier links.

        Parameters
        ----------
        pairs : list of pairs of names, array of node numbers (k x 2), or frame of two columns
            In either order of their ends.

        Returns
        -------
        array of float64, k
        """
        self._check_fitted()
        return self._scored(resolve_pairs(self.graph_, pairs))

    def _scored(self, pairs: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
        """Scores of node numbers, on the threads that `fit` took: others may round differently."""
        with use_threads(self.threads):
            return self._scores_of(pairs)

    def predict_proba(self, pairs: object) -> npt.NDArray[np.float64]:
        """Give the calibrated probability that each pair is a link; it rises with the score.

        It is calibrated by the validation edges, at the share of links among all unconnected pairs. Without
        validation edges it is what the method itself believes.

        Parameters
        ----------
        pairs : list of pairs of names, array of node numbers (k x 2), or frame of two columns
            In either order of their ends.

        Returns
        -------
        array of float64, k
            0 for pairs that are known to be no links, or that are none because of the types of their ends.

        Examples
        --------
        >>> import networkx, pulink
        >>> model = pulink.L3N().fit(pulink.from_networkx(networkx.karate_club_graph()))
        >>> near, far = model.predict_proba([("4", "16"), ("11", "14")])
        >>> bool(0 <= far < near <= 1)
        True
        """
        self._check_fitted()
        numbers = resolve_pairs(self.graph_, pairs)
        never = self.graph_.is_absent(numbers)
        if self.graph_.space is not None:
            never |= ~self.graph_.space.allowed(numbers)
        return np.where(never, 0.0, self._calibrated(self._scored(numbers)))

    def best_pairs(self, top: int, *, exact_nodes: int = EXACT_NODES) -> tuple[npt.NDArray[np.int32], SearchScope]:
        """Find the likeliest unconnected pairs, best first.

        Pairs of equal scores come in an order that does not depend on the numbers of their nodes: that of a hash
        of the pair.

        Parameters
        ----------
        top : int
            How many.
        exact_nodes : int
            Up to so many nodes all unconnected pairs are searched (by slow methods up to fewer). Beyond, pairs
            with a node of large degree or norm and pairs two steps apart, or what `searched` says.

        Returns
        -------
        pairs : array of node numbers, k x 2
        searched : SearchScope
            Which pairs were searched; as text, a sentence.
        """
        self._check_fitted()
        check_count("top", top, 0)
        check_count("exact_nodes", exact_nodes, 0)
        graph = self.graph_
        count = min(top, graph.n_pairs - graph.n_edges - graph.n_absent)
        require_memory(100 * count, f"a list of {count:,} links", "ask for fewer")
        with use_threads(self.threads):
            found, searched = self._search(count + graph.n_absent, exact_nodes)
        return found[~graph.is_absent(found)][:count], searched

    def missing_links(
        self,
        top: int | None = None,
        *,
        min_probability: float = 0.0,
        fdr: float | None = None,
        exact_nodes: int = EXACT_NODES,
    ) -> Any:
        """List the likeliest missing links, best first.

        Parameters
        ----------
        top : int, optional
            How many; None: 100, and with `fdr` as many as it allows.
        min_probability : float
            Links that are less probable are left out.
        fdr : float, optional
            The longest list of which at most this share is expected to be false (false discovery rate).
        exact_nodes : int
            See `best_pairs`.

        Returns
        -------
        polars frame: rank, source, target, probability, score, probability_low, probability_high
            A pandas frame if the graph came from one; `set_output` chooses otherwise.

        Examples
        --------
        >>> import networkx, pulink
        >>> model = pulink.L3N().fit(pulink.from_networkx(networkx.karate_club_graph()))
        >>> model.missing_links(3).select("source", "target").rows()
        [('4', '16'), ('10', '16'), ('6', '10')]
        """
        found, _ = self.search_links(top, min_probability=min_probability, fdr=fdr, exact_nodes=exact_nodes)
        return as_came(found, self._listed(self.graph_))

    def search_links(
        self,
        top: int | None = None,
        *,
        min_probability: float = 0.0,
        fdr: float | None = None,
        exact_nodes: int = EXACT_NODES,
    ) -> tuple[pl.DataFrame, SearchScope]:
        """List the likeliest missing links, and say which pairs were searched.

        Parameters
        ----------
        top, min_probability, fdr, exact_nodes : as in `missing_links`

        Returns
        -------
        links : polars frame: rank, source, target, probability, score, probability_low, probability_high
        searched : SearchScope
            Which pairs were searched; as text, a sentence.
        """
        check_least(min_probability)
        self._check_fitted()
        found, searched = self.best_pairs(length_of(self, top, fdr), exact_nodes=exact_nodes)
        pairs, scores = ordered(self.graph_.pair_space, found, self._scored(found))
        if fdr is not None and (calibrator := self._ready_calibrator()) is not None:
            n_kept = min(calibrator.fdr_curve.longest(fdr), len(scores) if top is None else top)
            pairs, scores = pairs[:n_kept], scores[:n_kept]
        return frame(self, pairs, scores, min_probability), searched

    def suggest(self, node: object, top: int = 10, *, min_probability: float = 0.0) -> Any:
        """List the likeliest missing links of one node, best first.

        Parameters
        ----------
        node : str or int
            A name or a node number.
        top : int
            How many.
        min_probability : float
            Links that are less probable are left out.

        Returns
        -------
        polars frame: rank, source, target, probability, score, probability_low, probability_high
            The source is the node. A pandas frame if the graph came from one; `set_output` chooses otherwise.

        Examples
        --------
        >>> import networkx, pulink
        >>> model = pulink.L3N().fit(pulink.from_networkx(networkx.karate_club_graph()))
        >>> model.suggest("11", 2)["target"].to_list()
        ['1', '3']
        """
        self._check_fitted()
        check_count("top", top, 0)
        check_least(min_probability)
        pairs = self.graph_.open_pairs(resolve_node(self.graph_, node))
        scores = self._scored(pairs)
        order = np.argsort(-scores, kind="stable")[:top]
        return as_came(frame(self, pairs[order], scores[order], min_probability), self._listed(self.graph_))

    def links_per_node(self, count: int = 5, *, min_probability: float = 0.0) -> tuple[pl.DataFrame, SearchScope]:
        """List the likeliest missing links of every node, and say which pairs were searched.

        Parameters
        ----------
        count : int
            How many for each node; fewer where not all pairs can be searched.
        min_probability : float
            Links that are less probable are left out.

        Returns
        -------
        links : polars frame: rank, source, target, probability, score, probability_low, probability_high
            The source of a row is the node, so a pair may have two rows. Nodes come in their order.
        searched : SearchScope
            Which pairs were searched; as text, a sentence.
        """
        self._check_fitted()
        check_count("count", count, 1)
        check_least(min_probability)
        pairs, scores, searched = best_of_each(self, count)
        return frame(self, pairs, scores, min_probability, by_node=True), searched

    def _calibrated(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        calibrator = self._ready_calibrator()
        return self._probabilities(scores) if calibrator is None else calibrator.curve.probability(scores)

    def _interval(self, scores: npt.NDArray[np.float64]) -> tuple[Any, Any]:
        calibrator = self._ready_calibrator()
        if calibrator is None or calibrator.found is None:
            return None, None
        return calibrator.interval(scores)

    def estimate_missing(self) -> MissingLinks | None:
        """Estimate how many links are missing from the graph.

        After a fit of a split these are the missing links besides its validation edges.

        Returns
        -------
        MissingLinks or None
            With a 90% interval; None where no edges could be hidden.

        Examples
        --------
        >>> import pulink
        >>> missing = pulink.L3N().fit(pulink.load("sample")).estimate_missing()
        >>> missing.low <= missing.best <= missing.high
        True
        """
        calibrator = self._ready_calibrator()
        return None if calibrator is None else calibrator.missing

    def assuming(self, missing_share: float | None = None, *, reviews: Review | None = None) -> Self:
        """Give the same fitted model for another share of missing links, or by answers; nothing is trained again.

        Probabilities, the estimate of missing links and lists by `fdr` follow from it; the order of pairs stays.

        Parameters
        ----------
        missing_share : float, optional
            Which share of all links is thought missing. It counts up to where the hidden edges prove that fewer
            are: `estimate_missing().bound`.
        reviews : Review, optional
            Answers of people about drawn pairs of this model's list, instead of a share: `open_review().review()`.

        Returns
        -------
        a fitted predictor of the same class

        Examples
        --------
        >>> import pulink
        >>> model = pulink.L3N().fit(pulink.load("sample"))
        >>> few, many = (model.assuming(share).estimate_missing().best for share in (0.01, 0.1))
        >>> few < many
        True
        """
        if (missing_share is None) == (reviews is None) or not isinstance(reviews, Review | None):
            raise ParameterError(
                "assuming takes missing_share, or reviews of open_review(...).review(): one of them"
            )
        calibrator = self._ready_calibrator()
        other = copy.copy(self)
        if reviews is not None:
            other._calibrator = by_answers(self, calibrator, reviews)
            return other
        check_share("missing_share", missing_share)
        other.missing_share = missing_share
        if calibrator is not None and missing_share is not None:
            other._calibrator = calibrator.assuming(missing_share)
        return other

    def reliability(self) -> Reliability | None:
        """Compare probabilities with how often such pairs are links, by halves of the hidden edges.

        Returns
        -------
        Reliability or None
            None where no edges could be hidden.
        """
        calibrator = self._ready_calibrator()
        return None if calibrator is None else calibrator.reliability

    def _repr_html_(self) -> str:
        changed = [(name, repr(value)) for name, value in self.changed().items()]
        if not hasattr(self, "graph_"):
            return card(f"{type(self).__name__}, not fitted", changed)
        rows = [("fitted on", repr(self.graph_)), *changed]
        if self.best_val_auroc_ is not None:
            rows.append(("AUROC on hidden edges", f"{self.best_val_auroc_:.4f}"))
        if self._calibrator is not None:
            rows.append(("missing links", str(self._calibrator.missing)))
        return card(type(self).__name__, rows)
