"""A small reader of numpydoc docstrings, and what is still wrong with those of a function or a class."""

from __future__ import annotations

import builtins
import dataclasses
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from importlib import import_module
from typing import Any

import pulink.errors

SECTIONS = ("Parameters", "Attributes", "Returns", "Raises", "See Also", "Notes", "Examples")
Function = Callable[..., Any]


def sections(docstring: str) -> dict[str, str]:
    """What stands under each heading; the text above the first one is called ''."""
    parts = re.split(r"^(\S.*)\n(-+)$\n?", inspect.cleandoc(docstring), flags=re.MULTILINE)
    return {"": parts[0]} | {parts[k]: parts[k + 2] for k in range(1, len(parts), 3)}


def entries(section: str) -> dict[str, str]:
    """Names and types of `name, other : type` lines; the lines below one that are indented describe it."""
    found = {}
    for line in section.splitlines():
        if line and not line.startswith(" "):
            names, _, kind = line.partition(" : ")
            found.update({name.strip().lstrip("*"): kind for name in names.split(",")})
    return found


def documented(docstring: str, *headings: str) -> set[str]:
    """All names that these sections list."""
    every = sections(docstring)
    return {name for heading in headings for name in entries(every.get(heading, ""))}


def function_problems(function: Function, *, example: bool) -> list[str]:
    """What the docstring of a function or method lacks."""
    docstring = function.__doc__ or ""
    every = sections(docstring)
    wanted = parameters(function)
    found = documented(docstring, "Parameters")
    problems = [*form_problems(docstring), *_difference("Parameters", wanted, found)]
    returns = inspect.signature(function).return_annotation not in ("None", None)
    if returns != ("Returns" in every):
        problems.append("Returns is missing" if returns else "Returns describes nothing")
    if example and "Examples" not in every:
        problems.append("Examples is missing")
    return problems


def form_problems(docstring: str) -> list[str]:
    """What no docstring may have, whatever it describes."""
    if not docstring:
        return ["there is no docstring"]
    every, problems = sections(docstring), []
    summary = every[""].strip().split("\n\n")[0]
    if "\n" in summary or not summary.endswith("."):
        problems.append(f"the first line is no sentence on one line: {summary!r}")
    problems += [f"{name!r} is no section of numpydoc" for name in every if name not in ("", *SECTIONS)]
    headings = [name for name in SECTIONS if name in every]
    if [name for name in every if name in SECTIONS] != headings:
        problems.append(f"sections come in this order: {', '.join(headings)}")
    for heading in ("Parameters", "Attributes"):
        untyped = [name for name, kind in entries(every.get(heading, "")).items() if not kind]
        problems += [f"{heading}: {name} has no type (name : type)" for name in untyped]
    for name in entries(every.get("Raises", "")):
        if not hasattr(pulink.errors, name) and not hasattr(builtins, name):
            problems.append(f"Raises: there is no error {name}")
    return problems


def class_problems(cls: type, *, example: bool) -> list[str]:
    """What the docstring of a class lacks; parameters may be documented by a class that See Also names."""
    docstring = cls.__dict__.get("__doc__") or ""
    problems = form_problems(docstring)
    own = set(inspect.get_annotations(cls))
    init = set(parameters(cls))
    found = documented(docstring, "Parameters", "Attributes")
    unknown = documented(docstring, "Parameters") - init
    problems += [f"Parameters: there is no {name}" for name in sorted(unknown)]
    elsewhere = set().union(found, *(documented(other.__doc__ or "", "Parameters") for other in _seen_also(cls)))
    problems += [f"Parameters: neither here nor in See Also: {name}" for name in sorted(init - elsewhere)]
    learned = {name for name in own - init if name.endswith("_") and not name.startswith("_")}
    problems += [f"Attributes: {name} is missing" for name in sorted(learned - found)]
    problems += [f"Attributes: there is no {name}" for name in sorted(found - _attributes(cls))]
    if example and "Examples" not in sections(docstring):
        problems.append("Examples is missing")
    return problems


def method_problems(cls: type, name: str) -> list[str]:
    """What a public method or property that this class defines lacks; one that overrides may inherit its text."""
    value = inspect.getattr_static(cls, name)
    inherited = next((vars(base)[name] for base in cls.__mro__[1:] if name in vars(base)), None)
    if isinstance(value, property | cached_property):
        documented_by = [own for own in (value, inherited) if own is not None and own.__doc__]
        return [] if documented_by else ["there is no docstring"]
    function = _plain(value)
    if inherited is not None and "Parameters" not in sections(function.__doc__ or ""):
        return _difference("Parameters", parameters(_plain(inherited)), parameters(function))
    return function_problems(function, example=False)


def public_members(cls: type) -> Iterator[tuple[type, str]]:
    """Methods and properties without an underscore, each with the class of pulink that defines it."""
    for owner in cls.__mro__:
        if owner.__module__.partition(".")[0] != "pulink":
            continue
        for name, value in vars(owner).items():
            described = isinstance(value, property | cached_property | classmethod | staticmethod)
            if not name.startswith("_") and (described or inspect.isfunction(value)):
                yield owner, name


def parameters(called: Function) -> list[str]:
    """Names of the parameters that a caller gives."""
    return [name for name in inspect.signature(called).parameters if name not in ("self", "cls")]


def _plain(value: Any) -> Function:
    function: Function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
    return function


def _difference(heading: str, wanted: Iterable[str], found: Iterable[str]) -> list[str]:
    missing = [f"{heading}: {name} is missing" for name in sorted(set(wanted) - set(found))]
    return missing + [f"{heading}: there is no {name}" for name in sorted(set(found) - set(wanted))]


def _seen_also(cls: type) -> set[type]:
    """The classes that See Also of this class names, and those that theirs name."""
    reached: set[type] = set()
    waiting = [cls]
    while waiting:
        text = sections(waiting.pop().__doc__ or "").get("See Also", "")
        for place in entries(text):
            module, _, name = place.rpartition(".")
            found = getattr(import_module(module or "pulink"), name)
            if inspect.isclass(found) and found not in reached:
                reached.add(found)
                waiting.append(found)
    return reached


def _attributes(cls: type) -> set[str]:
    annotated = {name for base in cls.__mro__ for name in inspect.get_annotations(base)}
    fields = {field.name for field in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else set()
    return annotated | fields | set(dir(cls)) | set(parameters(cls))
