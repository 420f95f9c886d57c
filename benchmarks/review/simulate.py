"""Reviews by an oracle, many times over.

    python -m benchmarks review [--worlds=FOLDER] [--reviews=500]

FOLDER is that of `benchmarks.review.worlds`. Every world is reviewed so many times, each time with another order
of questions; a JSON file per world and kind of reviewer in results/review, and a table in results/review.md. What
is there already is not done again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.review.worlds import World
from pulink.calibration.fdr import FdrCurve
from pulink.calibration.review.answers import DrawnAnswers
from pulink.calibration.review.design import ReviewDesign
from pulink.calibration.review.estimate import review_estimate
from pulink.calibration.review.posterior import Posterior
from pulink.persistence.model_folder import to_json
from pulink.system.files import write_atomically

RESULTS = Path(__file__).resolve().parent.parent / "results"
ANSWERS = 50, 100
LEVELS = 0.1, 0.2
REVIEWS = 500


@dataclass(frozen=True)
class Reviewer:
    """How often answers are wrong, and how often there is none."""

    name: str
    wrong: float = 0.0
    unsure: float = 0.0


ORACLE = Reviewer("oracle")
# Asked in the first graph alone.
OTHERS = Reviewer("5% wrong", wrong=0.05), Reviewer("10% unsure", unsure=0.1)


def design_of(world: World) -> ReviewDesign:
    curve = FdrCurve(world.others, world.hidden, 0.5, world.n_splits, shown=True)
    return ReviewDesign.by_hidden_edges(curve, world.n_known, world.n_hidden, world.bound)


def answered(
    design: ReviewDesign, links: npt.NDArray[np.bool_], reviewer: Reviewer, seed: int
) -> Iterator[DrawnAnswers]:
    """What was answered after 50 and after 100 decisions, by questions in the order of this seed."""
    asked = replace(design, seed=seed)
    draw = np.random.default_rng([7, seed])
    counted, drawn = ([0] * design.n_strata for _ in range(2))
    by_answer: dict[str, list[int]] = {"link": [], "no link": [], "unsure": []}
    for wanted in ANSWERS:
        while sum(counted) < wanted and (k := asked.next_stratum(counted, drawn)) is not None:
            rank = asked.draw(k, drawn[k])
            drawn[k] += 1
            if draw.random() < reviewer.unsure:
                by_answer["unsure"].append(rank)
                continue
            counted[k] += 1
            is_link = bool(links[rank]) != (draw.random() < reviewer.wrong)
            by_answer["link" if is_link else "no link"].append(rank)
        yield DrawnAnswers.of(by_answer["link"], by_answer["no link"], by_answer["unsure"])


def simulated(world: World, reviewer: Reviewer, n_reviews: int) -> dict[str, Any]:
    """Means over reviews, by how many answers there were."""
    design = design_of(world)
    posterior = Posterior(design)
    precision = np.cumsum(world.links) / np.arange(1, len(world.links) + 1)
    best = [int(np.flatnonzero(precision >= 1 - level).max(initial=-1)) + 1 for level in LEVELS]
    rows: dict[int, list[list[float]]] = {n: [] for n in ANSWERS}
    for seed in range(n_reviews):
        for n, answers in zip(ANSWERS, answered(design, world.links, reviewer, seed), strict=True):
            found = review_estimate(design, answers, posterior)
            lengths = [found.prefixes.certified(level) for level in LEVELS]
            rows[n].append(
                [
                    found.width,
                    found.missing.low <= world.n_missing <= found.missing.high,
                    found.missing.best / world.n_missing,
                    found.tail / max(found.missing.best, 1.0),
                    found.disagrees,
                    *(length / max(most, 1) for length, most in zip(lengths, best, strict=True)),
                    *(
                        length > 0 and precision[length - 1] < 1 - level
                        for length, level in zip(lengths, LEVELS, strict=True)
                    ),
                ]
            )
    lists = "length_0.1", "length_0.2", "broken_0.1", "broken_0.2"
    names = "width", "coverage", "ratio", "tail_share", "disagrees", *lists
    means = {str(n): dict(zip(names, np.mean(rows[n], axis=0).tolist(), strict=True)) for n in ANSWERS}
    return {
        "n_reviews": n_reviews, "n_missing": world.n_missing, "before": [world.best, world.low, world.high],
        "bound": world.bound, "zone": design.zone, "links_in_zone": int(world.links[: design.zone].sum()),
        "n_strata": design.n_strata, "best_cut": best, "answers": means,
    }  # fmt: skip


def simulate(folder: Path, n_reviews: int = REVIEWS) -> None:
    """Review every world that is there."""
    for file in sorted(folder.glob("*.npz")):
        name = file.name.removesuffix(".npz")
        for reviewer in (ORACLE, *(OTHERS if name.startswith("chameleon.random") else ())):
            kept = RESULTS / "review" / f"{name}.{reviewer.name.replace(' ', '-').replace('%', '')}.json"
            if not kept.exists():
                found = {"world": name, "reviewer": reviewer.name} | simulated(
                    World.read(file), reviewer, n_reviews
                )
                write_atomically(kept, to_json(found))
                print(kept.name, flush=True)


def review() -> dict[str, Any]:
    """Graphs of which a tenth is missing, reviewed by an oracle."""
    from benchmarks.review import worlds
    from benchmarks.review.table import table

    folder = Path(_given("worlds") or RESULTS.parent / "worlds")
    worlds.main(folder, worlds.GRAPHS)
    simulate(folder, int(_given("reviews") or REVIEWS))
    rows = stored()
    write_atomically(RESULTS / "review.md", table(rows))
    return {"rows": [{"world": row["world"], "reviewer": row["reviewer"]} | row["answers"]["100"] for row in rows]}


def stored() -> list[dict[str, Any]]:
    """What was simulated so far."""
    return [json.loads(file.read_text(encoding="utf-8")) for file in sorted((RESULTS / "review").glob("*.json"))]


def _given(name: str) -> str:
    return next((text.partition("=")[2] for text in sys.argv if text.startswith(f"--{name}=")), "")


if __name__ == "__main__":
    simulate(Path(_given("worlds")), int(_given("reviews") or REVIEWS))
