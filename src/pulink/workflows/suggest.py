"""`suggest`: the likeliest missing links of one node, by a model that is there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from pulink.data.new_nodes import read_new_nodes
from pulink.errors import ParameterError
from pulink.explanation.reasons import Reason
from pulink.graph.graph import Graph
from pulink.graph.tables.frames import polars_frame
from pulink.methods.registry import load_model
from pulink.persistence.sharded_model_reading import sharded_place
from pulink.predictor.link_lists import as_came, plain_ends
from pulink.predictor.predictor import LinkPredictor
from pulink.workflows.finding import output as find_output
from pulink.workflows.formats.documents import document
from pulink.workflows.formats.links import WritableLinks
from pulink.workflows.listener import Listener, Reporter
from pulink.workflows.sharded.answers.model import ShardedModel


@dataclass(frozen=True, eq=False)
class Suggestions(WritableLinks):
    """The likeliest missing links of one node.

    Attributes
    ----------
    node : object
        Its name, or its number.
    model : LinkPredictor
        With the new nodes, if there were some; of a graph in parts, one that knows of these links alone.
    found : polars.DataFrame
        The columns of `find`, `reason` (the main one in words) and `reasons` (all of them); the likeliest first.
    reasons : list of list of Reason
        Of each link, the main one first.
    """

    node: object
    model: LinkPredictor
    found: pl.DataFrame
    reasons: list[list[Reason]]

    @property
    def links(self) -> Any:
        """The list as a frame of the library that the model's edges came in."""
        return as_came(self.found, self.model.graph_)

    def record(self) -> dict[str, Any]:
        """Give what was asked, as JSON holds it beside the links.

        Returns
        -------
        dict
        """
        return document({"node": self.node})

    @property
    def _listed(self) -> tuple[Graph, pl.DataFrame, list[list[Reason]]]:
        return self.model.graph_, self.found.drop("reason", "reasons"), self.reasons


def suggest(
    model: LinkPredictor | str | Path,
    node: object,
    top: int = 10,
    *,
    min_probability: float = 0.0,
    new_edges: str | Path | None = None,
    new_nodes: str | Path | None = None,
    listener: Listener | None = None,
) -> Suggestions:
    """Name the likeliest missing links of one node, and why; of a directed graph, those from it and to it.

    Parameters
    ----------
    model : LinkPredictor, str or Path
        A fitted model, its folder, or the folder that `find` wrote. Of a graph in parts, only what the answer
        looks at is read from its folder.
    node : object
        A name, or a node number; where nodes of several types have the name, `type:name`.
    top : int
        How many links to return.
    min_probability : float
        Leave out links below this probability.
    new_edges, new_nodes : str or Path, optional
        First edges and attributes of nodes that the model does not know; nothing is trained again.
    listener : Listener, optional
        Told what `logging` is told (logger "pulink.workflows").

    Returns
    -------
    Suggestions
    """
    if not isinstance(model, LinkPredictor) and (place := sharded_place(model)) is not None:
        if new_edges is not None or new_nodes is not None:
            raise ParameterError(
                "new nodes cannot be asked about where a graph is in parts: put them into its files and find again"
            )
        return _suggestions(node, *ShardedModel.open(place).suggest(node, top, min_probability=min_probability))
    fitted = model if isinstance(model, LinkPredictor) else load_model(model)
    if new_edges is not None or new_nodes is not None:
        new = read_new_nodes(fitted.graph_, new_edges, new_nodes)
        for words in new.notes:
            Reporter(listener).note(words)
        fitted = fitted.with_nodes(new.names, new.edges, new.features, weights=new.weights)
    listed = polars_frame(fitted.suggest(node, top, min_probability=min_probability), "links")
    return _suggestions(node, fitted, plain_ends(listed, fitted.graph_))


def _suggestions(node: object, fitted: LinkPredictor, found: pl.DataFrame) -> Suggestions:
    why = find_output.reasons(fitted, found)
    return Suggestions(node, fitted, find_output.with_reasons(found, why), why)
