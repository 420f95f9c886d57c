"""A list of links in each format: the same links, in the same order, with the same numbers."""

from __future__ import annotations

import gzip
import io
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pulink.workflows.finding import output as find_output
from pulink.workflows.formats.choice import format_of, is_packed
from pulink.workflows.formats.documents import json_text
from pulink.workflows.formats.tables import SEPARATORS, in_bytes, json_lines

if TYPE_CHECKING:
    import polars as pl

    from pulink.explanation.reasons import Reason
    from pulink.graph.graph import Graph


class WritableLinks(ABC):
    """A list of links with its reasons, which can be written down."""

    @property
    @abstractmethod
    def _listed(self) -> tuple[Graph, pl.DataFrame, list[list[Reason]]]:
        """The graph, the list, and the reasons of each link, the main one first."""

    @abstractmethod
    def record(self) -> dict[str, Any]:
        """Give what a JSON document holds beside the links.

        Returns
        -------
        dict
        """

    def records(self) -> list[dict[str, Any]]:
        """Give the list with its reasons, as JSON holds it.

        Returns
        -------
        list of dict
        """
        return find_output.link_records(*self._listed)

    def document(self) -> dict[str, Any]:
        """Give all of it as one JSON document, `links` among its fields.

        Returns
        -------
        dict
        """
        return self.record() | {"links": self.records()}

    def write(self, file: str | Path, format: str | None = None, *, raw_names: bool = False) -> None:
        """Write the list into one file.

        Parameters
        ----------
        file : str or Path
            What is there is replaced, or stays as it is where that fails; with the ending .gz, text is packed.
        format : str, optional
            csv, tsv, json, jsonl, parquet or graphml; without, by the file's ending.
        raw_names : bool
            Names in CSV and TSV as they are, also where a spreadsheet takes one for a formula.
        """
        from pulink.system.files import check_output_file, write_output

        path = Path(file)
        name = format_of(path, format)
        check_output_file(path)
        write_output(path, packed(path, encoded_links(self, name, raw_names=raw_names)))


def encoded_links(
    links: WritableLinks, name: str, *, raw_names: bool = False, beside: dict[str, Any] | None = None
) -> bytes:
    """A list in the format `name`.

    raw_names  no guard against spreadsheets
    beside     more fields of a JSON document
    """
    if name == "json":
        return in_bytes(json_text(links.document() | (beside or {})) + "\n")
    if name == "jsonl":
        return json_lines(links.records())
    graph, found, reasons = links._listed
    plain = find_output.with_reasons(found, reasons)
    if name == "graphml":
        from pulink.workflows.formats.graphml import graphml_of

        return in_bytes(graphml_of(graph, plain))
    from pulink.predictor.link_lists import named_ends

    frame = named_ends(plain, graph)
    if name == "parquet":
        content = io.BytesIO()
        frame.write_parquet(content)
        return content.getvalue()
    from pulink.data.formats.spreadsheet_guard import csv_of

    return in_bytes(csv_of(frame, raw=raw_names, separator=SEPARATORS[name]))


def packed(file: Path, data: bytes) -> bytes:
    """As the file's ending asks; equal data give equal bytes."""
    return gzip.compress(data, mtime=0) if is_packed(file) else data
