"""What `find` leaves behind: the list with its reasons, the record of the run, the page, the model."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pulink.system.log import timed
from pulink.workflows.formats.documents import document
from pulink.workflows.words import messages

if TYPE_CHECKING:
    import polars as pl

    from pulink.explanation.reasons import Reason
    from pulink.graph.graph import Graph
    from pulink.predictor.predictor import LinkPredictor
    from pulink.report.find.content import PageText
    from pulink.workflows.finding.result import FindResult

FILES = _LIST, _PAGE, _RECORD = "missing_links.csv", "report.html", "run.json"
MODEL = "model"

# Reasons take milliseconds for each link, and a page with more links than this does not open at once.
_EXPLAINED, _ON_PAGE = 10_000, 2_000


def check_model_place(out: Path) -> None:
    """Fail now rather than after the work, where something else stands in the model's place."""
    from pulink.persistence.manifest import stranger
    from pulink.system.files import check_replaceable

    check_replaceable(out / MODEL, stranger)
    _refuse_over_answers(out)


def _refuse_over_answers(out: Path) -> None:
    """Answers are about the model beside them: another one in its place would leave them without meaning."""
    from pulink.errors import OutputError
    from pulink.persistence.ledger import LEDGER, Ledger
    from pulink.text import counted, short_path

    if not (out / LEDGER).exists():
        return
    ledger = Ledger(out / LEDGER, read_only=True)
    n_answers = ledger.state()[1]
    ledger.close()
    if n_answers:
        answers = f"{counted(n_answers, 'answer')} about the model there ({LEDGER})"
        raise OutputError(
            f"{short_path(out)}: holds {answers}; write the new results into another folder, so that both stay"
        )


def record(result: FindResult) -> dict[str, Any]:
    """Everything about a run but the clock: equal runs give equal files."""
    from pulink.system.versions import versions
    from pulink.workflows.finding.options import find_options

    graph, model = result.graph, result.model
    missing, reliability = model.estimate_missing(), model.reliability()
    hidden = model.hidden_found()
    fields = {
        "settings": {
            "edges": result.source.edges,
            "nodes": result.source.nodes,
            "known_absent": result.source.known_absent,
            "method": result.request.method,
            **asdict(result.request.query),
            "parameters": model.get_params(),
        },
        "options": find_options(result.request),
        "versions": versions(),
        "graph": {
            "kind": graph.kind,
            "kind_seen": graph.cleaning.kind_seen,
            "ends": list(graph.ends),
            "n_nodes": graph.n_nodes,
            "n_edges": graph.n_edges,
            "n_features": graph.n_features,
            "n_absent": graph.n_absent,
            "weighted": graph.weights is not None,
            "timed": graph.times is not None,
            "n_rows": graph.cleaning.n_rows,
            "n_duplicates": graph.cleaning.n_duplicates,
            "n_reversed": graph.cleaning.n_reversed,
            "n_loops": graph.cleaning.n_loops,
            "notes": list(graph.cleaning.notes),
        },
        "missing": None if missing is None else missing.to_dict(),
        "missing_by_another_method": None if result.second is None else result.second.to_dict(),
        "reliability": None if reliability is None else reliability.to_dict(),
        "headline": asdict(result.headline),
        "hidden_edges": None if hidden is None else hidden.to_dict(),
        "n_links": result.found.height,
        "searched": str(result.searched),
        "warnings": list(result.warnings),
        "model": model.summary(),
    }
    return document(fields | ({} if result.reviews is None else {"reviews": result.reviews.to_dict()}))


def reasons(model: LinkPredictor, links: pl.DataFrame) -> list[list[Reason]]:
    """By link, the main one first; none for links far down a long list."""
    from pulink.explanation.explain import reasons as reasons_of
    from pulink.predictor.link_lists import link_nodes

    found = reasons_of(model, link_nodes(model.graph_, links.head(_EXPLAINED)))
    return found + [[]] * (links.height - len(found))


def with_reasons(links: pl.DataFrame, found: list[list[Reason]]) -> pl.DataFrame:
    """A list with the main reason of each link, and with all of them, in two columns more."""
    import polars as pl

    texts = [[reason.text for reason in of_link] for of_link in found]
    return links.with_columns(
        pl.Series("reason", [of_link[0] if of_link else "" for of_link in texts], pl.String),
        pl.Series("reasons", ["; ".join(of_link) for of_link in texts], pl.String),
    )


def link_records(graph: Graph, links: pl.DataFrame, found: list[list[Reason]]) -> list[dict[str, Any]]:
    """A list with its reasons, as JSON holds it: the ends are called as those of the graph are."""
    from pulink.predictor.link_lists import named_ends

    return [
        row | {"reason": of_link[0].text if of_link else "", "reasons": [reason.to_dict() for reason in of_link]}
        for row, of_link in zip(named_ends(links, graph).to_dicts(), found, strict=True)
    ]


def write(out: Path, result: FindResult, rerun: str, raw_names: bool = False) -> None:
    """Every file is whole or as it was; rerun: the command that runs it again."""
    from pulink.data.formats.spreadsheet_guard import csv_of
    from pulink.persistence.model_folder import to_json
    from pulink.system.files import write_atomically
    from pulink.workflows.finding.options import find_options

    run = record(result)
    run["options"] = find_options(result.request, raw_names=raw_names)
    with timed("explaining"):
        page = _page(result, run, rerun)
    with timed("writing"):
        result._keep_model(out / MODEL)
        write_atomically(out / _LIST, csv_of(result.explained, raw=raw_names))
        write_atomically(out / _PAGE, page)
        write_atomically(out / _RECORD, to_json(run))


def _page(result: FindResult, run: dict[str, Any], rerun: str) -> str:
    import polars as pl

    from pulink.predictor.link_lists import link_nodes
    from pulink.report.find.page import found_page

    links = with_reasons(result.found, result.reasons)
    # A list by node names a pair twice.
    graph = result.model.graph_
    pair = pl.Series(graph.pair_space.codes(link_nodes(graph, links)))
    once = links.with_row_index().with_columns(pair=pair).unique("pair", keep="first", maintain_order=True)
    shown = once.drop("pair").sort("probability", "score", descending=True, maintain_order=True).head(_ON_PAGE)
    reasons_shown = [[reason.text for reason in result.reasons[k]] for k in shown["index"]]
    text = _page_text(result, rerun, result.request.query.describe(links.height, once.height))
    return found_page(result._page(shown.drop("index"), reasons_shown, run, text, once.height))


def _page_text(result: FindResult, rerun: str, asked: str) -> PageText:
    from pulink.report.find.content import PageText

    known = result.headline
    method = ", ".join(filter(None, [f"method {result.request.method}", messages.chosen(result.model)]))
    facts = (known.listed, known.hidden, known.another, known.settle, method)
    return PageText(
        title=f"Missing links of {result.source.edges}",
        command=rerun,
        answer=messages.sentence(known.missing),
        facts=tuple(messages.sentence(fact) for fact in facts if fact),
        asked=messages.sentence(asked),
    )
