"""One pair at a time: is it a link? The script asks and sends; probabilities are never shown here."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from pulink.report.html.escape import named
from pulink.serve.pages.estimate import estimate_panel
from pulink.serve.pages.frame import framed
from pulink.serve.pages.pair import between

# What may be answered, its key, and the words on its button.
_ANSWERS = (("link", "a", "Link"), ("no link", "x", "No link"), ("unsure", "Space", "Unsure"))
_TOOLS = (("undo", "u", "Undo"), ("why", "w", "Why"), ("note", "n", "Note"), ("help", "?", "Help"))

_NAME = """\
<dialog id="name" aria-labelledby="name-title">
<form method="dialog">
<h2 id="name-title">Who answers?</h2>
<p>Answers are kept under a name, so that several people can review the same graph. It is asked for once.</p>
<p><label for="reviewer">Your name</label>
<input id="reviewer" required maxlength="100" autocomplete="nickname" value="{reviewer}"></p>
<p><button type="submit" class="strong">Begin</button></p>
</form>
</dialog>"""

_HELP = """\
<dialog id="help" aria-labelledby="help-title">
<h2 id="help-title">Keys</h2>
<dl class="keys-list">{keys}</dl>
<p><label class="check"><input type="checkbox" id="single-keys" checked> Answer by single keys</label></p>
<p>Each answer is written to disk before the next pair is shown. Undo takes back your last answer, and the pair is
asked again. Probabilities are not shown, so that they do not decide for you.</p>
<form method="dialog"><button type="submit" class="strong" autofocus>Close</button></form>
</dialog>"""


def review_page(run: Mapping[str, Any], estimate: Mapping[str, Any]) -> str:
    goal, n_answered = run["questions"]["goal"], run["questions"]["answered"]
    parts = [
        '<h1 class="page-title">Review</h1>',
        '<div class="review">',
        '<div class="asking">',
        _criterion(run),
        _progress(n_answered, goal),
        _question(str(run["kind"])),
        "</div>",
        '<div class="side">',
        estimate_panel(estimate, live=True),
        _who(),
        "</div>",
        "</div>",
        _NAME.format(reviewer=escape(str(run["reviewer"]))),
        _HELP.format(keys=_keys()),
        '<noscript><p class="lead">The questions need a script. Answers can be read without one.</p></noscript>',
        _bar() if not run["read_only"] else "",
    ]
    return framed(
        "Review", run, parts, here="/review", twin="/api/estimate",
        scripts=("review.js",), styles=("review.css",),
    )  # fmt: skip


def _criterion(run: Mapping[str, Any]) -> str:
    """What to answer by, in sight all the time."""
    first, second = (named(str(end)) for end in run["ends"])
    way = f" Read it from {first} to {second}." if run["kind"] == "directed" else ""
    return (
        '<p class="criterion" id="criterion"><strong>Link</strong> if this pair belongs into the graph, by all '
        "that you know or can look up. <strong>No link</strong> if it does not. <strong>Unsure</strong> if you "
        f"cannot tell.{way}</p>"
    )


def _progress(n_answered: int, goal: int) -> str:
    value = min(n_answered, goal)
    return (
        f'<p class="count"><span id="count">{n_answered:,} of {goal:,} answered</span>'
        f'<progress id="progress" max="{goal}" value="{value}" aria-labelledby="count"></progress></p>'
    )


def _question(kind: str) -> str:
    return "\n".join(
        [
            f'<section class="question" aria-labelledby="pair" data-between="{between(kind)}">',
            '<h2 id="pair" tabindex="-1" aria-describedby="criterion">The next pair is on its way.</h2>',
            '<div id="reasons"></div>',
            '<div id="drawing-of-pair" hidden></div>',
            '<p class="note"><label for="note">Note, kept with your answer</label>'
            '<textarea id="note" rows="2" maxlength="2000"></textarea></p>',
            "</section>",
        ]
    )


def _who() -> str:
    return (
        '<p class="who js-only">You answer as <bdi id="who"></bdi> '
        '<button type="button" id="rename">Change</button></p>'
        '<p class="js-only"><label class="check"><input type="checkbox" id="second"> Ask me what others have '
        "answered: a second opinion</label></p>"
    )


def _bar() -> str:
    """Buttons that stand still: fixed to the window, whatever is above them."""
    answers = "".join(_button("answer", what, key, words) for what, key, words in _ANSWERS)
    tools = "".join(_button("tool", what, key, words) for what, key, words in _TOOLS)
    return (
        '<div class="answers-bar" role="group" aria-label="Your answer">'
        f'<div class="answers-row">{answers}</div><div class="tools-row">{tools}</div>'
        '<p id="state" role="status"></p></div>'
    )


def _button(kind: str, what: str, key: str, words: str) -> str:
    return (
        f'<button type="button" data-{kind}="{what}" aria-keyshortcuts="{key}">{words}'
        f'<kbd aria-hidden="true">{key.lower()}</kbd></button>'
    )


def _keys() -> str:
    return "".join(
        f"<div><dt><kbd>{key.lower()}</kbd></dt><dd>{words}</dd></div>" for _, key, words in (*_ANSWERS, *_TOOLS)
    )
