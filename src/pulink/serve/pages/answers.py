"""All answers, who gave them, where reviewers disagree, and buttons to decide otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from pulink.report.html.blocks import section
from pulink.report.html.escape import named, per_cent, shown
from pulink.serve.pages.addresses import query
from pulink.serve.pages.frame import choice, framed, heading
from pulink.serve.pages.links import pager, said
from pulink.serve.pages.pair import DECISIONS, pair_link
from pulink.text import counted

_WHY_ASKED = {"sample": "drawn", "control": "a recorded link, as a control", "own": "looked up"}
_ANSWERS = (
    ("", "any"),
    ("link", "link"),
    ("no link", "no link"),
    ("unsure", "unsure"),
    ("disagreement", "reviewers disagree"),
)


def answers_page(run: Mapping[str, Any], found: Mapping[str, Any], asked: Mapping[str, str]) -> str:
    """asked: the query string, as it came."""
    last = max(-(-found["n_answers"] // max(found["size"], 1)), 1)
    disagreeing = sum(bool(own["disagreement"]) for own in found["answers"])
    words = f"{counted(found['n_answers'], 'pair')} answered.{_disagreement(disagreeing)}"
    parts = [
        heading("Answers", "What was decided about each pair. Any decision can be changed; nothing is ever lost."),
        _facets(found, asked),
        f'<p role="status" id="state">{words}</p>',
        _table(run, found["answers"]) if found["answers"] else "<p>No answer is like this.</p>",
        pager(found["page"], last, "/answers", asked) if last > 1 else "",
        section("reviewers", "Reviewers", _reviewers(found)),
        section("files", "Files", _files()),
    ]
    twin = query("/api/answers", asked)
    return framed("Answers", run, parts, here="/answers", twin=twin, scripts=("decide.js",))


def _disagreement(count: int) -> str:
    return f" <strong>Reviewers disagree about {counted(count, 'pair')} of this page.</strong>" if count else ""


def _facets(found: Mapping[str, Any], asked: Mapping[str, str]) -> str:
    names = [str(own["name"]) for own in found["reviewers"]]
    reviewers = choice(
        "reviewer", "Reviewer", [("", "any"), *((name, name) for name in names)], asked.get("reviewer", "")
    )
    answers = choice("answer", "Answer", _ANSWERS, asked.get("answer", ""))
    return (
        f'<form class="facets" action="/answers" method="get" aria-label="Narrow the answers down">{reviewers}'
        f'{answers}<button type="submit" class="strong">Show</button> <a href="/answers">Clear</a></form>'
    )


def _table(run: Mapping[str, Any], answers: Sequence[Mapping[str, Any]]) -> str:
    titles = ["Pair", "Decision", "Who said what", *([] if run["read_only"] else ["Your answer"])]
    head = "".join(f'<th scope="col">{words}</th>' for words in titles)
    rows = "\n".join(_row(run, own) for own in answers)
    return (
        '<div class="scroll" role="region" aria-label="Answers" tabindex="0"><table class="decided">'
        f"<thead><tr>{head}</tr></thead>\n{rows}</table></div>"
    )


def _row(run: Mapping[str, Any], own: Mapping[str, Any]) -> str:
    question = own["question"]
    pair = pair_link(question["source"], question["target"], run["kind"])
    why = _WHY_ASKED.get(str(question.get("kind")), "")
    flag = '<span class="disagree">Reviewers disagree</span>' if own["disagreement"] else ""
    change = "" if run["read_only"] else f'<td class="change">{_change(question["id"])}</td>'
    history = own.get("history") or ()
    earlier = (
        f"<details><summary>All {len(history):,} answers</summary>{_said_list(history)}</details>"
        if len(history) > len(own["standing"])
        else ""
    )
    return (
        f'<tbody id="question-{question["id"]}"><tr><th scope="row">{pair}<span class="small">{why}</span></th>'
        f'<td class="decision">{said(own["answer"]) or "open"}{flag}</td>'
        f'<td class="who-said"><div class="standing">{_said_list(own["standing"])}</div>{earlier}</td>'
        f"{change}</tr></tbody>"
    )


def _said_list(rows: Sequence[Mapping[str, Any]]) -> str:
    """Who said what; data-by and data-said tell the script whose answer it is."""
    items = "".join(
        f'<li data-by="{escape(str(row["reviewer"]))}" data-said="{escape(str(row["answer"]))}">'
        f"{named(str(row['reviewer']))}: {said(row['answer'])}{_note(row)}</li>"
        for row in rows
    )
    return f"<ul>{items}</ul>" if items else ""


def _note(row: Mapping[str, Any]) -> str:
    return f'<span class="note-text">{shown(str(row["note"]))}</span>' if row.get("note") else ""


def _change(question: int) -> str:
    buttons = "".join(
        f'<button type="button" data-decide="{answer}">{words}</button>' for answer, words in DECISIONS
    )
    group = f'role="group" aria-label="Your answer" data-question="{question}"'
    return f'<div class="decisions js-only" {group}>{buttons}</div>'


def _reviewers(found: Mapping[str, Any]) -> str:
    rows = "".join(
        f'<tr><th scope="row">{named(str(own["name"]))}</th><td>{own["n_answers"]:,}</td>'
        f"<td>{_agrees(own)}</td></tr>"
        for own in found["reviewers"]
    )
    head = "".join(f'<th scope="col">{words}</th>' for words in ("Reviewer", "Answers", "Agrees with others"))
    table = (
        '<div class="scroll" role="region" aria-label="Reviewers" tabindex="0"><table class="plain">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
    controls = found.get("controls") or {}
    words = ""
    if controls.get("asked"):
        recorded = counted(controls["asked"], "recorded link")
        words = f"<p>Of {recorded} mixed in, {controls['recognised']:,} were recognised.</p>"
    return (table if rows else "<p>Nobody has answered yet.</p>") + words


def _agrees(own: Mapping[str, Any]) -> str:
    agrees = own.get("agrees")
    if agrees is None:
        return "nothing to compare"
    return per_cent(float(agrees))


def _files() -> str:
    names = (("reviews", "All answers"), ("accepted", "Pairs that are links"), ("absent", "Pairs that are none"))
    items = "".join(
        f'<li><a href="/api/export/{name}.csv" download>{words} ({name}.csv)</a></li>' for name, words in names
    )
    return f"<ul>{items}</ul>"
