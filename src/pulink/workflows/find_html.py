"""What a notebook shows of a found list. Names come from other people's files: they are shown, never obeyed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pulink.report.html.escape import named, shown
from pulink.workflows import messages

if TYPE_CHECKING:
    from pulink.workflows.find import FindResult

_ROWS = 20


def found_html(result: FindResult) -> str:
    """A short summary over the first rows of the list."""
    parts = [f"<p>{shown(words)}</p>" for words in _summary(result)]
    rows = "".join(
        f"<tr><td>{named(source)}</td><td>{named(target)}</td><td>{probability:.6f}</td></tr>"
        for source, target, probability in result.found.head(_ROWS)
        .select("source", "target", "probability")
        .rows()
    )
    head = "<tr><th>source</th><th>target</th><th>probability</th></tr>"
    title = shown(f"Missing links of {result.source.edges}")
    parts.append(f"<table><caption>{title}</caption><thead>{head}</thead><tbody>{rows}</tbody></table>")
    if (n_more := result.found.height - _ROWS) > 0:
        parts.append(f"<p>{n_more:,} more in <code>.links</code></p>")
    return "<div>" + "".join(parts) + "</div>"


def _summary(result: FindResult) -> list[str]:
    words = [f"method {result.request.method}: {messages.chosen(result.model)}"]
    if result.missing is not None:
        words.append(messages.missing(result.missing, result.model.missing_share))
    if not result.found.height:
        words.append(result.request.query.describe(0, 0))
    return [messages.sentence(text) for text in [*words, *(f"warning: {warning}" for warning in result.warnings)]]
