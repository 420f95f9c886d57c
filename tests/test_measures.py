"""The table of measures: read by all that compute, keep and show them, and documented."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import pulink
from pulink import metrics
from pulink.evaluation import Run
from pulink.graph.split import split
from pulink.metrics import MEASURES, Basis, Measure
from tests.support.command import call
from tests.support.planted import planted_graph

DOCS = Path(__file__).resolve().parents[1] / "docs" / "json.md"

# Results and evaluations that people keep are looked up by these.
KEYS = [
    "auroc",
    "auprc",
    "hits_at_50",
    "mrr",
    "precision_at_k",
    "list_precision",
    "auroc_degree",
    "auprc_degree",
    "calibration_error",
    "calibration_error_high",
    "probability_ratio",
]


def edge_is_on_top(edges: np.ndarray, non_edges: np.ndarray) -> float:
    """Whether the best pair of all is an edge."""
    return float(edges.max() > non_edges.max())


NEW = Measure("edge_on_top", "Edge on top", Basis.TEST_PAIRS, edge_is_on_top)


def require_documented(measures: tuple[Measure, ...], page: Path) -> None:
    """Every measure has a row of its own, or shares one, in the table of runs."""
    described = set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\|([^|]+)\|", page.read_text(), re.MULTILINE))))
    missing = [measure.name for measure in measures if measure.name not in described]
    assert not missing, f"docs/{page.name} does not say what {', '.join(missing)} is: add it to the table of runs"


def test_names_that_files_are_made_of_stay() -> None:
    assert [measure.name for measure in MEASURES][: len(KEYS)] == KEYS
    assert len({measure.name for measure in MEASURES}) == len(MEASURES)


def test_every_measure_is_documented() -> None:
    require_documented(MEASURES, DOCS)


def test_a_measure_without_documentation_is_told() -> None:
    with pytest.raises(AssertionError, match=r"docs/json\.md does not say what edge_on_top is: add it to"):
        require_documented((*MEASURES, NEW), DOCS)


def test_a_measure_of_scores_needs_nothing_but_its_line_in_the_table(
    planted_csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is computed by `model.score` and `evaluate`, and stands in the JSON, in the table and on the page."""
    monkeypatch.setattr(metrics, "MEASURES", (*MEASURES, NEW))
    data = split(planted_graph(30, 2, 0.3, 0.02, seed=0), val=0.1, test=0.1, seed=0)
    model = pulink.L3N().fit(data)
    edges, non_edges = (model.decision_function(pairs) for pairs in (data.test_edges, data.test_non_edges))
    assert model.score(data)["edge_on_top"] == edge_is_on_top(edges, non_edges)

    given = ("evaluate", str(planted_csv), "--method", "l3n", "--quiet", "--out", str(tmp_path / "out"))
    printed = json.loads(call(*given, "--json").out)
    assert printed["runs"][0]["edge_on_top"] in (0.0, 1.0)
    assert printed["summary"][0]["edge_on_top_mean"] == printed["runs"][0]["edge_on_top"]
    head, row = (line.split("\t") for line in call(*given).out.splitlines())
    assert dict(zip(head, row, strict=True))["Edge on top"] == f"{printed['runs'][0]['edge_on_top']:.4f}"
    page = (tmp_path / "out" / "evaluation.html").read_text()
    assert '<th scope="col">Edge on top</th>' in page


def made_up_run() -> Run:
    measures = dict.fromkeys(KEYS, 0.5) | {"list_precision": math.nan}
    return Run("l3n", 0, measures, None, 3, "all", 0, 1.0, 1.0, 10.0)


def test_a_run_gives_its_measures_by_name() -> None:
    run = made_up_run()
    assert (run.auroc, run.measures["mrr"]) == (0.5, 0.5)
    with pytest.raises(AttributeError, match="a run has no 'accuracy'"):
        _ = run.accuracy


def test_a_run_is_one_flat_record_in_json() -> None:
    run = made_up_run()
    stored = run.to_dict()
    assert set(KEYS) <= set(stored)
    assert "measures" not in stored
    assert stored["list_precision"] is None
    again = Run.from_dict(json.loads(json.dumps(stored)))
    assert math.isnan(again.measures["list_precision"])
    assert again.to_dict() == stored


@pytest.mark.parametrize("change", [{"auroc": "high"}, {"auroc": math.inf}, {"accuracy": 1.0}])
def test_a_record_that_no_run_wrote_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        Run.from_dict(made_up_run().to_dict() | change)


def test_a_record_without_one_of_the_measures_is_refused() -> None:
    stored = made_up_run().to_dict()
    del stored["mrr"]
    with pytest.raises(KeyError):
        Run.from_dict(stored)
