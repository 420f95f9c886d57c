"""Whether a value has the shape that a schema describes: the part of JSON Schema that the API uses."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pulink.text import shown

Schema = Mapping[str, Any]

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


class ShapeError(ValueError):
    """A value is of another shape; the message says where and what is allowed."""


def check(value: Any, schema: Schema, where: str = "the body") -> None:
    """Raise ShapeError where a value does not fit."""
    if "anyOf" in schema:
        _check_any(value, schema["anyOf"], where)
        return
    kinds = schema.get("type", ())
    kinds = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    if kinds and not any(_is(value, kind) for kind in kinds):
        raise ShapeError(f"{where} must be of type {' or '.join(kinds)}")
    if "enum" in schema and value not in schema["enum"]:
        allowed = ", ".join(str(own) for own in schema["enum"])
        raise ShapeError(f"{where} must be one of {allowed}, got {shown(value)}")
    if isinstance(value, str):
        _check_length(len(value), schema, ("minLength", "maxLength"), f"{where} must have", "characters")
        if any(0xD800 <= ord(letter) <= 0xDFFF for letter in value):
            raise ShapeError(f"{where} holds what is no letter")
    elif isinstance(value, list):
        _check_length(len(value), schema, ("minItems", "maxItems"), f"{where} must have", "entries")
        for place, item in enumerate(value):
            check(item, schema.get("items", {}), f"{where}[{place}]")
    elif isinstance(value, dict):
        _check_object(value, schema, where)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        _check_number(value, schema, where)


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[kind])


def _check_any(value: Any, choices: list[Schema], where: str) -> None:
    """What fits none is told what the one lacks that it is most like: the one with most of its keys there."""
    errors: list[tuple[int, ShapeError]] = []
    for choice in choices:
        try:
            check(value, choice, where)
        except ShapeError as error:
            keys = choice.get("required", ())
            errors.append((sum(key in value for key in keys) if isinstance(value, dict) else 0, error))
        else:
            return
    raise max(errors, key=lambda own: own[0])[1]


def _check_length(length: int, schema: Schema, keys: tuple[str, str], begin: str, what: str) -> None:
    least, most = schema.get(keys[0], 0), schema.get(keys[1], math.inf)
    if not least <= length <= most:
        limits = f"{least:,} to {most:,}" if most < math.inf else f"at least {least:,}"
        raise ShapeError(f"{begin} {limits} {what}, got {length:,}")


def _check_number(value: float, schema: Schema, where: str) -> None:
    if not (isinstance(value, int) or math.isfinite(value)):
        raise ShapeError(f"{where} must be finite")
    outside = (
        value < schema.get("minimum", -math.inf)
        or value > schema.get("maximum", math.inf)
        or value <= schema.get("exclusiveMinimum", -math.inf)
        or value >= schema.get("exclusiveMaximum", math.inf)
    )
    if outside:
        names = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
        limits = ", ".join(f"{name} {schema[name]:,}" for name in names if name in schema)
        raise ShapeError(f"{where} is out of range: {limits}")


def _check_object(value: dict[str, Any], schema: Schema, where: str) -> None:
    known = schema.get("properties", {})
    for key in schema.get("required", ()):
        if key not in value:
            raise ShapeError(f"{where} lacks {key!r}")
    for key, item in value.items():
        if key in known:
            check(item, known[key], key)
        elif schema.get("additionalProperties") is False:
            raise ShapeError(f"{where} has {shown(key)}, which is not known")
