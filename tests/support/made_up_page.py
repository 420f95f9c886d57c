"""Findings that no search made: a page's data with names chosen by a test."""

from __future__ import annotations

from dataclasses import replace

from pulink.calibration.reliability import Reliability
from pulink.report.find.content import Curve, DegreeClass, Drawing, FindPage, Link

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "abc\u202edcba\u202c (turned round)",
    "]]>",
    "nul\0byte",
    "<!-- open",
    "</script></style></title></svg></bdi></td></tr></table>",
    "&lt;b&gt; &amp;",
    "שלום 123",
    "tab\tand\nline",
    "lone \ud800 surrogate",
    "</text><foreignObject><body onload=alert(1)>",
    "javascript:alert(1)",
    "x" * 300,
    "\u2066isolate\u2069 \u200bnothing",
)


def harmless_names(n: int) -> tuple[str, ...]:
    return tuple(f"node {k}" for k in range(n))


def found(names: tuple[str, ...] = harmless_names(16), n_links: int = 12) -> FindPage:
    """Every part filled; whatever is text comes from the names, in turn."""
    ends = [(k % len(names), (3 * k + 1) % len(names)) for k in range(n_links)]
    probabilities = [0.99 - 0.9 * k / n_links for k in range(n_links)]
    links = tuple(
        Link(
            rank,
            names[a],
            names[b],
            p,
            3 * p,
            p / 2,
            (1 + p) / 2,
            (f"Both know {names[b]}.", f"{names[a]} is new.", "They share 3 neighbours."),
        )
        for rank, ((a, b), p) in enumerate(zip(ends, probabilities, strict=True), start=1)
    )
    observed = tuple((k, (k + 1) % len(names)) for k in range(len(names)))
    return FindPage(
        title=f"Missing links of {names[0]}",
        command=f"pulink find {names[1]} --out found",
        answer=f"About 1,244 links of {names[5]} are missing.",
        facts=(f"Method {names[4]}: AUROC 0.9215 on hidden edges.", "What would settle it: a check."),
        asked=f"{n_links} pairs without a recorded link, as {names[0]} asked.",
        read=(("Rows", "22,431"), (names[2], names[3])),
        notes=("Column age holds numbers.", names[1]),
        warnings=("Few edges.", names[4]),
        links=links,
        n_found=n_links,
        searched=f"all pairs of {names[6]}",
        reliability=Reliability((0.05, 0.35, 0.9), (0.04, 0.41, 0.86), (1200, 40, 310), 0.0213),
        history=(
            Curve(names[7], (1.0, 2.0, 3.0, 4.0), (0.91, 0.97, 0.94, 0.95), names[12 % len(names)], 2.0),
            Curve("Loss", (1, 2, 3), (3, 2, 1)),
        ),
        degree_classes=(DegreeClass("1", 2, 1), DegreeClass("2 to 3", 9, 23), DegreeClass("4 to 7", 5, 0)),
        drawing=Drawing(
            names,
            tuple(2 + k % 5 for k in range(len(names))),
            observed,
            tuple((a, b, p) for (a, b), p in zip(ends, probabilities, strict=True)),
        ),
        settings=(("method", "pull-plus"), (names[8], names[9])),
        versions=(("pulink", "0.1.0"), (names[10], names[11])),
    )


def nothing_found() -> FindPage:
    """All that can be left out is left out."""
    empty = replace(found(), facts=(), read=(), notes=(), warnings=(), reliability=None, history=())
    empty = replace(empty, asked="No list can be expected to hold less than 10% false links.", links=(), n_found=0)
    return replace(empty, degree_classes=(), drawing=None, settings=(), versions=())
