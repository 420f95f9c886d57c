"""Public names that were changed: the old name still works, and tells once what it is called now."""

from __future__ import annotations

import warnings
from typing import Any

_announced: set[str] = set()


class Renamed:
    """The old name of an attribute of a class: reading it gives what has the new name."""

    def __init__(self, new: str) -> None:
        self.new = new

    def __set_name__(self, owner: type, name: str) -> None:
        self.old, self._home = name, owner.__name__

    def __get__(self, instance: object, owner: type) -> Any:
        self.tell(stacklevel=3)
        return getattr(owner if instance is None else instance, self.new)

    def tell(self, stacklevel: int) -> None:
        """Warn, once in a process; `stacklevel` leads to the line that uses the old name."""
        message = f"{self._home}.{self.old} is called {self._home}.{self.new} now; the old name will be removed"
        if message not in _announced:
            warnings.warn(message, DeprecationWarning, stacklevel)
            _announced.add(message)


def take_over_old_names(cls: type) -> None:
    """What a class that users wrote defines under an old name of its bases counts under the new one."""
    inherited = [value for base in cls.__mro__[1:] for value in vars(base).values()]
    for renamed in [value for value in inherited if isinstance(value, Renamed)]:
        if renamed.old in vars(cls) and renamed.new not in vars(cls):
            # The class statement stands above __init_subclass__ and ABCMeta.__new__.
            renamed.tell(stacklevel=5)
            setattr(cls, renamed.new, vars(cls)[renamed.old])
