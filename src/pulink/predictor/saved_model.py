"""A model as a folder, and back. A loaded one is trusted when its settings are allowed and it scores pairs."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar, cast

import numpy as np
import numpy.typing as npt

from pulink.calibration.calibrator import Calibrator
from pulink.errors import ModelError, ParameterError, TooLargeError
from pulink.graph.graph import Graph
from pulink.persistence.model_folder import UNFIT, Stored, load_stored, misfit, save_stored, why
from pulink.predictor.parameters import plain_value

if TYPE_CHECKING:
    from pulink.predictor.predictor import LinkPredictor

Model = TypeVar("Model", bound="LinkPredictor")

_STATE = "state."
# Arrays whose row v belongs to node v: kernels read them without looking where they end.
_BY_NODE = ("embeddings", "hops", "selector_hops", "projected")
_CUSTOM = "custom: "
_PROBED = 48


class StorableModel:
    """A model that is written as a folder and read from one."""

    def save(self, folder: str | Path) -> None:
        """Write a model folder: safetensors, JSON and Parquet with checksums; nothing is pickled.

        Parameters
        ----------
        folder : path
            A model that is there already is replaced; anything else that is there is not.

        Raises
        ------
        OutputError
            If it cannot be written; what was there is left as it was.

        Examples
        --------
        >>> import networkx, pulink, tempfile
        >>> folder = tempfile.mkdtemp() + "/model"
        >>> pulink.L3N().fit(pulink.from_networkx(networkx.karate_club_graph())).save(folder)
        >>> pulink.load_model(folder).graph_
        Graph(34 nodes, 78 edges)
        """
        model = cast("LinkPredictor", self)
        model._check_fitted()
        write_model(model, folder)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Load a fitted model of this class; `pulink.load_model` loads one of any class.

        Parameters
        ----------
        folder : path
            What `save` wrote. An encoder that you wrote yourself is not kept in it.

        Returns
        -------
        a fitted predictor

        Raises
        ------
        ModelError
            If the folder is damaged, of a newer pulink, or holds what does not fit together.
        """
        return cast(Self, read_model(cast("type[LinkPredictor]", cls), folder))


def write_model(model: LinkPredictor, folder: str | Path) -> None:
    """Write a fitted model; an older one that is there is replaced."""
    params = {name: plain_value(value) for name, value in model.get_params().items()}
    learned, arrays = model._learned()
    tensors = {f"{_STATE}{name}": array for name, array in model.state_.items()} | arrays
    learned |= {"n_steps": model.n_steps_}
    if (calibrator := model._ready_calibrator()) is not None:
        learned["calibration"], curves = calibrator.stored()
        tensors |= curves
    save_stored(folder, Stored(type(model).__name__, params, learned, tensors, model.graph_))


def read_model(cls: type[Model], folder: str | Path) -> Model:
    """A fitted model of this class; ModelError for anything else."""
    return restored(cls, load_stored(folder, cls.__name__), folder)


def restored(cls: type[Model], stored: Stored, folder: str | Path) -> Model:
    """The fitted model that a folder holds; ModelError where it is none."""
    unknown = set(stored.params) - set(cls.parameter_names())
    if unknown:
        names = why(ValueError(", ".join(sorted(unknown))))
        raise ModelError(f"{folder}: has settings that this pulink does not know: {names}")
    model = cls(**stored.params)
    model.state_ = {
        name.removeprefix(_STATE): array for name, array in stored.tensors.items() if name.startswith(_STATE)
    }
    try:
        model.n_steps_ = int(stored.learned["n_steps"])
        model._restore(stored)
        if (known := stored.learned.get("calibration")) is not None:
            model._calibrator = Calibrator.from_stored(known, stored.tensors)
    except UNFIT as error:
        raise misfit(folder, error) from error
    model.graph_ = stored.graph
    _refuse_unsound(model, folder)
    return model


def _refuse_unsound(model: LinkPredictor, folder: str | Path) -> None:
    """ModelError if a loaded model has settings that `fit` would refuse, or cannot score pairs of its graph."""
    try:
        _with_portable_settings(model).check_settings()
    except ParameterError as error:
        raise ModelError(f"{folder}: has a setting that is not allowed ({why(error)})") from error
    n_nodes = model._structure.n_nodes
    for name in _BY_NODE:
        rows = model.state_.get(name)
        if rows is not None and (rows.ndim < 2 or len(rows) != n_nodes or rows.dtype != np.float32):
            raise ModelError(f"{folder}: its {name} do not fit its graph")
    try:
        scores = model.decision_function(_some_pairs(model.graph_))
    except TooLargeError:
        raise
    except Exception as error:
        # Whatever a method stumbles over: a folder may hold arrays of any kind and shape.
        raise misfit(folder, error) from error
    if not np.isfinite(scores).all():
        raise ModelError(f"{folder}: what was learned gives scores that are no numbers")


def _with_portable_settings(model: LinkPredictor) -> LinkPredictor:
    """With defaults where another machine may know more: its devices, encoders that somebody wrote."""
    defaults = model.defaults()
    params = model.get_params()
    foreign = [name for name, value in params.items() if isinstance(value, str) and value.startswith(_CUSTOM)]
    known = {name: defaults[name] for name in [*foreign, "device"] if name in defaults}
    return copy.copy(model).set_params(**known)


def _some_pairs(graph: Graph) -> npt.NDArray[np.int64]:
    """Edges, and pairs over the whole range of nodes with the first and the last among them (k x 2)."""
    if graph.n_nodes < 2:
        return np.empty((0, 2), dtype=np.int64)
    ends = np.linspace(0, graph.n_nodes - 1, _PROBED).astype(np.int64)
    across = np.stack([ends, ends[::-1]], axis=1)
    some = graph.edges[np.linspace(0, graph.n_edges - 1, _PROBED).astype(np.int64)] if graph.n_edges else across
    pairs: npt.NDArray[np.int64] = np.concatenate([across, some.astype(np.int64)])
    return np.asarray(pairs[graph.pair_space.allowed(pairs)])
