"""Methods of other packages: that of docs/plugins.md, built into a folder and used; broken and colliding ones."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from typer.testing import CliRunner

import pulink
from pulink.cli.app import app
from pulink.errors import ModelError, ParameterError, UnknownNameError
from pulink.methods import plugins
from pulink.methods.registry import METHODS, expand, method, parse_settings, plugin_methods
from pulink.workflows.estimate import estimate
from tests.support.command import call

PAGE = Path(__file__).resolve().parents[2] / "docs" / "plugins.md"
SOURCE = Path(pulink.__file__).parents[1]


def block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return str(found)


def install(folder: Path, name: str, points: dict[str, str], code: str = "", summary: str = "a method") -> None:
    """What pip leaves of a package with one module."""
    about = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nSummary: {summary}\n")
    lines = "".join(f"{key} = {value}\n" for key, value in points.items())
    (about / "entry_points.txt").write_text(f"[{plugins.GROUP}]\n{lines}")
    (folder / f"{name.replace('-', '_')}.py").write_text(code)


def install_example(folder: Path) -> None:
    project = tomllib.loads(block("toml"))["project"]
    points = project["entry-points"][plugins.GROUP]
    install(folder, project["name"], points, block("python"), project["description"])


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "site"
    folder.mkdir()
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
            del sys.modules[name]


@pytest.fixture
def example(place: Path) -> Path:
    install_example(place)
    return place


def karate() -> pulink.Graph:
    return pulink.from_networkx(nx.karate_club_graph())


def test_it_is_found_without_importing_it(example: Path) -> None:
    found, problems = plugin_methods()
    assert problems == ()
    assert list(found) == ["salton"]
    assert found["salton"].summary == "shared neighbours, divided by the geometric mean of the degrees"
    assert found["salton"].citation == "pulink-salton 1.0"
    assert "pulink_salton" not in sys.modules
    assert "salton" not in METHODS


def test_a_list_of_names_loads_neither_torch_nor_the_package(example: Path) -> None:
    code = (
        "import sys; from pulink.methods.registry import plugin_methods; names = list(plugin_methods()[0]);"
        "print(names, 'torch' in sys.modules, 'pulink_salton' in sys.modules)"
    )
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(SOURCE), str(example)])}
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert ended.stdout.split("\n")[0] == "['salton'] False False"


def test_its_scores_are_those_of_its_formula(example: Path) -> None:
    model = pulink.make("salton").fit(karate())
    graph = nx.karate_club_graph()
    pairs = [(i, j) for i, j in nx.non_edges(graph)]
    wanted = [len(set(graph[i]) & set(graph[j])) / np.sqrt(graph.degree(i) * graph.degree(j)) for i, j in pairs]
    assert np.allclose(model.decision_function(np.array(pairs)), wanted)
    i, j = map(int, model.missing_links(1).select("source", "target").row(0))
    assert wanted[pairs.index((min(i, j), max(i, j)))] == max(wanted)


def test_it_finds_is_stored_loaded_and_evaluated_by_its_name(example: Path, tmp_path: Path) -> None:
    result = pulink.find(karate(), method="salton", top=5, power=0.4, n_splits=1)
    assert result.model.power == 0.4  # type: ignore[attr-defined]
    assert "by salton" in repr(result)
    result.save(tmp_path / "results")
    again = pulink.load_model(tmp_path / "results")
    assert type(again) is type(result.model)
    assert again.missing_links(5).equals(result.links)
    runs = pulink.evaluate(karate(), ["salton", "l3n"], seeds=1)
    assert [run.method for run in runs] == ["salton", "l3n"]
    assert expand(["salton", "heuristics"])[0] == "salton"
    assert parse_settings(["salton.power=1"]) == {"salton": {"power": 1}}


def test_the_commands_know_it(example: Path, tmp_path: Path) -> None:
    listed = CliRunner().invoke(app, ["methods"])
    assert re.search(r"^salton\tundirected\tshared neighbours, divided by", listed.stdout, re.MULTILINE)
    told = {
        entry["name"]: entry
        for entry in json.loads(CliRunner().invoke(app, ["methods", "--json"]).stdout)["methods"]
    }
    assert told["salton"]["parameters"]["power"] == 0.5
    assert told["salton"]["family"] == "plug-in"
    page = CliRunner().invoke(app, ["methods", "salton"])
    assert "salton.power" in page.stdout
    edges = tmp_path / "edges.csv"
    edges.write_text("a,b\n" + "".join(f"n{i},n{j}\n" for i, j in nx.karate_club_graph().edges))
    settings = ["--set", "salton.power=1", "--set", "salton.n_splits=1"]
    found = CliRunner().invoke(app, ["find", str(edges), "--method", "salton", "--top", "3", *settings])
    assert found.exit_code == 0, found.output
    assert len(found.stdout.splitlines()) == 4
    priced = CliRunner().invoke(app, ["estimate", str(edges), "--method", "salton"])
    assert priced.exit_code == 0  # by the prices of the class that it extends


FROM_SCRATCH = """
import numpy as np
from pulink.engine.search.best_pairs import best_first
from pulink.predictor.fitting.fit_run import Learned
from pulink.predictor.predictor import LinkPredictor
from pulink.predictor.search_scope import AllPairs

class Degrees(LinkPredictor):
    best_val_auroc_ = None
    training_summary_ = "no training"

    def _learn(self, train, validation, run):
        run.report(1, 1, None, None)
        run.tell("epoch", 1, 1, {"own": 2.5})
        return Learned(1, {"degrees": train.degrees.astype(np.float64)})

    def _pair_scores(self, pairs):
        return np.log1p(self.state_["degrees"][pairs].prod(axis=1))

    def _best_pairs(self, count, exact_nodes):
        pairs = self.graph_.pair_space.unconnected(self.graph_.adjacency)
        return pairs[best_first(self._pair_scores(pairs), pairs)[:count]], AllPairs()

    def _learned(self):
        return {}, {}
"""


def test_what_the_page_asks_of_a_class_is_enough(place: Path, tmp_path: Path) -> None:
    install(place, "scratch", {"degrees": "scratch:Degrees"}, FROM_SCRATCH)
    log = pulink.callbacks.CSVLogger(tmp_path / "log.csv")
    result = pulink.find(karate(), method="degrees", top=3, callbacks=[log])
    # The two leaders, 0 and 33, have 16 and 17 friends, and are no friends of each other.
    assert set(result.found.select("source", "target").row(0)) == {"0", "33"}
    assert '""own"": 2.5' in (tmp_path / "log.csv").read_text()
    result.save(tmp_path / "results")
    assert pulink.load_model(tmp_path / "results").missing_links(3).equals(result.links)
    assert pulink.evaluate(karate(), "degrees", seeds=1)[0].method == "degrees"
    with pytest.raises(ParameterError, match="nobody has measured what degrees costs"):
        estimate(karate(), methods=["degrees"])


def test_a_broken_one_costs_one_line_and_nothing_else(example: Path) -> None:
    install(example, "torn", {"torn": "torn:Torn"}, "import no_such_library\n")
    listed = CliRunner().invoke(app, ["methods"])
    assert listed.exit_code == 0
    (line,) = [line for line in listed.stderr.splitlines() if "torn" in line]
    assert line == (
        "warning: method 'torn' of the package torn 1.0 cannot be used (ModuleNotFoundError: No module named "
        "'no_such_library'): update or remove that package"
    )
    assert "\nsalton\t" in listed.stdout
    assert "\ntorn\t" not in listed.stdout
    with pytest.raises(ParameterError, match="cannot be used"):
        pulink.make("torn")


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("class Torn: pass", "is no subclass of pulink's LinkPredictor"),
        ("Torn = 3", "is no subclass of pulink's LinkPredictor"),
        ("import sys; sys.exit(1)", "SystemExit: 1"),
        ("from pulink import L3N as Torn", "its class is called L3N, and its entry point says Torn"),
        (
            "from pulink.predictor.predictor import LinkPredictor\nclass Torn(LinkPredictor): pass",
            "Torn lacks _best_pairs",
        ),
        (
            "from pulink import L3N\nclass Torn(L3N):\n    def __init__(self, x): pass",
            "parameters of Torn need defaults: x",
        ),
        (
            "from pulink import L3N\nclass Torn(L3N):\n    def __init__(self): raise OSError('no\\nway')",
            "Torn() cannot be made: no",
        ),
    ],
)  # fmt: skip
def test_what_is_no_method_is_refused_in_one_line(place: Path, code: str, fault: str) -> None:
    install(place, "torn", {"torn": "torn:Torn"}, code)
    with pytest.raises(ParameterError, match=r"of the package torn 1\.0 cannot be used") as refused:
        pulink.make("torn")
    assert fault in str(refused.value)
    assert "\n" not in str(refused.value)


def test_names_and_classes_of_pulink_cannot_be_taken(example: Path) -> None:
    install(example, "thief", {"l3n": "thief:Own", "all": "thief:All", "mine": "thief:PULL", "A b": "thief:Odd"})
    found, problems = plugin_methods()
    assert list(found) == ["salton"]
    taken = "pulink has a method or group of this name"
    assert problems == tuple(
        f"method {name!r} of the package thief 1.0 is left out: {fault}"
        for name, fault in {
            "A b": "names have lower-case letters, digits, +, - and _",
            "all": taken,
            "l3n": taken,
            "mine": "its class is called 'PULL', as one of pulink's",
        }.items()
    )
    assert method("l3n").plugin is None
    assert "thief" not in sys.modules


def test_two_packages_with_one_name_are_both_left_out(place: Path) -> None:
    install(place, "one", {"same": "one:One", "single": "one:Twin"})
    install(place, "two", {"same": "two:Two", "double": "two:Twin"})
    found, problems = plugin_methods()
    assert found == {}
    assert len(problems) == 4
    with pytest.raises(UnknownNameError):
        method("same")


def test_a_folder_does_not_decide_what_is_imported(place: Path, tmp_path: Path) -> None:
    install(place, "other", {"other": "other:Other"}, "raise AssertionError('imported')")
    model = tmp_path / "model"
    pulink.Jaccard().fit(karate()).save(model)
    for kind in ("other", "other:Other", "pulink_salton.Salton", "os"):
        text = (model / "model.json").read_text()
        (model / "model.json").write_text(re.sub(r'"kind": *"[^"]*"', f'"kind": "{kind}"', text, count=1))
        with pytest.raises(ModelError):
            pulink.load_model(model)
    assert "other" not in sys.modules


def test_an_unknown_method_names_plug_ins_too(example: Path) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'salton'"):
        method("saltan")


@pytest.mark.parametrize(
    ("scores", "why"),
    [
        (
            "1 / 0",
            "method 'odd' of the package pulink-odd 1.0 cannot be used (ZeroDivisionError: division by zero)",
        ),
        ("np.full(len(pairs), np.nan)", "Odd gave "),
    ],
)
def test_one_that_fails_while_it_scores_ends_in_one_line(
    place: Path, tmp_path: Path, scores: str, why: str
) -> None:
    code = (
        "import numpy as np\nprint('hello')\nfrom pulink.methods.heuristics.l3 import L3\n"
        f"class Odd(L3):\n    def _scores(self, graph, pairs):\n        return {scores}\n"
    )
    install(place, "pulink-odd", {"odd": "pulink_odd:Odd"}, code)
    edges = tmp_path / "edges.csv"
    edges.write_text("a,b\n" + "".join(f"n{i},n{j}\n" for i, j in nx.karate_club_graph().edges))
    outcome = call("find", str(edges), "--method", "odd", "--json", "--quiet")
    assert outcome.status == 2
    assert json.loads(outcome.out)["error"]["message"].startswith(why)
    assert "hello" in outcome.err
    assert outcome.err.splitlines()[-1].startswith(f"pulink: {why}")
