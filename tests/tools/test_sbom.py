"""The bill of materials: what CycloneDX 1.6 demands, the whole closure, and the same bytes every time."""

from __future__ import annotations

import json
import re
from importlib.metadata import version
from typing import Any

import pytest
from tools.lock import CONSTRAINTS, pins_of
from tools.sbom import bill

SERIAL = r"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    return bill()


def test_the_heading_is_what_the_schema_demands(made: dict[str, Any]) -> None:
    assert made["bomFormat"] == "CycloneDX"
    assert made["specVersion"] == "1.6"
    assert made["version"] == 1
    assert re.fullmatch(SERIAL, made["serialNumber"])
    assert made["metadata"]["component"]["name"] == "pulink"
    assert made["metadata"]["component"]["version"] == version("pulink")
    assert "timestamp" not in json.dumps(made)


def test_every_component_is_what_the_schema_demands(made: dict[str, Any]) -> None:
    for component in [made["metadata"]["component"], *made["components"]]:
        assert component["type"] in {"application", "library"}
        assert component["name"]
        assert component["version"]
        assert re.fullmatch(r"pkg:pypi/[a-z0-9-]+@[0-9a-zA-Z.%]+", component["purl"])
        assert all(re.fullmatch(r"[0-9a-f]{64}", one["content"]) for one in component.get("hashes", []))
        assert all(one["alg"] == "SHA-256" for one in component.get("hashes", []))
        for licence in component["licenses"]:
            # Either one expression or a list of licences, never both.
            assert licence.get("expression") or licence["license"]["name"]
            assert "expression" not in licence or len(component["licenses"]) == 1


def test_references_are_unique_and_lead_somewhere(made: dict[str, Any]) -> None:
    references = [one["bom-ref"] for one in [made["metadata"]["component"], *made["components"]]]
    assert len(set(references)) == len(references)
    assert sorted(one["ref"] for one in made["dependencies"]) == sorted(references)
    assert all(set(one["dependsOn"]) <= set(references) for one in made["dependencies"])
    needs = {one["ref"]: one["dependsOn"] for one in made["dependencies"]}
    assert f"pkg:pypi/numpy@{version('numpy')}" in needs[f"pkg:pypi/pulink@{version('pulink')}"]
    assert needs[f"pkg:pypi/pandas@{version('pandas')}"]


def test_it_is_the_pinned_environment(made: dict[str, Any]) -> None:
    pins = pins_of(CONSTRAINTS.read_text())
    listed = {re.split("[/@]", one["purl"])[1]: one for one in made["components"]}
    assert listed.keys() <= pins.keys()
    for name, one in listed.items():
        if one["version"].partition("+")[0] == pins[name]:
            assert "hashes" in one, f"{name} {one['version']} is pinned, but the locks do not know its file"


def test_the_same_environment_gives_the_same_bytes(made: dict[str, Any]) -> None:
    assert json.dumps(bill()) == json.dumps(made)
