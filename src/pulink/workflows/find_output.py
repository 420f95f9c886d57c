"""What `find` leaves behind: the list with its reasons, the record of the run, the page, the model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pulink.system.versions import versions
from pulink.workflows import messages

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import polars as pl

    from pulink.graph.graph import Graph
    from pulink.predictor.predictor import LinkPredictor
    from pulink.predictor.search_scope import SearchScope
    from pulink.report.find.content import PageText
    from pulink.workflows.link_query import LinkQuery

FILES = _LIST, _PAGE, _RECORD = "missing_links.csv", "report.html", "run.json"
_MODEL = "model"

# Reasons take milliseconds for each link, and a page with more links than this does not open at once.
_TOLD, _ON_PAGE = 10_000, 2_000


def check_model_place(out: Path) -> None:
    """Fail now rather than after the work, where something else stands in the model's place."""
    from pulink.persistence.manifest import stranger
    from pulink.system.files import check_replaceable

    check_replaceable(out / _MODEL, stranger)


def record(
    graph: Graph, model: LinkPredictor, links: pl.DataFrame, settings: dict[str, Any], searched: SearchScope
) -> dict[str, Any]:
    """Everything about a run but the clock: equal runs give equal files."""
    cleaning = graph.cleaning
    missing, reliability = model.estimate_missing(), model.reliability()
    return {
        "settings": settings,
        "versions": versions(),
        "graph": {
            "n_nodes": graph.n_nodes,
            "n_edges": graph.n_edges,
            "n_features": graph.n_features,
            "n_absent": graph.n_absent,
            "weighted": graph.weights is not None,
            "n_rows": cleaning.n_rows,
            "n_duplicates": cleaning.n_duplicates,
            "n_reversed": cleaning.n_reversed,
            "n_loops": cleaning.n_loops,
            "notes": list(cleaning.notes),
        },
        "missing": None if missing is None else missing.to_dict(),
        "reliability": None if reliability is None else reliability.to_dict(),
        "n_links": links.height,
        "searched": str(searched),
        "warnings": messages.doubts(graph, model) + messages.doubts_of_list(links),
        "model": model.summary(),
    }


def reasons(model: LinkPredictor, graph: Graph, links: pl.DataFrame) -> list[list[str]]:
    """Sentences by link; none for links far down a long list."""
    from pulink.explanation.explain import explain

    told = links.head(_TOLD)
    sentences = explain(model, _numbers(graph, told))
    return sentences + [[]] * (links.height - len(sentences))


def write(
    out: Path,
    links: pl.DataFrame,
    told: list[list[str]],
    run: dict[str, Any],
    model: LinkPredictor,
    wanted: LinkQuery,
    again: str,
    raw_names: bool = False,
) -> None:
    """links: source, target, probability, reasons; told: the reasons by link; again: what runs it again."""
    import polars as pl

    from pulink.data.formats.spreadsheet_guard import csv_of
    from pulink.persistence.model_folder import to_json
    from pulink.report.find.build import found_of
    from pulink.report.find.page import found_page
    from pulink.system.files import write_atomically

    # A list by node names a pair twice.
    pair = pl.Series(model.graph_.pair_space.codes(_numbers(model.graph_, links)))
    once = links.with_row_index().with_columns(pair=pair).unique("pair", keep="first", maintain_order=True)
    shown = once.drop("pair").sort("probability", descending=True, maintain_order=True).head(_ON_PAGE)
    reasons_shown = [told[k] for k in shown["index"]]
    words = _words(model, run, again, wanted.describe(links.height, once.height))
    page = found_of(model, shown.drop("index"), reasons_shown, run, words, once.height)
    model.save(out / _MODEL)
    write_atomically(out / _LIST, csv_of(links, raw=raw_names))
    write_atomically(out / _PAGE, found_page(page))
    write_atomically(out / _RECORD, to_json(run))


def _numbers(graph: Graph, links: pl.DataFrame) -> npt.NDArray[np.int64]:
    """The nodes of each link (k x 2)."""
    return graph.names.index_of(links["source"].to_list() + links["target"].to_list()).reshape(2, -1).T


def _words(model: LinkPredictor, run: dict[str, Any], again: str, asked: str) -> PageText:
    from pulink.report.find.content import PageText

    missing, given = model.estimate_missing(), model.missing_share
    return PageText(
        title=f"Missing links of {run['settings']['edges']}",
        command=again,
        method=messages.sentence(f"method {run['settings']['method']}: {messages.chosen(model)}"),
        asked=messages.sentence(asked),
        hedge="" if missing is None else messages.sentence(messages.hedge(missing, given)),
        ground="" if missing is None else messages.sentence(messages.ground(missing, given)),
    )
