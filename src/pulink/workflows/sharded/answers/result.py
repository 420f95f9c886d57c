"""What `find` found in a graph in parts: the list, the page and the record come from the model folder."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.errors import OutputError, TooLargeError
from pulink.explanation.explain import reasons
from pulink.explanation.reasons import Reason
from pulink.explanation.surroundings import Surroundings
from pulink.graph.graph import Graph
from pulink.predictor.link_lists import COLUMNS
from pulink.predictor.search_scope import SearchScope
from pulink.report.find.build import degree_classes, found_of, nodes_by_degree
from pulink.report.find.content import FindPage, PageText
from pulink.system.folder_lock import held, output_folder
from pulink.text import short_path
from pulink.workflows.finding import output as find_output
from pulink.workflows.finding.request import FindRequest
from pulink.workflows.finding.result import FindResult
from pulink.workflows.graph_source import GraphSource, name_of
from pulink.workflows.sharded.answers.model import ShardedModel
from pulink.workflows.sharded.answers.reading import degrees_of
from pulink.workflows.words.headline import Headline

Longs = npt.NDArray[np.int64]

# Links whose surroundings are in memory together, links with reasons, and what may be read for all of them.
_TOGETHER, _EXPLAINED, _MOST_READ = 64, 10_000, 1_000_000_000
# Entries of the ends' rows that are in memory together, unless one pair has more.
_ENTRIES_TOGETHER = 5_000_000
_SETTLE = "to find out, say which share of all links is missing, if you know it (--missing-share, missing_share)"
# Nodes whose degrees are counted at a time.
_COUNTED = 4_000_000


@dataclass(frozen=True)
class ToldScope(SearchScope):
    """Which pairs were searched, as those who did it say."""

    words: str

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, eq=False, repr=False)
class ShardedFindResult(FindResult):
    """A `FindResult` whose model stays in its folder.

    Attributes
    ----------
    parts : ShardedModel
        It scores, explains and suggests; `model` knows counts and the calibration alone.
    pairs : array of int64, k x 2
        The nodes of each link.
    """

    parts: ShardedModel = None  # type: ignore[assignment]
    pairs: Longs = None  # type: ignore[assignment]

    @classmethod
    def of(cls, request: FindRequest, folder: str | Path) -> ShardedFindResult:
        """What a request found, of the model folder that its training left."""
        parts = ShardedModel.open(folder)
        links = parts.folder.links()
        edges = name_of(request.edges)
        return cls(
            request,
            GraphSource(parts.outline.graph_, edges, None, None, edges),
            parts.outline,
            links.select(COLUMNS),
            ToldScope(parts.folder.summary.searched),
            parts=parts,
            pairs=links.select("first", "second").to_numpy().astype(np.int64),
        )

    @property
    def headline(self) -> Headline:
        """What is known, in sentences."""
        known = super().headline
        # A review asks about pairs of a model that is in memory.
        return replace(known, settle=_SETTLE if known.settle else "")

    def reasons_of(self, links: pl.DataFrame) -> list[list[Reason]]:
        """Why links of the list are proposed: of the first ones, as long as reading their surroundings is cheap.

        Parameters
        ----------
        links : polars.DataFrame
            The first rows of `found`, or all.

        Returns
        -------
        list of list of Reason
            Of each link, the main one first; none for links further down.
        """
        found: list[list[Reason]] = []
        budget = _MOST_READ
        wanted = self.pairs[: min(links.height, _EXPLAINED)]
        while len(found) < len(wanted):
            pairs = wanted[len(found) :][:_TOGETHER]
            n_entries = self._n_entries(pairs)
            n_together = max(1, int(np.searchsorted(n_entries, _ENTRIES_TOGETHER, side="right")))
            pairs = pairs[:n_together]
            if n_entries[n_together - 1] > budget:
                break
            try:
                model, places = self.parts.around(pairs)
            except TooLargeError:
                found += [[]] * len(pairs)
                continue
            found += reasons(model, places)
            assert isinstance(model.graph_, Surroundings)
            budget -= model.graph_.n_read
        return found + [[]] * (links.height - len(found))

    def _n_entries(self, pairs: Longs) -> Longs:
        """Of the rows of the ends of the first pair, of the first two, and so on."""
        ends = np.unique(pairs)
        sizes = degrees_of(self.parts.folder.graph, ends)
        return np.cumsum(sizes[np.searchsorted(ends, pairs)].sum(axis=1))

    def _around(self, links: pl.DataFrame) -> Graph:
        pairs = self._pairs_of(links)
        return self.parts.around(pairs, to_draw=True)[0].graph_

    def _pairs_of(self, links: pl.DataFrame) -> Longs:
        ends = links["source"].to_list() + links["target"].to_list()
        return self.model.graph_.names.index_of(ends).reshape(2, -1).T

    def save(self, folder: str | Path, *, raw_names: bool = False) -> None:
        """Write missing_links.csv, report.html and run.json beside the model, as `pulink find --out` does.

        Parameters
        ----------
        folder : str or Path
            The one whose folder `model` was opened.
        raw_names : bool
            Names in the CSV as they are, also where a spreadsheet takes one for a formula.
        """
        out = output_folder(folder)
        self._keep_model(out / find_output.MODEL)
        with held(out, find_output.FILES):
            find_output.write(out, self, self.request.call(), raw_names)

    def _keep_model(self, folder: Path) -> None:
        place = self.parts.folder.path
        if folder.resolve() != place.resolve():
            raise OutputError(
                f"cannot write {short_path(folder)}: the model of a graph in parts stays where it was trained, in "
                f"{short_path(place)}"
            )

    def _page(
        self, links: pl.DataFrame, reasons: list[list[str]], run: dict[str, Any], words: PageText, n: int
    ) -> FindPage:
        pairs = self._pairs_of(links)
        model, places = self.parts.around(pairs, to_draw=True)
        page = found_of(model, links, reasons, run, words, n)
        if not len(pairs):
            return page
        of_ends = model.graph_.degrees[places.ravel()]
        return replace(page, degree_classes=degree_classes(self._nodes_by_degree(), nodes_by_degree(of_ends)))

    def _nodes_by_degree(self) -> Longs:
        graph = self.parts.folder.graph
        starts = range(0, graph.n_nodes, _COUNTED)
        counts = [nodes_by_degree(graph.degrees(start, min(start + _COUNTED, graph.n_nodes))) for start in starts]
        return np.asarray(np.sum(counts, axis=0))
