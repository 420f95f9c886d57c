"""The sections with pictures, each with the words it takes to read it. A section without data is an empty text."""

from __future__ import annotations

from collections.abc import Sequence

from pulink.calibration.reliability import Reliability
from pulink.report.find.content import Curve, Drawing
from pulink.report.find.drawing import FAINTEST, draw
from pulink.report.html.blocks import beside, key, keys, numbers, section
from pulink.report.html.charts import curve_chart, degree_chart, degree_rows, kept_words, reliability_chart
from pulink.report.html.escape import flat, per_cent
from pulink.text import counted, plural

_ENLARGE = '<button type="button" id="enlarge" aria-pressed="false">Enlarge</button>'


def drawing_section(drawing: Drawing | None) -> str:
    picture = None if drawing is None else draw(drawing)
    if picture is None:
        return ""
    entries = [key("observed", "observed link"), key("proposed", f"proposed link, {per_cent(picture.likeliest)}")]
    if per_cent(picture.unlikeliest) != per_cent(picture.likeliest):
        entries.append(key("proposed", f"proposed link, {per_cent(picture.unlikeliest)}", FAINTEST))
    return section(
        "drawing",
        "Where the likeliest links are",
        keys(*entries, _ENLARGE if picture.enlarging_helps else ""),
        f'<figure>\n<div class="scroll" tabindex="0" role="region" aria-label="Drawing">{picture.svg}</div>',
        f"<figcaption>{picture.words}</figcaption>\n</figure>",
    )


def reliability_section(reliability: Reliability | None) -> str:
    bins = [] if reliability is None else reliability.bins
    if reliability is None or reliability.error is None:
        return ""
    words = beside(
        reliability_chart(bins),
        "<p>Some edges were hidden from the method. Half of them turned its scores into probabilities, the other "
        "half tested these. A dot stands for a group of pairs that were given about the same probability, at "
        "least 5%. Its height is the share of them that are links, by the hidden edges: the share of hidden edges "
        "among them, divided by the share that hidden edges are thought to be of all links that the method was "
        "not shown. Large dots stand for many pairs. These are probabilities before the hidden edges were shown: "
        "once they are, a pair that is still unconnected is a little less likely to be a link.</p>",
        "<p>On the dashed line both agree: of the pairs given 70%, the hidden edges say that 70% are links. Below "
        "the line the probabilities are too large, above it too small. How many links are missing in all is not "
        "tested here.</p>",
        f"<p>On average the two are <strong>{100 * reliability.error:.2g} percentage points</strong> apart.</p>",
        numbers(
            ("Probability given", "Links, by the hidden edges", "Pairs"),
            [(per_cent(p), per_cent(s), f"{n:,}") for p, s, n in bins],
        ),
    )
    return section("reliability", "Can the probabilities be trusted?", words)


def degree_section(before: Sequence[int], after: Sequence[int]) -> str:
    if not before:
        return ""
    lines = keys(key("first", "observed links"), key("second", "with the links proposed here"))
    rows = [(label, f"{a:,}", f"{b:,}") for label, a, b in degree_rows(before, after)]
    means = [sum(degrees) / len(degrees) for degrees in (before, after)]
    words = beside(
        lines + degree_chart(before, after),
        "<p>The height of a line says how many nodes have at least so many links. Both axes grow by factors of "
        "ten, so that nodes with few and with very many links fit into one picture. Where the two lines part, the "
        "proposed links change who is well connected; where they lie on each other, they hardly do.</p>",
        f"<p>On average a node has {means[0]:.2f} links, and {means[1]:.2f} with the proposed ones."
        f"{_lonely(before, after)}</p>",
        numbers(("Links of a node", "Nodes before", "Nodes after"), rows),
    )
    return section("degrees", "How many links the nodes have", words)


def _lonely(before: Sequence[int], after: Sequence[int]) -> str:
    """Nodes without a link, which a log axis cannot show."""
    n_before, n_after = (sum(degree == 0 for degree in degrees) for degrees in (before, after))
    if not n_before:
        return ""
    hidden = f"{counted(n_before, 'node')} without any link {plural(n_before, 'is', 'are')} not in the picture"
    return f" {hidden}; with the proposed links {n_after:,} would be left."


def history_section(history: Sequence[Curve]) -> str:
    charts = [(curve, chart) for curve in history if (chart := curve_chart(curve)) is not None]
    if not charts:
        return ""
    figures = "\n".join(f"<figure>{chart}{_kept(curve)}</figure>" for curve, chart in charts)
    return section("history", "How learning went", f'<div class="panels">\n{figures}\n</div>')


def _kept(curve: Curve) -> str:
    words = kept_words(curve)
    return f"<figcaption>{flat(words)}</figcaption>" if words else ""
