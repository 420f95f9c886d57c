"""A bill of materials of the environment this runs in, as CycloneDX 1.6 JSON.

    python -m tools.sbom sbom.cdx.json

What pulink depends on, directly or not, with version, licence, package URL and the SHA-256 that the locks give
for the file of that version and those tags. The same environment gives the same bytes: no time is written, and the
serial number is derived from the content.
"""

from __future__ import annotations

import argparse
import json
import sys
import uuid
from functools import cache
from importlib.metadata import Distribution, PackageMetadata, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.tags import parse_tag, sys_tags
from packaging.utils import canonicalize_name, parse_wheel_filename

from pulink.system.files import write_atomically
from tools.lock import CPU_LOCK, GPU_LOCK, LOCK, files_of

PROJECT = "pulink"
_EXTRAS = ("dev", "interop")
_LONGEST_NAME = 80

Component = dict[str, Any]


def bill(project: str = PROJECT, extras: tuple[str, ...] = _EXTRAS) -> dict[str, Any]:
    """The whole document."""
    installed, needs = _closure(project, extras)
    components = {name: component(found) for name, found in installed.items()}
    content = {
        "metadata": {"component": components.pop(project) | {"type": "application"}},
        "components": [components[name] for name in sorted(components)],
        "dependencies": [
            {
                "ref": _reference(installed[name]),
                "dependsOn": sorted(_reference(installed[need]) for need in needs[name]),
            }
            for name in sorted(installed)
        ],
    }
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content, sort_keys=True))
    heading = {"$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX"}
    return heading | {"specVersion": "1.6", "serialNumber": f"urn:uuid:{serial}", "version": 1} | content


def component(found: Distribution) -> Component:
    """One package; fields that are not known are left out."""
    purl = _reference(found)
    made: Component = {
        "type": "library",
        "bom-ref": purl,
        "name": _about(found)["Name"],
        "version": _version(found),
    }
    if digest := _installed_digest(found):
        made["hashes"] = [{"alg": "SHA-256", "content": digest}]
    if licences := _licences(found):
        made["licenses"] = licences
    return made | {"purl": purl}


def _closure(project: str, extras: tuple[str, ...]) -> tuple[dict[str, Distribution], dict[str, set[str]]]:
    """Everything that is installed of what the project needs, and who needs whom."""
    installed, needs = {project: distribution(project)}, {project: set[str]()}
    waiting, seen = [(project, "", *extras)], set[tuple[str, str]]()
    while waiting:
        name, *asked = waiting.pop()
        for need in (Requirement(text) for text in installed[name].requires or ()):
            needed = str(canonicalize_name(need.name))
            if not _applies(need, asked) or not _find(needed, installed):
                continue
            needs.setdefault(needed, set())
            needs[name] |= {needed} - {name}
            wanted = [extra for extra in ("", *sorted(need.extras)) if (needed, extra) not in seen]
            seen |= {(needed, extra) for extra in wanted}
            waiting += [(needed, *wanted)] if wanted else []
    return installed, needs


def _applies(need: Requirement, extras: list[str]) -> bool:
    return need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in extras)


def _find(name: str, installed: dict[str, Distribution]) -> bool:
    try:
        installed.setdefault(name, distribution(name))
    except PackageNotFoundError:
        return False
    return True


def _reference(found: Distribution) -> str:
    version = _version(found).replace("+", "%2B")
    return f"pkg:pypi/{canonicalize_name(_about(found)['Name'])}@{version}"


def _installed_digest(found: Distribution) -> str | None:
    """Of the locked file of that version with the tags the package says it has, else the one pip takes here."""
    about = found.read_text("WHEEL") or ""
    words = (line.partition(": ") for line in about.splitlines())
    tags = {tag for key, _, value in words if key == "Tag" for tag in parse_tag(value)}
    locked = _locked(str(canonicalize_name(_about(found)["Name"]))).items()
    parsed = [(parse_wheel_filename(file), digest) for file, digest in locked]
    files = [
        (file_tags, digest) for (_, version, _, file_tags), digest in parsed if str(version) == _version(found)
    ]
    for file_tags, digest in files if tags else ():
        if file_tags == tags:
            return digest
    # Some wheels for one platform (playwright's) say inside that they are for all.
    return (
        next((digest for tag in sys_tags() for file_tags, digest in files if tag in file_tags), None)
        if tags
        else None
    )


def _locked(name: str) -> dict[str, str]:
    return {file: digest for lock in _locks() for file, digest in lock.get(name, {}).items()}


@cache
def _locks() -> list[dict[str, dict[str, str]]]:
    return [files_of(lock.read_text()) for lock in (GPU_LOCK, CPU_LOCK, LOCK)]


def _licences(found: Distribution) -> list[dict[str, Any]]:
    """The SPDX expression, else the classifiers, else a short text, else the title of the licence file."""
    if expression := _said(found, "License-Expression"):
        return [{"expression": expression[0]}]
    classified = [text.rpartition(" :: ")[2] for text in _said(found, "Classifier") if text.startswith("License")]
    short = [text for text in _said(found, "License") if len(text) <= _LONGEST_NAME and "\n" not in text]
    return [{"license": {"name": name}} for name in classified or short or _licence_titles(found)]


def _licence_titles(found: Distribution) -> list[str]:
    texts = [found.read_text(f"licenses/{file}") or "" for file in _said(found, "License-File")]
    return [
        title
        for text in texts
        if (title := text.strip().partition("\n")[0].strip()) and len(title) <= _LONGEST_NAME
    ]


@cache
def _about(found: Distribution) -> PackageMetadata:
    """Read once: a Distribution reads its file anew each time."""
    return found.metadata


def _version(found: Distribution) -> str:
    return _about(found)["Version"]


def _said(found: Distribution, field: str) -> list[str]:
    return [text.strip() for text in _about(found).get_all(field) or () if text.strip()]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.sbom", description="Write a CycloneDX bill of materials."
    )
    parser.add_argument("file", type=Path)
    target = parser.parse_args().file
    made = bill()
    write_atomically(target, json.dumps(made, indent=2, ensure_ascii=False) + "\n")
    n_hashed = sum("hashes" in one for one in made["components"])
    n_licensed = sum("licenses" in one for one in made["components"])
    n_all = len(made["components"])
    sys.stdout.write(f"{target}: {n_all} packages, {n_licensed} with a licence, {n_hashed} with a hash\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
