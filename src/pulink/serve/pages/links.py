"""The list of links, narrowed down by probability, node, group and answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from pulink.report.find.content import Link
from pulink.report.find.labels import clipped
from pulink.report.find.links_table import probability_bar, probability_words
from pulink.report.html.escape import flat, shown
from pulink.serve.pages.addresses import link, node_link, pair_address, query
from pulink.serve.pages.frame import choice, framed, heading
from pulink.text import counted

_SHARES = ("0.05", "0.1", "0.25", "0.5", "0.75", "0.9", "0.95")
_ANSWERED = (
    ("any", "any"), ("yes", "answered"), ("no", "not answered"), ("link", "link"), ("no link", "no link"),
    ("unsure", "unsure"),
)  # fmt: skip


def links_page(run: Mapping[str, Any], found: Mapping[str, Any], asked: Mapping[str, str]) -> str:
    """asked: the query string, as it came."""
    parts = [
        heading("Links", "Pairs that are most likely connected although nobody recorded it, the likeliest first."),
        _facets(found, asked),
        f'<p role="status">{counted(found["n_links"], "link")}.</p>',
        links_table(found["links"]) if found["links"] else "<p>No link is like this.</p>",
        _pager(found, asked),
    ]
    return framed("Links", run, parts, here="/links", twin=query("/api/links", asked), scripts=("search.js",))


def _facets(found: Mapping[str, Any], asked: Mapping[str, str]) -> str:
    groups = [("", "any"), *(_group(own) for own in found["groups"])]
    return "\n".join(
        [
            '<form class="facets" action="/links" method="get" aria-label="Narrow the list down">',
            _share("min_probability", "Probability from", asked),
            _share("max_probability", "to", asked),
            '<label>Node <input name="node" list="nodes" autocomplete="off" spellcheck="false"'
            f' value="{escape(asked.get("node", ""))}" data-suggest></label><datalist id="nodes"></datalist>',
            choice("group", "Group", groups, asked.get("group", "")) if len(groups) > 1 else "",
            choice("answered", "Answer", _ANSWERED, asked.get("answered", "any")),
            '<button type="submit" class="strong">Show</button>',
            '<a href="/links">Clear</a>',
            "</form>",
        ]
    )


def _group(own: Mapping[str, Any]) -> tuple[str, str]:
    """A group's value, and words for it."""
    words = f"{own['group'] + 1}: {clipped(str(own['around']['name']))} and {own['n_nodes'] - 1:,} more"
    return str(own["group"]), words


def _share(name: str, label: str, asked: Mapping[str, str]) -> str:
    chosen = asked.get(name, "")
    known = chosen in ("", *_SHARES)
    options = [("", "any"), *((share, f"{100 * float(share):.0f}%") for share in _SHARES)]
    return choice(name, label, options if known else [*options, (chosen, chosen)], chosen)


def links_table(links: Sequence[Mapping[str, Any]], of: Mapping[str, Any] | None = None) -> str:
    """Rank, ends, probability, answer; each row leads to its pair.

    of  a node whose links these are: where all begin at it, its own name is left out
    """
    alone = of is not None and all(_alike(own["source"], of) for own in links)
    ends = (("end", "Other end"),) if alone else (("end", "Source"), ("end", "Target"))
    titles = (("rank", "Rank"), *ends, ("chance", "Probability"), ("said", "Answer"), ("go", "Pair"))
    head = "".join(f'<th scope="col" class="{kind}">{words}</th>' for kind, words in titles)
    rows = "\n".join(_row(own, alone) for own in links)
    return (
        '<div class="scroll" role="region" aria-label="Links" tabindex="0"><table class="rows">'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>"
    )


def _alike(node: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return (node["name"], node.get("type") or "") == (other["name"], other.get("type") or "")


def _row(own: Mapping[str, Any], alone: bool) -> str:
    source, target = own["source"], own["target"]
    first = "" if alone else f'<td class="end">{node_link(source)}</td>'
    rank = f"{own['rank']:,}" if own.get("rank") is not None else ""
    return (
        f'<tr><td class="rank">{rank}</td>{first}'
        f'<td class="end">{node_link(target)}</td><td class="chance">{chance(own)}</td>'
        f'<td class="said">{said(own.get("answer"))}</td>'
        f'<td class="go">{_look(source, target)}</td></tr>'
    )


def _look(source: Mapping[str, Any], target: Mapping[str, Any]) -> str:
    """Words that tell one row's from another's to those who hear them."""
    words = f"Look at {flat(str(source['name']))} and {flat(str(target['name']))}"
    return f'<a href="{escape(pair_address(source, target))}" aria-label="{words}">Look</a>'


def chance(own: Mapping[str, Any]) -> str:
    """A probability with its interval, in words and as a bar."""
    found = Link(0, "", "", float(own["probability"]), 0.0, own.get("low"), own.get("high"), ())
    return probability_words(found) + probability_bar(found)


def said(answer: str | None) -> str:
    """An answer in its colour; empty without one."""
    if not answer:
        return ""
    return f'<span class="said-{answer.replace(" ", "-")}">{shown(answer)}</span>'


def _pager(found: Mapping[str, Any], asked: Mapping[str, str]) -> str:
    page, size, n_links = found["page"], found["size"], found["n_links"]
    last = max(-(-n_links // max(size, 1)), 1)
    if last == 1:
        return ""
    return pager(page, last, "/links", asked)


def pager(page: int, last: int, path: str, asked: Mapping[str, str]) -> str:
    """The way to the pages before and after."""
    ways = [
        link(query(path, {**asked, "page": to}), words)
        for to, words in ((page - 1, "Previous"), (page + 1, "Next"))
        if 1 <= to <= last
    ]
    return f'<nav class="pager" aria-label="More">{"".join(ways)}<span>Page {page:,} of {last:,}</span></nav>'
