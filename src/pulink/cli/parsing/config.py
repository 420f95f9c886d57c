"""--config FILE: options from a TOML file, or from the run.json that find wrote.

In TOML, keys at the top are for every command that has such an option, and a table is for one command:

    seed = 3
    [find]
    edges = "edges.csv"
    top = 50
    set.pull.max_iterations = 5
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pulink.cli.parsing.given import Given, is_switch, names_a_file, parameters_by_key, takes_several
from pulink.errors import InputError, ParameterError, UnknownNameError
from pulink.text import reason, short_path, shown

# A run.json holds the history of a training too.
_LARGEST = 64_000_000
_OF_A_RUN = "options"
_FILES_OF_A_RUN = ("nodes", "known_absent", "reviews")


@dataclass(frozen=True)
class Lost:
    """Stands where a run was given an object, such as a frame, that no file names."""

    what: object


def config_values(file: Path, name: str, commands: Mapping[str, Any]) -> dict[str, Given]:
    """By parameter of the command `name`, what a file says of it.

    Paths in TOML are from the file's own folder; those of a run.json from where the command is started, as they
    were when it was written.
    """
    is_run = file.suffix.lower() == ".json"
    content = _run_options(file) if is_run else _toml(file)
    where = short_path(file)
    tables = {key: value for key, value in content.items() if key in commands and isinstance(value, dict)}
    general = {key: value for key, value in content.items() if key not in tables}
    known = {key for command in commands.values() for key in parameters_by_key(command)}
    mine = parameters_by_key(commands[name])
    for key in general:
        if _spelled(key) not in known:
            names = known if is_run else known | set(commands)
            raise UnknownNameError(f"key in {where}:", key, names)
    found: dict[str, Given] = {}
    for table, values in ((None, general), (name, tables.get(name, {}))):
        for key, value in values.items():
            place = f"{where}: {key}" if table is None else f"{where}: [{table}] {key}"
            parameter = mine.get(_spelled(key))
            if parameter is None and table is not None:
                raise UnknownNameError(f"key in {where}: [{table}]", key, mine)
            # `source` at the top is a column of an edge list, not the first node that explain is asked about.
            is_other = parameter is not None and table is None and _is_plain_argument(parameter)
            if parameter is None or is_other or value is None:
                continue
            if isinstance(value, Lost):
                found[str(parameter.name)] = Given(value, where)
                continue
            typed = _typed(parameter, value, place)
            found[str(parameter.name)] = Given(typed if is_run else _from(file.parent, parameter, typed), place)
    return found


def _spelled(key: str) -> str:
    return key.replace("_", "-")


def _is_plain_argument(parameter: Any) -> bool:
    return parameter.param_type_name == "argument" and not names_a_file(parameter)


def _read(file: Path) -> str:
    from pulink.data.formats.sources import existing_file

    found = existing_file(file)
    try:
        if found.stat().st_size > _LARGEST:
            raise InputError(f"{short_path(file)}: is too large to be a file of options")
        return found.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{short_path(file)}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{short_path(file)}: is not text in UTF-8; TOML or a run.json is needed") from error


def _toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_read(file))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{short_path(file)}: is not TOML ({reason(error)})") from error


def _run_options(file: Path) -> dict[str, Any]:
    text = _read(file)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{short_path(file)}: is not JSON ({reason(error)})") from error
    options = content.get(_OF_A_RUN) if isinstance(content, dict) else None
    if not isinstance(options, dict):
        raise InputError(
            f'{short_path(file)}: holds no "{_OF_A_RUN}"; a run.json that find wrote, or TOML, is needed'
        )
    # A run of Python may have been given frames where the command is given files.
    asked = content.get("settings")
    given = asked if isinstance(asked, dict) else {}
    given = given | ({"reviews": "answers"} if isinstance(content.get("reviews"), dict) else {})
    lost = {key: Lost(given[key]) for key in _FILES_OF_A_RUN if options.get(key) is None and given.get(key)}
    return options | lost


def _typed(parameter: Any, value: Any, place: str) -> Any:
    """A value as somebody would have typed it: what it may be is then judged as what is typed is."""
    if is_switch(parameter):
        if not isinstance(value, bool):
            raise ParameterError(f"{place} must be true or false, got {shown(value)}")
        return value
    if takes_several(parameter):
        return list(_words(value))
    if isinstance(value, bool | list | dict):
        raise ParameterError(f"{place} takes one value, got {shown(value)}")
    return str(value)


def _words(value: Any, name: str = "") -> Iterator[str]:
    """Tables become name=value, as --set and --column take them; lists become what they hold."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _words(one, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        for one in value:
            yield from _words(one, name)
    else:
        text = "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        yield f"{name}={text}" if name else text


def _from(folder: Path, parameter: Any, value: Any) -> Any:
    """A path from the file's folder; - and names of datasets stay as they are."""
    if not names_a_file(parameter) or not isinstance(value, str) or value in ("", "-"):
        return value
    there = folder / value
    is_name = "EDGES" in str(parameter.metavar) and not there.suffix and len(Path(value).parts) == 1
    return value if is_name and not there.exists() else str(there)
