"""What a hundred answers bring to the next fit, beyond the pairs that were answered.

    python -m benchmarks.review.retraining FOLDER [GRAPH ...]
    python -m benchmarks.review.retraining FOLDER table

A tenth of the edges is taken away, at random, and PULL+ is fitted to the rest. A hundred pairs are drawn as a
review draws them, and an oracle answers. Then PULL+ is fitted again, as `find --reviews` does it: accepted pairs
are edges that are never hidden, rejected ones are known to be no links, and the number of missing links is the
review's. All models rank all unconnected pairs but those that were answered; average precision is of the links
that were taken away and nobody has found yet.

The model that asked has an advantage among the pairs that are left: its own mistakes near the top were answered,
and do not count. And chance in the training moves average precision by more than a hundred answers may. So what is
learned is measured with another seed than that of the questions, in two fits that differ by the answers alone:

    before      the model that asks, seed = split
    again       the same seed with all answers: what a user gets who compares the rest of the old list with the new
    plain       another seed, without answers
    all         that seed, with all answers; against `plain`
    links, no links, number    that seed, with accepted pairs, rejected ones, or the number of missing links alone

A file per graph, split and way; what is there already is not done again. `table` prints mean differences, paired
over splits, their t, and how many splits gain.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import pulink
from benchmarks.review.worlds import removed_edges
from pulink import metrics
from pulink.calibration.review.answers import DrawnAnswers
from pulink.calibration.review.design import ReviewDesign
from pulink.calibration.review.estimate import review_estimate
from pulink.graph.graph import Graph
from pulink.predictor.link_lists import ordered
from pulink.system.files import write_atomically

GRAPHS = "usair", "celegans", "ns", "email_eu_core", "chameleon", "cora"
SPLITS = range(5)
BEFORE, AGAIN, PLAIN, ALL, LINKS, NO_LINKS, NUMBER = WAYS = (
    "before", "again", "plain", "all", "links", "no links", "number"
)  # fmt: skip
# What each way is compared with, and how far the other seed is from that of the questions.
AGAINST = {AGAIN: BEFORE, ALL: PLAIN, LINKS: PLAIN, NO_LINKS: PLAIN, NUMBER: PLAIN}
_OTHER_SEED = 100
N_ANSWERS = 100
_BATCH = 200_000

Pairs = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Answers:
    """Pairs that were drawn, and the number of missing links by the review, those it found among them."""

    links: Pairs
    no_links: Pairs
    number: float


def reviewed(model: pulink.PULLPlus, whole: Graph, seed: int) -> Answers:
    """A hundred drawn pairs of a model's list, answered by a graph that has all links."""
    calibrator = model._ready_calibrator()
    assert calibrator is not None
    design = ReviewDesign.of(calibrator, seed)
    found, _ = model.best_pairs(design.zone)
    zone, _ = ordered(model.graph_.pair_space, found, model._scored(found))
    drawn = [0] * design.n_strata
    ranks: list[int] = []
    while len(ranks) < N_ANSWERS and (stratum := design.next_stratum(drawn, drawn)) is not None:
        ranks.append(design.draw(stratum, drawn[stratum]))
        drawn[stratum] += 1
    asked = np.array(ranks)
    is_link = whole.has_edges(zone[asked])
    told = review_estimate(design, DrawnAnswers.of(asked[is_link], asked[~is_link]))
    return Answers(zone[asked[is_link]], zone[asked[~is_link]], told.missing.best)


def taught(known: Graph, answers: Answers, way: str) -> tuple[Graph, float | None]:
    """The graph that is fitted again, and the share of links that is thought missing."""
    graph, number = known, max(answers.number - len(answers.links), 0.0)
    if way in (AGAIN, ALL, NO_LINKS):
        graph = graph.with_absent(answers.no_links)
    if way in (AGAIN, ALL, LINKS):
        graph = graph.with_accepted(answers.links)
    return graph, number / (number + known.n_edges) if way in (AGAIN, ALL, NUMBER) else None


def average_precision(model: pulink.PULLPlus, whole: Graph, known: Graph, answered: Pairs) -> float:
    """Of the missing links among all pairs that are neither known nor answered."""
    pairs = _unconnected(known)
    pairs = pairs[~known.pair_space.isin(pairs, answered)]
    scores = np.concatenate(
        [model.decision_function(pairs[start : start + _BATCH]) for start in range(0, len(pairs), _BATCH)]
    )
    is_link = whole.has_edges(pairs)
    return metrics.auprc(scores[is_link], scores[~is_link])


def _unconnected(graph: Graph) -> Pairs:
    every = [graph.pair_space.pairs_with(node) for node in range(graph.n_nodes)]
    once = graph.pair_space.unique(np.concatenate(every))
    return np.asarray(once[~graph.has_edges(once)], dtype=np.int64)


def run(folder: Path, name: str, split: int, way: str) -> dict[str, Any]:
    """One fit, and what it is worth; the first one answers the questions too."""
    whole = pulink.load(name)
    gone = removed_edges(whole, "random", split)
    known, started = whole.keep_edges(~gone), time.perf_counter()
    if way == BEFORE:
        model = pulink.PULLPlus(threads=1, seed=split).fit(known)
        answers = reviewed(model, whole, split)
    else:
        first = json.loads(_file(folder, name, split, BEFORE).read_text())
        links, no_links = (np.array(first[part], dtype=np.int64).reshape(-1, 2) for part in ("links", "no_links"))
        answers = Answers(links, no_links, first["number"])
        graph, share = taught(known, answers, way)
        seed = split if way == AGAIN else split + _OTHER_SEED
        model = pulink.PULLPlus(threads=1, seed=seed, missing_share=share).fit(graph)
    answered, hidden = np.concatenate([answers.links, answers.no_links]), model.hidden_found()
    return {
        "graph": name,
        "split": split,
        "way": way,
        "average_precision": average_precision(model, whole, known, answered),
        "hidden": None if hidden is None else hidden.to_dict(),
        "n_missing": int(gone.sum()),
        "number": answers.number,
        "links": answers.links.tolist(),
        "no_links": answers.no_links.tolist(),
        "seconds": time.perf_counter() - started,
    }


def _file(folder: Path, name: str, split: int, way: str) -> Path:
    return folder / f"{name}.{split}.{way.replace(' ', '-')}.json"


def main(folder: Path, names: tuple[str, ...]) -> None:
    """All graphs before and after first, then where it comes from."""
    folder.mkdir(parents=True, exist_ok=True)
    for ways in ((BEFORE, AGAIN, PLAIN, ALL), (LINKS, NO_LINKS, NUMBER)):
        for split in SPLITS:
            for name in names:
                for way in ways:
                    file = _file(folder, name, split, way)
                    if not file.exists():
                        found = run(folder, name, split, way)
                        write_atomically(file, json.dumps(found, indent=1) + "\n")
                        print(
                            file.name, f"{found['average_precision']:.4f}", f"{found['seconds']:.0f} s", flush=True
                        )


def table(folder: Path) -> Iterator[str]:
    """A line per graph and way."""
    runs = [json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))]
    found = {(one["graph"], one["split"], one["way"]): one["average_precision"] for one in runs}
    for name in dict.fromkeys(one["graph"] for one in runs):
        for way, usual in AGAINST.items():
            splits = [split for split in SPLITS if {(name, split, usual), (name, split, way)} <= found.keys()]
            before, after = (np.array([found[name, split, one] for split in splits]) for one in (usual, way))
            if not splits:
                continue
            gain = after - before
            t = gain.mean() / (gain.std(ddof=1) / np.sqrt(len(gain))) if len(gain) > 1 else np.nan
            yield (
                f"{name:14} {way:9} {before.mean():.4f} -> {after.mean():.4f}  {gain.mean():+.4f}  t {t:5.2f}  "
                f"{(gain > 0).sum()} of {len(gain)} gain"
            )


if __name__ == "__main__":
    if sys.argv[2:] == ["table"]:
        print("\n".join(table(Path(sys.argv[1]))))
    else:
        main(Path(sys.argv[1]), tuple(sys.argv[2:]) or GRAPHS)
