"""Every JSON document fits the schema that is shipped, and docs/json.md names every field of it."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

import pulink
from pulink.workflows.formats.documents import DOCUMENTS, SCHEMA_VERSION, schema
from tests.support.command import call

PAGE = Path(__file__).parents[2] / "docs" / "json.md"
SCHEMAS = Path(pulink.__file__).parent / "workflows" / "schemas"


def strict(value: Any) -> Any:
    """The same schema without room for fields that it does not name."""
    if isinstance(value, list):
        return [strict(one) for one in value]
    if not isinstance(value, dict):
        return value
    found = {key: strict(one) for key, one in value.items()}
    if "properties" in found and "additionalProperties" not in found:
        found["unevaluatedProperties"] = False
    return found


def checker(name: str) -> Any:
    content = strict(schema(name))
    if name == "find":
        # All of run.json is part of it, and more.
        del content["$defs"]["run"]["unevaluatedProperties"]
    return jsonschema_rs.Draft202012Validator(content)


def check(name: str, content: Any) -> None:
    problems = [f"{error.instance_path}: {error.message}" for error in checker(name).iter_errors(content)]
    assert problems == [], name
    if name != "link":
        assert content["schema_version"] == SCHEMA_VERSION


@pytest.fixture(scope="module")
def found(planted_csv: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A folder of results, and what was printed beside it."""
    out = tmp_path_factory.mktemp("found") / "out"
    outcome = call("find", str(planted_csv), "--method", "l3n", "--top", "5", "--out", str(out), "--json", "-q")
    assert outcome.status == 0
    return out, json.loads(outcome.out)


def printed(*words: str, stdin: bytes = b"") -> Any:
    outcome = call(*words, stdin=stdin)
    assert outcome.status == 0, outcome.err
    return json.loads(outcome.out)


def test_what_find_prints_and_writes_fits_its_schema(found: tuple[Path, dict[str, Any]]) -> None:
    out, content = found
    check("find", content)
    run = json.loads((out / "run.json").read_text())
    check("run", run)
    assert content.keys() - run.keys() == {"seconds", "links"}
    assert len(content["links"]) == 5
    for link in content["links"]:
        check("link", link)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("suggest", "suggest {out} n3 --json"),
        ("explain", "explain {out} n3 n4 --json"),
        ("estimate", "estimate {edges} --json"),
        ("evaluate", "evaluate {edges} --method l3n,jaccard --seeds 2 --json"),
        ("reproduce", "reproduce --status --json --results {out}/none"),
        ("methods", "methods --json"),
        ("methods", "methods seal --json"),
        ("datasets", "datasets --json"),
        ("versions", "versions --json"),
    ],
)
def test_what_a_command_prints_fits_its_schema(
    planted_csv: Path, found: tuple[Path, dict[str, Any]], name: str, words: str
) -> None:
    check(name, printed(*words.format(edges=planted_csv, out=found[0]).split()))


def test_reviews_and_the_runs_that_learn_from_them_fit(planted_csv: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    assert call("find", str(planted_csv), "--method", "l3n", "--out", out).status == 0
    check("review", printed("review", out, "--json", "--questions", "12", stdin=b"a\nx\n" * 6))
    learned = printed("find", str(planted_csv), "--method", "l3n", "--reviews", out, "--json")
    check("find", learned)
    assert learned["reviews"]["n_accepted"] == 6


def test_other_kinds_and_too_few_edges_fit(tmp_path: Path) -> None:
    few = tmp_path / "few.csv"
    few.write_text("citing,cited\na,b\nb,c\nc,d\nd,a\n")
    content = printed("find", str(few), "--directed", "--method", "l3n", "--json", "-o", "-")
    check("find", content)
    assert content["missing"] is None
    assert {"citing", "cited"} <= content["links"][0].keys()
    whole = tmp_path / "likes.csv"
    whole.write_text("user,item\n" + "".join(f"u{a},i{b}\n" for a in range(9) for b in range(9) if (a + b) % 3))
    check("evaluate", printed("evaluate", str(whole), "--bipartite", "--method", "l3n", "--json"))


def test_what_a_trained_method_learned_fits(planted_csv: Path) -> None:
    brief = ("--method", "pull", "--set", "pull.n_epochs=3", "--set", "pull.n_splits=1", "--top", "2")
    check("find", printed("find", str(planted_csv), *brief, "--json"))


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "share_true": lambda run: run["reliability"]["share_true"].__setitem__(0, 1.2),
    "probability": lambda run: run["links"][0].__setitem__("probability", "high"),
    "rank": lambda run: run["links"][0].pop("rank"),
    "target": lambda run: run["links"][0].pop("target"),
    "version": lambda run: run.__setitem__("schema_version", 2),
    "kind": lambda run: run["graph"].__setitem__("kind", "round"),
    "n_links": lambda run: run.__setitem__("n_links", 1.5),
    "warnings": lambda run: run.pop("warnings"),
    "new field": lambda run: run.__setitem__("brand_new", 1),
    "new field inside": lambda run: run["graph"].__setitem__("brand_new", 1),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_document_that_is_wrong_does_not_fit(found: tuple[Path, dict[str, Any]], change: str) -> None:
    content = copy.deepcopy(found[1])
    CHANGES[change](content)
    assert not checker("find").is_valid(content)


def test_a_field_that_a_later_version_adds_does_no_harm(found: tuple[Path, dict[str, Any]]) -> None:
    later = found[1] | {"brand_new": 1}
    assert jsonschema_rs.Draft202012Validator(schema("find")).is_valid(later)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_command_prints_a_valid_schema_of_every_document(name: str) -> None:
    content = printed("schema", name)
    jsonschema_rs.meta.validate(content)
    assert content["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert content == schema(name)
    assert ".json" not in json.dumps(list(every(content, "$ref")))


def test_a_schema_that_is_not_there_is_a_usage_error() -> None:
    outcome = call("schema", "fnd")
    assert outcome.status == 2
    assert outcome.err.startswith("pulink: unknown schema 'fnd'. Did you mean 'find'?")
    assert [line.split("\t")[0] for line in call("schema").out.splitlines()[1:]] == [*DOCUMENTS]


def test_every_file_of_the_folder_belongs_to_a_document() -> None:
    used = set(DOCUMENTS) | {
        reference.removeprefix("#/$defs/") for name in DOCUMENTS for reference in every(schema(name), "$ref")
    }
    assert {path.stem for path in SCHEMAS.glob("*.json")} == used


def every(value: Any, key: str) -> Iterator[Any]:
    """All values of a key, however deep."""
    if isinstance(value, dict):
        if key in value:
            yield value[key]
        value = list(value.values())
    for one in value if isinstance(value, list) else ():
        yield from every(one, key)


def test_every_field_is_described_in_the_documentation() -> None:
    described = set(re.findall(r"`([a-z_0-9]+)`", PAGE.read_text()))
    fields = {field for name in DOCUMENTS for names in every(schema(name), "properties") for field in names}
    assert sorted(fields - described) == []
    assert {f"pulink schema {name}" for name in DOCUMENTS} <= set(
        re.findall(r"`(pulink schema \w+)`", PAGE.read_text())
    )
