"""What a notebook shows of a found list. Names come from other people's files: they are shown, never obeyed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pulink.report.html.escape import named, shown
from pulink.workflows import find_output
from pulink.workflows.words import messages
from pulink.workflows.words.link_table import drawn_rows, ties

if TYPE_CHECKING:
    from pulink.workflows.find import FindResult

_ROWS = 20


def found_html(result: FindResult) -> str:
    """A short summary over the first rows of the list."""
    parts = [f"<p>{shown(words)}</p>" for words in _summary(result)]
    by_node = result.request.query.per_node is not None
    first = result.found.head(_ROWS)
    explained = find_output.with_reasons(first, find_output.reasons(result.model, first))
    columns, rows = drawn_rows(explained, result.found, result.graph.ends, by_node=by_node)
    head = "".join(f"<th>{shown(name)}</th>" for name in columns)
    body = "".join(
        f"<tr><td>{rank}</td><td>{named(source)}</td><td>{named(target)}</td><td>{shown(number)}</td>"
        f"<td>{shown(reason)}</td></tr>"
        for rank, source, target, number, reason in rows
    )
    title = shown(f"Missing links of {result.source.edges}")
    parts.append(f"<table><caption>{title}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    if (tied := ties(result.found, by_node=by_node)) is not None:
        parts.append(f"<p>{shown(messages.sentence(tied))}</p>")
    if (n_more := result.found.height - _ROWS) > 0:
        parts.append(f"<p>{n_more:,} more in <code>.links</code></p>")
    return "<div>" + "".join(parts) + "</div>"


def _summary(result: FindResult) -> list[str]:
    known = result.headline
    words = [f"method {result.request.method}", *known.before_search, *known.of_list]
    if not result.found.height:
        words.append(result.request.query.describe(0, 0))
    return [messages.sentence(text) for text in [*words, *(f"warning: {warning}" for warning in result.warnings)]]
