"""Experiment files: they parse, and their numbers are the paper's."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pulink.errors import InputError, UnknownNameError
from pulink.experiments.plan import runs_of
from pulink.experiments.spec import Experiment, experiment, experiments, parse
from pulink.metrics import MEASURES

TABLES = Path(
    os.environ.get("PULINK_PAPER_TABLES", Path(__file__).parents[3].joinpath("shared/paper/tables.json"))
)
IN_THE_PAPER = {
    f"{name}-{ratio}": f"{title} r_m={ratio}"
    for ratio in ("0.1", "0.2")
    for name, title in (
        ("accuracy", "accuracy"),
        ("with-pull", "with PULL"),
        ("larger", "large graphs"),
        ("weighted-sampling", "weighted sampling"),
    )
}
CONTENT: dict[str, Any] = {
    "title": "T",
    "source": "ours",
    "kind": "table",
    "missing_ratio": 0.1,
    "seeds": 2,
    "methods": ["pull"],
    "columns": [{"name": "sample"}],
}


def own_name(method: str) -> str:
    """`PULL (proposed)` is pull, `GCN+CE` is gcn-ce."""
    return method.partition(" (")[0].lower().replace("+ce", "-ce")


@pytest.mark.parametrize("name", IN_THE_PAPER)
def test_the_numbers_are_the_papers(name: str) -> None:
    if not TABLES.is_file():
        pytest.skip(f"the paper's tables are not at {TABLES}; PULINK_PAPER_TABLES may name another place")
    printed = json.loads(TABLES.read_text())[IN_THE_PAPER[name]]
    expected = {
        own_name(method): {
            column: {measure: tuple(value) for measure, value in cell.items()} for column, cell in cells.items()
        }
        for method, cells in printed.items()
    }
    assert experiment(name).expected == expected
    assert list(experiment(name).methods) == list(expected)


@pytest.mark.parametrize("own", experiments().values(), ids=lambda own: own.name)
def test_every_file_means_something(own: Experiment) -> None:
    assert set(own.measures) <= {measure.name for measure in MEASURES}
    assert own.seeds >= 3
    names = {column.name for column in own.columns}
    for entry in own.overrides:
        assert set(entry.datasets) <= names
        assert set(entry.methods) <= set(own.methods)
    for column in own.columns:
        assert column.run or column.note, f"{column.name} is not run and does not say why"


def test_a_control_stands_behind_its_method_and_takes_its_settings() -> None:
    own = experiment("larger-0.1")
    assert own.rows[-2:] == ("pull", "gcn-ce@pull")
    physics = own.columns[0]
    assert own.override(physics, "gcn-ce@pull") is own.override(physics, "pull")
    assert (found := own.override(physics, "gcn-ce")) is not None
    assert found.values == {"max_epochs": 4000}
    assert experiment("accuracy-0.1").override(physics, "pull") is None


def test_mistakes_are_named() -> None:
    with pytest.raises(UnknownNameError, match=r"accuracy-0\.1"):
        experiment("accuracy")
    with pytest.raises(InputError, match="experiment x: KeyError\\('title'\\)"):
        parse("x", {name: value for name, value in CONTENT.items() if name != "title"})
    with pytest.raises(UnknownNameError, match="unknown kind of experiment x 'pie'"):
        parse("x", CONTENT | {"kind": "pie"})
    with pytest.raises(UnknownNameError, match="unknown method 'pul'"):
        parse("x", CONTENT | {"methods": ["pul"]})
    with pytest.raises(UnknownNameError, match="unknown dataset 'smaple'"):
        parse("x", CONTENT | {"columns": [{"name": "smaple"}]})
    with pytest.raises(InputError, match="numbers are given for 'gae'"):
        parse("x", CONTENT | {"expected": {"gae": {"sample": {"auroc": [1.0, 2.0]}}}})


def test_a_variant_is_a_row_of_its_own() -> None:
    settings = {"variant": "quick", "datasets": ["sample"], "methods": ["pull.quick"], "values": {"n_epochs": 3}}
    own = parse("own", CONTENT | {"methods": ["pull", "pull.quick"], "controls": True, "settings": [settings]})
    assert own.rows == ("pull", "gcn-ce@pull", "pull.quick")
    specs = {own.row_of(spec.method, spec.variant): spec for _, spec in runs_of(own, 0)}
    assert list(specs) == list(own.rows)
    assert (specs["pull.quick"].method, specs["pull.quick"].settings) == ("pull", {"n_epochs": 3})
    assert specs["pull"].settings == specs["gcn-ce@pull"].settings == {}
    assert len({spec.path for spec in specs.values()}) == 3
    with pytest.raises(InputError, match=r"no settings are given for 'pull\.slow'"):
        parse("own", CONTENT | {"methods": ["pull.slow"], "settings": [settings]})


def test_published_numbers_and_protocols_are_checked() -> None:
    entry = {"method": "M", "source": "a paper", "values": {"sample": {"auroc": [91.5], "auprc": [90, 0.5]}}}
    own = parse("own", CONTENT | {"protocol": {"name": "p", "val": 0.1}, "published": [entry]})
    assert own.protocol is not None
    assert (own.protocol.val, own.protocol.n_hard) == (0.1, 0)
    assert own.published[0].values == {"sample": {"auroc": (91.5, None), "auprc": (90.0, 0.5)}}
    assert not own.published[0].recalled
    for values in ({"cora": {"auroc": [1]}}, {"sample": {"mrr": [1]}}):
        with pytest.raises(InputError, match="M has numbers of a column or measure that it does not have"):
            parse("own", CONTENT | {"published": [entry | {"values": values}]})
    with pytest.raises(InputError, match="a protocol has a table of whole graphs, without controls"):
        parse("own", CONTENT | {"protocol": {"name": "p"}, "controls": True})
    with pytest.raises(InputError, match="TypeError"):
        parse("own", CONTENT | {"protocol": {"name": "p", "vall": 0.1}})


def test_an_unknown_test_is_named() -> None:
    with pytest.raises(UnknownNameError, match="sign"):
        parse("own", CONTENT | {"test": "sign"})
