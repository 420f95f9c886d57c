"""Tables of PULL+ in docs/pull-plus.md, from the runs in results/; `page_tables` writes them."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from scipy import stats

from benchmarks.measure import ROOT
from pulink.experiments.spec import Experiment, experiments
from pulink.methods.pull_plus.candidates import SOURCES
from pulink.metrics import measure

RUNS = ROOT / "results"
PLUS = "pull-plus"
PAPER = ("pubmed", "chameleon", "crocodile", "facebook", "physics", "cora", "citeseer")
UNTOUCHED = (
    "squirrel", "twitch-engb", "twitch-ptbr", "dblp", "amazon-photo", "lastfm-asia", "usair", "ns", "power",
    "router", "celegans",
)  # fmt: skip
EFFORTS = ("pull-plus.fast", PLUS, "pull-plus.high")
RECORDS = EFFORTS[1:]
BY_EFFORT = ("pubmed", "chameleon", "facebook", "cora", "citeseer", "twitch-ptbr", "lastfm-asia", "usair")

# Splits that a test needs.
FEWEST_TESTED = 3

BUILT_UP = {
    "structure-alone": "structure, one fold, far trees",
    "with-spectrum": "+ eigenvectors",
    "with-encoders": "+ encoders",
    "with-attributes": "+ attributes",
    "with-pair-net": "+ network of pairs",
    "with-folds": "+ folds",
    "with-candidates": "+ candidates and near trees",
    "": "+ estimated labels",
}
BUILT_ON = ("chameleon", "twitch-ptbr", "cora")


def beside_others(names: Sequence[str], *, first_split: bool = False) -> str:
    """PULL+ and the best other method by each measure: means over the splits of each, or the first."""
    lines = [
        "| graph | splits | PULL+ AUROC / AUPRC | best other | PULL+ precision@K | best other | PULL+ seconds |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in names:
        runs = _runs(name)
        if first_split:
            runs = {
                method: first for method, of in runs.items() if (first := [run for run in of if not run["seed"]])
            }
        own = runs.pop(PLUS, [])
        if not own:
            continue
        auroc, auprc = _mean(own, "auroc"), _mean(own, "auprc")
        others = [_best(runs, key) for key in ("auroc", "auprc")]
        said = f"{others[0][0]} {100 * others[0][1]:.2f} / {others[1][0]} {100 * others[1][1]:.2f}"
        if others[0][0] == others[1][0]:
            said = f"{others[0][0]} {100 * others[0][1]:.2f} / {100 * others[1][1]:.2f}"
        method, precision = _best(runs, "precision_at_k")
        lines.append(
            f"| {name} | {len(own)} | {100 * auroc:.2f} / {100 * auprc:.2f} | {said} | "
            f"{_mean(own, 'precision_at_k'):.3f} | {method} {precision:.3f} | {_mean(own, 'cpu_seconds'):.0f} |"
        )
    return "\n".join(lines) + "\n"


def by_source() -> str:
    """The share of the validation edges that each source of candidates holds, first split."""
    first = {name: run for name in PAPER for run in _runs(name).get(PLUS, []) if not run["seed"]}
    sources = [source for source in SOURCES if any(source in run["recall"] for run in first.values())]
    lines = [f"| validation edges among | {' | '.join(sources)} | all |", "|---" * (2 + len(sources)) + "|"]
    for name, run in first.items():
        cells = (f"{run['recall'][source]:.2f}" if source in run["recall"] else "" for source in [*sources, "all"])
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def by_effort() -> str:
    """AUROC, precision@K and processor seconds of the fit at each effort, on the splits that all three have."""
    lines = ["| graph | splits | fast | normal | high |", "|---|---|---|---|---|"]
    for name in BY_EFFORT:
        runs = _runs(name)
        shared = set.intersection(*({run["seed"] for run in runs.get(effort, [])} for effort in EFFORTS))
        if not shared:
            continue
        cells = []
        for effort in EFFORTS:
            of = [run for run in runs[effort] if run["seed"] in shared]
            figures = f"{100 * _mean(of, 'auroc'):.2f}, {_mean(of, 'precision_at_k'):.3f}"
            cells.append(f"{figures}, {_mean(of, 'cpu_seconds'):.0f} s")
        lines.append(f"| {name} | {len(shared)} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def before_and_now(earlier: dict[str, Any]) -> str:
    """PULL+ of an earlier revision and of this one, on the splits that both have, with Student's paired test."""
    heads = ["AUROC", "precision@K", "average precision"]
    lines = [f"| graph | splits | {' | '.join(heads)} | seconds |", "|---" * (3 + len(heads)) + "|"]
    for name, before in earlier["runs"].items():
        now = {run["seed"]: run for run in _runs(name).get(PLUS, [])}
        both = [(run, now[run["seed"]]) for run in before if run["seed"] in now]
        if not both:
            continue
        cells = [
            _compared([(scale * old[key], scale * new[key]) for old, new in both], form)
            for key, scale, form in (
                ("auroc", 100, ".2f"),
                ("precision_at_k", 1, ".3f"),
                ("list_precision", 1, ".4f"),
                ("cpu_seconds", 1, ".0f"),
            )
        ]
        cells[-1] = cells[-1].partition(" (")[0]
        lines.append(f"| {name} | {len(both)} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _compared(values: list[tuple[float, float]], form: str) -> str:
    """Means before and now, and p where there are splits enough for a test."""
    old, new = (statistics.fmean(side) for side in zip(*values, strict=True))
    said = f"{old:{form}} to {new:{form}}"
    gains = [after - before for before, after in values]
    if len(gains) < FEWEST_TESTED or not any(gains):
        return said
    return f"{said} (p = {stats.ttest_1samp(gains, 0.0).pvalue:.2f})"


def by_record() -> str:
    """The first measure of other people's protocols, at two efforts, beside the best number that they printed."""
    lines = [
        "| graph | measure | normal | high | best published | seconds, normal and high |",
        "|---|---|---|---|---|---|",
    ]
    for experiment in experiments().values():
        if experiment.name.startswith("records-"):
            lines += [row for column in experiment.columns if (row := _record(experiment, column.dataset))]
    return "\n".join(lines) + "\n"


def _record(experiment: Experiment, dataset: str) -> str:
    """One graph's row; empty where neither effort was run."""
    assert experiment.protocol is not None
    measured = measure(experiment.measures[0])
    runs = [_protocol_runs(dataset, effort, experiment.protocol.name) for effort in RECORDS]
    if not any(runs):
        return ""
    values = {
        each.method: each.values[dataset][measured.name][0]
        for each in experiment.published
        if dataset in each.values
    }
    best = max(values, key=lambda method: values[method])
    figures = [_with_spread(of, measured.name) for of in runs]
    seconds = ", ".join(f"{_mean(of, 'cpu_seconds'):.0f}" if of else "" for of in runs)
    return (
        f"| {dataset} | {measured.title} | " + " | ".join(figures) + f" | {best} {values[best]:.2f} | {seconds} |"
    )


def _with_spread(runs: Sequence[dict[str, Any]], key: str) -> str:
    """Mean, standard deviation and number of splits, or of seeds."""
    if not runs:
        return ""
    values = [100 * run[key] for run in runs]
    spread = f" ± {statistics.stdev(values):.2f}" if len(values) > 1 else ""
    return f"{statistics.fmean(values):.2f}{spread} ({len(values)})"


def by_parts() -> str:
    """AUROC and average precision as parts are added, on the splits that all rows of a graph have."""
    methods = [f"{PLUS}.{variant}" if variant else PLUS for variant in BUILT_UP]
    shared = {
        name: set.intersection(*({run["seed"] for run in _all_runs(name).get(method, [])} for method in methods))
        for name in BUILT_ON
    }
    names = [name for name in BUILT_ON if shared[name]]
    heads = [f"{name}, splits: {len(shared[name])}" for name in names]
    lines = ["| | " + " | ".join(heads) + " |", "|---" * (1 + len(names)) + "|"]
    for method, words in zip(methods, BUILT_UP.values(), strict=True):
        cells = []
        for name in names:
            of = [run for run in _all_runs(name)[method] if run["seed"] in shared[name]]
            cells.append(f"{100 * _mean(of, 'auroc'):.2f}, {_mean(of, 'list_precision'):.3f}")
        lines.append(f"| {words} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


@cache
def _all_runs(name: str) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for path in sorted((RUNS / name).glob("*/missing-0.1-seed-*.json")):
        if run := json.loads(path.read_text()).get("run"):
            found.setdefault(path.parent.name, []).append(run)
    return found


def _protocol_runs(name: str, method: str, protocol: str) -> list[dict[str, Any]]:
    paths = sorted((RUNS / name / method).glob(f"{protocol}-seed-*.json"))
    return [run for path in paths if (run := json.loads(path.read_text()).get("run"))]


def _runs(name: str) -> dict[str, list[dict[str, Any]]]:
    """Of one dataset by method; of PULL+ the default and, for the table of efforts, the other efforts alone."""
    every = _all_runs(name)
    return {
        method: runs for method, runs in every.items() if not method.startswith(f"{PLUS}.") or method in EFFORTS
    }


def _mean(runs: Iterable[dict[str, Any]], key: str) -> float:
    return statistics.fmean(run[key] for run in runs if run.get(key) is not None)


def _best(runs: dict[str, list[dict[str, Any]]], key: str) -> tuple[str, float]:
    means = {
        method: _mean(of, key)
        for method, of in runs.items()
        if not method.startswith(PLUS) and any(run.get(key) is not None for run in of)
    }
    best = max(means, key=lambda method: means[method])
    return best, means[best]
