"""The sections with pictures, each with the words it takes to read it. A section without data is an empty text."""

from __future__ import annotations

from collections.abc import Sequence

from pulink.calibration.reliability import Reliability
from pulink.report.find.content import Curve, DegreeClass, Drawing
from pulink.report.find.drawing import COLOURED, Scene, scene_of
from pulink.report.find.labels import clipped
from pulink.report.find.network_svg import FAINTEST, network_svg, shape
from pulink.report.html.blocks import beside, key, keys, numbers, section
from pulink.report.html.charts import curve_chart, degree_chart, kept_words, reliability_chart
from pulink.report.html.escape import flat, named, per_cent, rounded, shown
from pulink.text import plural

# Two points always lie on a line.
_FEWEST_BINS = 3

_ZOOM = """\
<div class="zoom js-only" role="group" aria-label="Zoom">
<button type="button" data-zoom="in" aria-label="Zoom in" title="Zoom in (+)">+</button>
<button type="button" data-zoom="out" aria-label="Zoom out" title="Zoom out (-)">&minus;</button>
<button type="button" data-zoom="all" aria-label="Show all" title="Show all (0)">All</button>
</div>"""

_PANEL = """\
<p id="chosen" class="js-only" role="status"></p>
<section id="node" class="js-only" aria-label="The chosen node" tabindex="-1" hidden></section>"""


def drawing_section(drawing: Drawing | None) -> str:
    scene = None if drawing is None else scene_of(drawing)
    if drawing is None or scene is None:
        return ""
    return "\n".join(
        [
            '<section id="drawing" aria-label="Drawing of the likeliest links">',
            f'<figure>\n<div class="canvas">{network_svg(scene, drawing.degrees, drawing.n_from)}{_ZOOM}</div>',
            _PANEL,
            legend(scene),
            f"<figcaption>{scene.words} {direction(scene)}Larger nodes have more recorded links."
            ' <span class="js-only">Choose a node'
            " or a dashed line, drag to move, use the wheel"
            " to zoom.</span></figcaption>\n</figure>",
            "</section>",
        ]
    )


def direction(scene: Scene) -> str:
    """Which way arrows run; nothing where there are none."""
    if not scene.kind.is_directed:
        return ""
    source, target = (named(clipped(end)) for end in scene.kind.ends)
    return f"Arrows run from {source} to {target}. "


def legend(scene: Scene) -> str:
    """Lines, then the groups or types, which are told by name as well as by colour."""
    probabilities = [rounded(p) for _, _, p in (scene.proposed[0], scene.proposed[-1])]
    entries = [key("observed", "recorded"), key("proposed", f"proposed, {probabilities[0]}")]
    if probabilities[0] != probabilities[1]:
        entries.append(key("proposed", probabilities[1], FAINTEST))
    for number, group in enumerate(scene.named_groups, start=1):
        words = f"group {number}: {named(clipped(group.around))} and {group.n_nodes - 1:,} more"
        entries.append(f'<span class="key group" data-group="{number}">{_dot(number)}<span>{words}</span></span>')
    for number, name in enumerate(scene.type_names[:COLOURED]):
        if number in scene.groups:
            words = f'<span><bdi class="type">{shown(clipped(name))}</bdi></span>'
            entries.append(
                f'<span class="key group" data-group="{number + 1}">{_dot(number + 1, number)}{words}</span>'
            )
    if -1 in scene.groups:
        others = "another type" if scene.type_names else "in no large group"
        entries.append(f'<span class="key">{_dot(0)}{others}</span>')
    return keys(*entries)


def _dot(group: int, type_number: int = 0) -> str:
    tag, place = shape(type_number, 6, 6, 5)
    # The circle of a legend has plain numbers.
    mark = (
        f'<circle class="g{group}" cx="6" cy="6" r="5"/>'
        if tag == "circle"
        else f'<rect class="g{group}" {place}/>'
    )
    return f'<svg class="dot" viewBox="0 0 12 12" aria-hidden="true">{mark}</svg>'


def reliability_section(reliability: Reliability | None) -> str:
    """What the hidden edges say of the probabilities; one sentence where they say nothing."""
    if reliability is None:
        return ""
    bins = reliability.bins
    title = "Can the probabilities be trusted?"
    if reliability.error is None or len(bins) < _FEWEST_BINS:
        few = "No pair was" if not bins else "Too few pairs were"
        words = f"{few} given a probability of 5% or more: the hidden edges cannot test the probabilities."
        return section("reliability", title, f"<p>{words}</p>")
    words = beside(
        reliability_chart(bins),
        "<p>On average, probabilities and hidden edges are "
        f"<strong>{100 * reliability.error:.2g} percentage points</strong> apart.</p>",
        "<p>Some edges were hidden from the method. Half of them turned its scores into probabilities, the other "
        "half tested these. A dot stands for pairs that were given about the same probability, at least 5%; its "
        "height is the share of them that are links, by the hidden edges. On the dashed line both agree; below it "
        "the probabilities are too large, above it too small. Large dots stand for many pairs.</p>",
        "<details>\n<summary>What is not tested</summary>\n<p>The height of a dot is the share of hidden edges "
        "among its pairs, divided by the share that hidden edges are thought to be of all links that the method "
        "was not shown. So how many links are missing in all is not tested here. And these are probabilities "
        "before the hidden edges were shown: once they are, a pair that is still unconnected is a little less "
        "likely to be a link.</p>\n</details>",
        numbers(
            ("Probability given", "Links, by the hidden edges", "Pairs"),
            [(per_cent(p), per_cent(s), f"{n:,}") for p, s, n in bins],
        ),
    )
    return section("reliability", title, words)


def degree_section(classes: Sequence[DegreeClass]) -> str:
    n_links = sum(c.n_ends for c in classes) // 2
    if not n_links:
        return ""
    lines = keys(key("faint", "all nodes"), key("second", "ends of proposed links"))
    words = beside(
        lines + degree_chart(classes),
        "<p>Nodes with 1, with 2 to 3, with 4 to 7 recorded links, and so on: how many of all nodes are such, and "
        "how many ends of the proposed links. Where the second bar is much the higher, the list is about these "
        "nodes.</p>",
        numbers(
            ("Recorded links", "Nodes", "Ends of proposed links"),
            [(c.label, f"{c.n_nodes:,}", f"{c.n_ends:,}") for c in classes],
        ),
    )
    return section("degrees", f"Which nodes the {plural(n_links, 'link joins', 'links join')}", words)


def history_section(history: Sequence[Curve]) -> str:
    charts = [(curve, chart) for curve in history if (chart := curve_chart(curve)) is not None]
    if not charts:
        return ""
    figures = "\n".join(f"<figure>{chart}{_kept(curve)}</figure>" for curve, chart in charts)
    return section("history", "How learning went", f'<div class="panels">\n{figures}\n</div>')


def _kept(curve: Curve) -> str:
    words = kept_words(curve)
    return f"<figcaption>{flat(words)}</figcaption>" if words else ""
