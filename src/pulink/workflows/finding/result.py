"""What `find` found: the list, and all that a reader needs to judge it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from pulink.calibration.missing_links import MissingLinks
from pulink.explanation.reasons import Reason
from pulink.graph.graph import Graph
from pulink.predictor.link_lists import as_came, named_ends
from pulink.predictor.predictor import LinkPredictor
from pulink.predictor.search_scope import SearchScope
from pulink.report.find.build import found_of
from pulink.report.find.content import FindPage, PageText
from pulink.system.folder_lock import held, output_folder
from pulink.text import counted
from pulink.workflows.finding import output as find_output
from pulink.workflows.finding.html import found_html
from pulink.workflows.finding.request import FindRequest
from pulink.workflows.formats.choice import refuse_name_of_a_file
from pulink.workflows.formats.links import WritableLinks
from pulink.workflows.graph_source import GraphSource
from pulink.workflows.review.flow_back import FlowBack
from pulink.workflows.second_estimate import SecondEstimate
from pulink.workflows.words import messages
from pulink.workflows.words.headline import Headline, headline


@dataclass(frozen=True, eq=False, repr=False)
class FindResult(WritableLinks):
    """What `pulink.find` found.

    Attributes
    ----------
    request : FindRequest
        What was asked.
    source : GraphSource
        The graph, and what it was made of.
    model : LinkPredictor
        Fitted on every edge: it scores, explains and suggests other pairs.
    found : polars.DataFrame
        rank, source, target, probability, score, probability_low, probability_high; the likeliest first. In
        `links` the two ends are called as the columns of a directed, bipartite or typed graph are.
    searched : SearchScope
        Which pairs were searched; as text, a sentence.
    second : SecondEstimate or None
        How many links are missing by another method; None where that would take long.
    reviews : FlowBack or None
        What answers of people told: counts, and how many links are missing; None without answers.
    """

    request: FindRequest
    source: GraphSource
    model: LinkPredictor
    found: pl.DataFrame
    searched: SearchScope
    second: SecondEstimate | None = None
    reviews: FlowBack | None = None

    @property
    def links(self) -> Any:
        """The list as a frame of the library that the edges came in: pandas, or else polars."""
        return as_came(self.found, self.model._listed(self.graph))

    @property
    def graph(self) -> Graph:
        """The graph that was searched."""
        return self.source.graph

    @property
    def missing(self) -> MissingLinks | None:
        """How many links are missing, with a 90% interval; None where no edges could be hidden."""
        return self.model.estimate_missing()

    @property
    def headline(self) -> Headline:
        """What is known, in sentences."""
        return headline(self.model, self.found, self.second, self.reviews)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What should keep a reader from trusting the list."""
        return (*messages.doubts(self.model), *messages.doubts_of_list(self.found))

    @cached_property
    def reasons(self) -> list[list[Reason]]:
        """Why each link is proposed, the main reason first; none for links far down a long list."""
        return self.reasons_of(self.found)

    def reasons_of(self, links: pl.DataFrame) -> list[list[Reason]]:
        """Why links of the list are proposed.

        Parameters
        ----------
        links : polars.DataFrame
            The first rows of `found`, or all.

        Returns
        -------
        list of list of Reason
            Of each link, the main one first; none for links far down a long list.
        """
        return find_output.reasons(self.model, links)

    @property
    def explained(self) -> pl.DataFrame:
        """The list with two columns more: `reason`, the main one in words, and `reasons`, all of them."""
        return named_ends(find_output.with_reasons(self.found, self.reasons), self.graph)

    def record(self) -> dict[str, Any]:
        """Give settings, versions, counts and history, as run.json holds them.

        Returns
        -------
        dict
        """
        return find_output.record(self)

    @property
    def _listed(self) -> tuple[Graph, pl.DataFrame, list[list[Reason]]]:
        return self.graph, self.found, self.reasons

    def _around(self, links: pl.DataFrame) -> Graph:  # noqa: ARG002 (a graph in parts is read around them)
        """A graph in which these links can be drawn."""
        return self.model.graph_

    def _keep_model(self, folder: Path) -> None:
        self.model.save(folder)

    def _page(
        self, links: pl.DataFrame, reasons: list[list[str]], run: dict[str, Any], words: PageText, n: int
    ) -> FindPage:
        """What the page shows of these links; there are n in all."""
        return found_of(self.model, links, reasons, run, words, n)

    def save(self, folder: str | Path, *, raw_names: bool = False) -> None:
        """Write missing_links.csv, report.html, run.json and model/, as `pulink find --out` does.

        Parameters
        ----------
        folder : str or Path
            It is made if it is not there; what an earlier run wrote into it is replaced. A name that looks like a
            file's, such as links.csv, needs a slash at its end.
        raw_names : bool
            Names in the CSV as they are, also where a spreadsheet takes one for a formula.
        """
        out = output_folder(folder)
        refuse_name_of_a_file(folder)
        find_output.check_model_place(out)
        with held(out, find_output.FILES):
            find_output.write(out, self, self.request.call(), raw_names)

    def __repr__(self) -> str:
        links = counted(self.found.height, "link")
        about = "" if self.missing is None else f"; missing: {self.missing}"
        if self.warnings:
            about += f"; {counted(len(self.warnings), 'warning')}: see .warnings"
        return f"FindResult({links} of {self.source.edges} by {self.request.method}{about})"

    def _repr_html_(self) -> str:
        return found_html(self)
