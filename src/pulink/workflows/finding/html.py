"""What a notebook shows of a found list. Names come from other people's files: they are shown, never obeyed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pulink.report.find.notebook import notebook_drawing, notebook_html, notebook_table
from pulink.report.html.escape import named, shown
from pulink.workflows.finding import output as find_output
from pulink.workflows.words import messages
from pulink.workflows.words.link_table import drawn_rows, ties

if TYPE_CHECKING:
    from pulink.workflows.finding.result import FindResult

# Links in the table, and links in the drawing: a small one is read up to here.
_ROWS, _DRAWN = 20, 50


def found_html(result: FindResult) -> str:
    """A short summary over the first rows of the list, and beside them a drawing of the best links."""
    by_node = result.request.query.per_node is not None
    first = result.found.head(_ROWS)
    explained = find_output.with_reasons(first, result.reasons_of(first))
    columns, rows = drawn_rows(explained, result.found, result.graph.ends, by_node=by_node)
    table = notebook_table(
        shown(f"Missing links of {result.source.edges}"),
        [shown(name) for name in columns],
        [
            [rank, named(source), named(target), shown(number), shown(reason)]
            for rank, source, target, number, reason in rows
        ],
    )
    after = []
    if (tied := ties(result.found, by_node=by_node)) is not None:
        after.append(shown(messages.sentence(tied)))
    if (n_more := result.found.height - _ROWS) > 0:
        after.append(f"{n_more:,} more in <code>.links</code>")
    drawn = result.found.head(_DRAWN)
    drawing = notebook_drawing(result._around(drawn), drawn)
    return notebook_html([shown(words) for words in _summary(result)], table, drawing, after)


def _summary(result: FindResult) -> list[str]:
    known = result.headline
    words = [f"method {result.request.method}", *known.before_search, *known.of_list]
    if not result.found.height:
        words.append(result.request.query.describe(0, 0))
    return [messages.sentence(text) for text in [*words, *(f"warning: {warning}" for warning in result.warnings)]]
