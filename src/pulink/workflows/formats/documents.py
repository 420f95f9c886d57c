"""JSON documents: the version that each carries, their text, and the JSON Schemas that describe them.

Within a version fields may be added; none is removed, renamed or given another meaning.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from pulink.errors import UnknownNameError

SCHEMA_VERSION = 1

# JSON may hold these as they are, and some terminals obey them.
_HIDDEN = re.compile(r"[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
_OTHER_LETTERS = re.compile(r"[^\x00-\x7f]")
_ENDING = ".json"

# What `pulink schema` offers, and where such a document comes from; other files there are parts of these.
DOCUMENTS = {
    "find": "pulink find --json, and -o FILE.json",
    "run": "run.json of find --out",
    "link": "a line of find --format jsonl and suggest --format jsonl",
    "suggest": "pulink suggest --json",
    "explain": "pulink explain --json",
    "review": "pulink review --json",
    "estimate": "pulink estimate --json",
    "evaluate": "pulink evaluate --json, and evaluation.json of --out",
    "reproduce": "pulink reproduce --json",
    "methods": "pulink methods --json",
    "datasets": "pulink datasets --json",
    "versions": "pulink versions --json",
    "error": "what any command prints with --json where it fails",
}


def document(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields with the version of their schema before them."""
    return {"schema_version": SCHEMA_VERSION, **fields}


def json_text(value: object, *, indent: int | None = 1, plain: bool = False) -> str:
    """A value as JSON that no terminal obeys, without a line end.

    plain  for a terminal that cannot show every letter

    >>> from pulink.workflows.formats.documents import json_text
    >>> json_text({"name": "é"}, indent=None, plain=True)
    '{"name": "\\\\u00e9"}'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return _OTHER_LETTERS.sub(_escaped, text) if plain else _HIDDEN.sub(_escaped, text)


def in_plain_letters(text: str) -> str:
    """The same JSON for a terminal that cannot show every letter."""
    return _OTHER_LETTERS.sub(_escaped, text)


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a kind of documents, with all that it refers to inside it.

    >>> from pulink.workflows.formats.documents import schema
    >>> schema("error")["properties"]["error"]["required"]
    ['kind', 'message', 'exit_status']
    """
    if name not in DOCUMENTS:
        raise UnknownNameError("schema", name, DOCUMENTS)
    parts: dict[str, Any] = {}
    whole: dict[str, Any] = _with_parts(_read(name), parts)
    return whole | ({"$defs": dict(sorted(parts.items()))} if parts else {})


def _with_parts(value: Any, parts: dict[str, Any]) -> Any:
    """References to files become references to definitions, which are put into `parts`."""
    if isinstance(value, list):
        return [_with_parts(one, parts) for one in value]
    if not isinstance(value, dict):
        return value
    found = {key: _with_parts(one, parts) for key, one in value.items()}
    if isinstance(reference := found.get("$ref"), str) and reference.endswith(_ENDING):
        name = reference.removesuffix(_ENDING)
        found["$ref"] = f"#/$defs/{name}"
        if name not in parts:
            parts[name] = {}
            of_its_own = {"$schema", "$id"}
            part = {key: one for key, one in _read(name).items() if key not in of_its_own}
            parts[name] = _with_parts(part, parts)
    return found


@cache
def _text(name: str) -> str:
    from importlib.resources import files

    return (files("pulink.workflows") / "schemas" / f"{name}{_ENDING}").read_text(encoding="utf-8")


def _read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(_text(name))
    return content


def _escaped(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]
