"""Methods of other packages: their entry points in the group `pulink.methods`.

A package names a method and its class in its metadata. Metadata are read to list what there is; the package itself
is imported when its method is made. docs/plugins.md says what such a class must provide.
"""

from __future__ import annotations

import contextlib
import inspect
import re
import sys
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from pulink.errors import ParameterError
from pulink.text import reason, shown

if TYPE_CHECKING:
    from pulink.predictor.predictor import LinkPredictor

GROUP = "pulink.methods"

_NAME = re.compile(r"[a-z0-9][a-z0-9+_-]{0,59}")
_LONGEST_TEXT = 120


@dataclass(frozen=True)
class Plugin:
    """A method that an installed package brings.

    name, class_name           of the method, and of its class
    package, version, summary  what the package says of itself
    entry                      what imports the class, of `importlib.metadata`
    """

    name: str
    class_name: str
    package: str
    version: str
    summary: str
    entry: Any = field(repr=False, compare=False)

    @property
    def origin(self) -> str:
        return f"the package {self.package} {self.version}".rstrip()

    def load(self) -> type[LinkPredictor]:
        """The class; ParameterError with one line if it cannot be imported or is no method."""
        # Standard output is for data: whatever a package prints while it is imported is no part of them.
        with contextlib.redirect_stdout(sys.stderr):
            try:
                found = self.entry.load()
            except (Exception, SystemExit) as error:
                raise self.refusal_after(error) from error
            if (fault := self._fault(found)) is not None:
                raise self._refusal(fault)
        return found  # type: ignore[no-any-return]

    def refusal_after(self, error: BaseException) -> ParameterError:
        """One line about what its code raised."""
        return self._refusal(f"{type(error).__name__}: {reason(error)}")

    def _fault(self, found: Any) -> str | None:
        """Why it is no method; None if it is one."""
        from pulink.predictor.predictor import LinkPredictor

        if not isinstance(found, type) or not issubclass(found, LinkPredictor):
            return f"{shown(self.entry.value)} is no subclass of pulink's LinkPredictor"
        if found.__name__ != self.class_name:
            return f"its class is called {found.__name__}, and its entry point says {self.class_name}"
        if inspect.isabstract(found):
            return f"{self.class_name} lacks {', '.join(sorted(found.__abstractmethods__))}"
        without = [name for name, value in found.defaults().items() if value is inspect.Parameter.empty]
        if without:
            return f"parameters of {self.class_name} need defaults: {', '.join(without)}"
        try:
            found().check_settings()
        except Exception as error:
            return f"{self.class_name}() cannot be made: {reason(error)}"
        return None

    def _refusal(self, why: str) -> ParameterError:
        return ParameterError(
            f"method {self.name!r} of {self.origin} cannot be used ({why}): update or remove that package"
        )


@dataclass(frozen=True)
class Installed:
    """What the packages on this machine bring.

    plugins   by name
    problems  a sentence about each that is left out
    """

    plugins: dict[str, Plugin]
    problems: tuple[str, ...]


def installed(names: Collection[str], classes: Collection[str]) -> Installed:
    """Every plug-in whose name is not among `names` and whose class is not called as one of `classes`."""
    found = _every(tuple(sys.path))
    n_names = Counter(plugin.name for plugin in found)
    n_classes = Counter(plugin.class_name for plugin in found)
    kept: dict[str, Plugin] = {}
    problems = []
    for plugin in found:
        if not _NAME.fullmatch(plugin.name):
            fault = "names have lower-case letters, digits, +, - and _"
        elif plugin.name in names:
            fault = "pulink has a method or group of this name"
        elif plugin.class_name in classes:
            fault = f"its class is called {shown(plugin.class_name)}, as one of pulink's"
        elif n_names[plugin.name] > 1:
            fault = "several packages bring a method of this name"
        elif n_classes[plugin.class_name] > 1:
            fault = f"several plug-ins have a class called {shown(plugin.class_name)}"
        else:
            kept[plugin.name] = plugin
            continue
        problems.append(f"method {shown(plugin.name)} of {plugin.origin} is left out: {fault}")
    return Installed(kept, tuple(problems))


def plugin_behind(error: BaseException) -> Plugin | None:
    """The plug-in in whose code an exception was raised, or passed through; None where it was no plug-in's."""
    modules = {plugin.entry.value.partition(":")[0].strip(): plugin for plugin in _every(tuple(sys.path))}
    step = error.__traceback__
    while step is not None:
        if (found := modules.get(str(step.tb_frame.f_globals.get("__name__")))) is not None:
            return found
        step = step.tb_next
    return None


@lru_cache(maxsize=1)
def _every(path: tuple[str, ...]) -> tuple[Plugin, ...]:  # noqa: ARG001 (packages are looked for anew on another path)
    found = [_described(entry) for entry in entry_points(group=GROUP)]
    return tuple(sorted(found, key=lambda plugin: (plugin.name, plugin.package, plugin.class_name)))


def _described(entry: Any) -> Plugin:
    about = {} if entry.dist is None else entry.dist.metadata.json
    package, version, summary = (_line(about.get(name)) for name in ("name", "version", "summary"))
    class_name = entry.value.partition(":")[2].partition("[")[0].strip().rpartition(".")[2]
    return Plugin(entry.name, class_name, package or "unknown", version, summary, entry)


def _line(text: object) -> str:
    """What a package says, as one line that is not long."""
    line = " ".join(str(text or "").split())
    return line if len(line) <= _LONGEST_TEXT else f"{line[:_LONGEST_TEXT]}…"
