"""What scikit-learn asks of an estimator: tags, a score, and in which frames it answers."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Self, overload

import numpy as np
import numpy.typing as npt

from pulink import metrics
from pulink.errors import InputError, LeakError, ParameterError, UnknownNameError
from pulink.graph.graph import Graph
from pulink.graph.split import Split
from pulink.predictor.parameters import Parametrised
from pulink.predictor.scikit_learn.edge_rows import EdgeRows
from pulink.text import counted

if TYPE_CHECKING:
    from sklearn.utils import Tags

DEFAULT = "default"
OUTPUTS = (DEFAULT, "pandas", "polars", "pyarrow")


class ScikitLearnEstimator(Parametrised):
    """An estimator as scikit-learn's tools know them."""

    graph_: Graph

    def _check_fitted(self) -> None:
        raise NotImplementedError

    def _scored(self, pairs: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
        raise NotImplementedError

    def __sklearn_tags__(self) -> Tags:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False), input_tags=InputTags())

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose the library in whose frames lists of links are given, now and after later fits.

        Where this was not called, `sklearn.set_config(transform_output=...)` counts.

        Parameters
        ----------
        transform : str, optional
            "pandas", "polars" or "pyarrow"; "default": as the edges came in. None changes nothing.

        Returns
        -------
        the predictor itself

        Raises
        ------
        UnknownNameError
            If there is no such choice.

        Examples
        --------
        >>> import networkx, pulink
        >>> model = pulink.L3N().fit(pulink.from_networkx(networkx.karate_club_graph()))
        >>> type(model.set_output(transform="pandas").missing_links(2)).__module__.partition(".")[0]
        'pandas'
        """
        if transform is not None:
            if transform not in OUTPUTS:
                raise UnknownNameError("frames for set_output", str(transform), OUTPUTS)
            # scikit-learn's own name: `clone` copies it.
            self._sklearn_output_config = {"transform": transform}
        return self

    def _listed(self, graph: Graph) -> Graph:
        """The graph, saying in which frames lists are wanted."""
        wanted: str | None = getattr(self, "_sklearn_output_config", {}).get("transform")
        # Who has set an option of scikit-learn has loaded it: nobody else waits for that.
        library = sys.modules.get("sklearn")
        if wanted is None and library is not None:
            wanted = library.get_config()["transform_output"]
        return graph if wanted is None or wanted in (DEFAULT, graph.frames) else replace(graph, frames=wanted)

    @overload
    def score(self, split: Split) -> dict[str, float]: ...

    @overload
    def score(self, split: EdgeRows, y: object = None) -> float: ...

    def score(self, split: Split | EdgeRows, y: object = None) -> dict[str, float] | float:  # noqa: ARG002
        """Measure how well the test edges of a split are told from its test non-edges.

        Parameters
        ----------
        split : Split or EdgeRows
            The one that was fitted; or edges that were held out by a splitter of `pulink.model_selection`, against
            as many pairs that are unconnected in the whole graph.
        y : ignored
            scikit-learn may hand it over.

        Returns
        -------
        dict of str to float, or float
            Fractions of 1 by measure: auroc, auprc, mrr, hits_at_20, hits_at_50, hits_at_100. Of EdgeRows AUROC
            alone: scikit-learn wants one number, and `pulink.model_selection.scorer` gives others.

        Raises
        ------
        LeakError
            If the model was fitted on test edges of the split.
        InputError
            If the split is of another graph, or has no test edges.

        Examples
        --------
        >>> import pulink
        >>> split = pulink.split(pulink.load("sample"))
        >>> round(pulink.L3N().fit(split).score(split)["auroc"], 2)
        0.9
        """
        self._check_fitted()
        if isinstance(split, EdgeRows):
            return self.score(split.held_out())["auroc"]
        if not isinstance(split, Split):
            raise ParameterError(f"score takes a Split, got {type(split).__name__}")
        if split.train.n_nodes != self.graph_.n_nodes:
            raise InputError(
                f"the split has {counted(split.train.n_nodes, 'node')}, the model was fitted on "
                f"{self.graph_.n_nodes}: score the split that it was fitted on"
            )
        if not len(split.test_edges):
            raise InputError("the split holds no test edges to score: split with test > 0")
        if n_seen := int(self.graph_.has_edges(split.test_edges).sum()):
            raise LeakError(f"the model was fitted on {n_seen} of the test edges: fit the split, not the graph")
        edges = self._scored(split.test_edges)
        non_edges = self._scored(split.test_non_edges)
        return metrics.measured(metrics.Basis.TEST_PAIRS, edges, non_edges)
