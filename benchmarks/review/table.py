"""Simulated reviews as a table."""

from __future__ import annotations

from typing import Any

import numpy as np

_HEAD = """\
# Simulated reviews

`python -m benchmarks review`: from every graph a tenth of the edges was taken away, PULL+ was fitted to the rest,
and an oracle reviewed it {n} times, each time in another order of questions. Means over the splits that ran, and
the lowest coverage of a split. By node: edges of a quarter of the nodes are missing five times as often.

- ±: half the 90% interval of the number of missing links, as a share of it.
- coverage: how often the interval holds the true number.
- found: the estimate over the true number.
- tail: which share of the estimate lies below the pairs that may be asked about.
- certified: length of the certified list at 0.1 / 0.2, as a share of the longest list that keeps the level.
- broken: how often the certified list does not keep its level.

| graph | missing | splits | answers | ± | coverage (lowest) | found | tail | certified | best cut | broken |
|---|---|---|---|---|---|---|---|---|---|---|
"""


def table(rows: list[dict[str, Any]]) -> str:
    """Markdown: a row per graph, way of missing and number of answers; other reviewers at the end."""
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in rows:
        graph, way, _ = row["world"].rsplit(".", 2)
        groups.setdefault((row["reviewer"], graph, way), []).append(row)
    first = [line for key in sorted(groups) if key[0] == "oracle" for line in _lines(key, groups[key])]
    others = [line for key in sorted(groups) if key[0] != "oracle" for line in _lines(key, groups[key])]
    counts = sorted({row["n_reviews"] for row in rows})
    return _HEAD.replace("{n}", " or ".join(map(str, counts))) + "".join(first + others)


def _lines(key: tuple[str, str, str], rows: list[dict[str, Any]]) -> list[str]:
    reviewer, graph, way = key
    named = graph if reviewer == "oracle" else f"{graph}, {reviewer}"
    lines = []
    for n in rows[0]["answers"]:
        every = [row["answers"][n] for row in rows]
        mean = {name: float(np.mean([one[name] for one in every])) for name in every[0]}
        lowest = min(one["coverage"] for one in every)
        cuts = " / ".join(f"{np.mean([row['best_cut'][k] for row in rows]):,.0f}" for k in (0, 1))
        missing = "at random" if way == "random" else "by node"
        lines.append(
            f"| {named} | {missing} | {len(rows)} | {n} | {mean['width']:.0%} "
            f"| {mean['coverage']:.2f} ({lowest:.2f}) | {mean['ratio']:.2f} | {mean['tail_share']:.0%} "
            f"| {mean['length_0.1']:.2f} / {mean['length_0.2']:.2f} | {cuts} "
            f"| {mean['broken_0.1']:.2f} / {mean['broken_0.2']:.2f} |\n"
        )
    return lines
