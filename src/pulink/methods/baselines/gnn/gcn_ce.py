"""GCN+CE: a graph convolutional network with cross-entropy (Kipf and Welling 2017).

m training edges against m fresh non-edges in every epoch, mean cross-entropy of inner products.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pulink.graph.graph import Graph
from pulink.methods.baselines.gnn.sharded_epochs import learn_together
from pulink.predictor.by_embedding import EmbeddingPredictor
from pulink.predictor.encoder_predictor import EpochEmbedding
from pulink.predictor.fitting.fit_run import FitRun, Learned, State, Validation
from pulink.predictor.sharded.group_embedding import BY_GROUP, engine_of, has_group


@dataclass(kw_only=True, eq=False, repr=False)
class GCNCE(EpochEmbedding):
    """GCN+CE with the paper's stopping rule.

    Parameters
    ----------
    max_epochs, min_epochs, patience : int
        Up to `max_epochs` steps; never stopped before `min_epochs`; stopped when validation AUROC has failed to
        rise in more than `patience` checks in a row. The best state is kept.
    check_every : int
        Epochs between two looks at the validation edges.
    stop : bool
        False: spend all epochs, and keep the best state.
    n_units, n_layers : int
        Width and depth of the encoder.
    learning_rate : float
        Step size of Adam.
    feature_scaling : str
        "auto", "rows", "standard" or "none": see `pulink.nn.inputs.scale_features`.
    device : str
        "cpu" takes pulink's own kernels; any other PyTorch device takes plain PyTorch operations, and so does
        "plain", on the CPU, for comparison.

    Attributes
    ----------
    embeddings_ : array of float32, n x d
        One row per node; the score of a pair is the inner product of two.
    encoder_state_ : dict of tensors
        Parameters of the encoder.
    history_ : list of (int, float)
        Epoch and validation AUROC of every check.
    n_epochs_ : int
        The epoch whose state is kept.
    stop_reason_ : str
        Why training ended.

    See Also
    --------
    pulink.predictor.predictor.LinkPredictor : parameters, attributes and methods that all predictors share.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> model = pulink.GCNCE(max_epochs=5).fit(graph)
    >>> model.missing_links(3).columns[:4]
    ['rank', 'source', 'target', 'probability']
    """

    divides_work: ClassVar[bool] = True
    trains_in_group: ClassVar[bool] = True

    def alone_because(self, graph: Graph | None) -> str | None:
        if type(self) is not GCNCE:
            return "always"
        return super().alone_because(graph)

    def _depends_on(self) -> dict[str, list[str]]:
        return BY_GROUP if has_group() and self.alone_because(None) is None else {}

    def _learn(self, train: Graph, validation: Validation | None, run: FitRun) -> Learned:
        if has_group() and self.alone_because(train) is None:
            return learn_together(self, train, validation, run)
        return super()._learn(train, validation, run)

    def _learned(self) -> tuple[dict[str, Any], State]:
        learned, tensors = super()._learned()
        return learned | engine_of(self), tensors


def equal_budget_control(n_steps: int, check_every: int, like: EmbeddingPredictor) -> GCNCE:
    """Make the GCN+CE that takes exactly as many gradient steps on a split as another predictor took.

    Parameters
    ----------
    n_steps : int
        How many.
    check_every : int
        It may look at the validation edges every so many steps, as often as PULL does; the best state is kept.
    like : predictor that scores by embeddings
        All shared settings are taken from it.

    Returns
    -------
    GCNCE
        Not fitted.

    Examples
    --------
    >>> import pulink
    >>> pulink.equal_budget_control(1200, 200, pulink.PULL(n_units=32))
    GCNCE(n_units=32, max_epochs=1200, check_every=200, stop=False)
    """
    shared = {name: getattr(like, name) for name in EmbeddingPredictor.parameter_names()}
    return GCNCE(**shared, max_epochs=n_steps, check_every=check_every, stop=False)
