"""Node names: any string, looked up both ways."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Sequence
from functools import cached_property
from typing import overload

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.errors import InputError
from pulink.text import counted

# Characters that a name may have in a table or a file.
MAX_NAME = 4_096

_SEARCHED_FOR_HINTS = 200_000


class Names:
    """The names of nodes 0 .. n - 1: `names[3]` is the name of node 3.

    Parameters
    ----------
    n_nodes : int
        How many nodes there are.
    series : polars Series or None
        Their names, all different. None: node i is called str(i), and nothing is stored.
    types : polars Series or None
        The type of each node, by its name. Names must then differ among the nodes of one type, and `type:name`
        names a node too.
    """

    def __init__(self, n_nodes: int, series: pl.Series | None = None, types: pl.Series | None = None) -> None:
        if series is not None:
            if series.len() != n_nodes:
                were = counted(series.len(), "name was", "names were")
                raise InputError(f"{were} given for {counted(n_nodes, 'node')}")
            series = series.cast(pl.String).rename("name")
            if series.null_count():
                raise InputError("a node's name is missing; every node needs one")
            within = series.to_frame() if types is None else pl.DataFrame([series, types.rename("type")])
            if series.n_unique() != n_nodes and within.is_duplicated().any():
                twice = series.filter(within.is_duplicated())[0]
                raise InputError(f"node name {twice!r} occurs more than once; names must differ")
        self._n_nodes = n_nodes
        self._series = series
        self._types = types

    def __len__(self) -> int:
        return self._n_nodes

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._n_nodes))]
        index = operator.index(index)
        if not -self._n_nodes <= index < self._n_nodes:
            raise IndexError(f"node {index} of {self._n_nodes}")
        index %= self._n_nodes
        return str(index) if self._series is None else str(self._series[index])

    def __repr__(self) -> str:
        shown = ", ".join(repr(self[i]) for i in range(min(3, len(self))))
        return f"Names({len(self)}: {shown}{', ...' if len(self) > 3 else ''})"

    @property
    def given(self) -> bool:
        """Whether the names were given, rather than counted."""
        return self._series is not None

    def series(self) -> pl.Series:
        """Give all names, in node order.

        Returns
        -------
        polars Series
        """
        if self._series is not None:
            return self._series
        return pl.Series("name", np.arange(self._n_nodes)).cast(pl.String)

    def take(self, nodes: npt.NDArray[np.integer]) -> pl.Series:
        """Give the names of some nodes.

        Parameters
        ----------
        nodes : array of node numbers, k
            In any order.

        Returns
        -------
        polars Series, k
        """
        if self._series is None:
            return pl.Series("name", nodes).cast(pl.String)
        return self._series.gather(nodes)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.series().to_list())}

    @cached_property
    def _typed_index(self) -> dict[tuple[str, str], int]:
        assert self._types is not None
        names = zip(self._types.to_list(), self.series().to_list(), strict=True)
        return {name: i for i, name in enumerate(names)}

    @cached_property
    def _ambiguous(self) -> set[str]:
        """Names that nodes of several types have."""
        series = self.series()
        return set() if self._types is None else set(series.filter(series.is_duplicated()).to_list())

    def node_of_type(self, name: str, type_name: str) -> int | None:
        """Give the node of a type that is called so.

        Parameters
        ----------
        name, type_name : str
            What the node and its type are called.

        Returns
        -------
        int or None
            None where there is none.
        """
        return None if self._types is None else self._typed_index.get((type_name, name))

    def _node(self, name: str) -> int | None:
        if name in self._ambiguous:
            assert self._types is not None
            known = [f"{kind}:{name}" for kind in self._types.unique().sort() if (kind, name) in self._typed_index]
            raise InputError(f"{name!r} names nodes of several types: write {' or '.join(known)}")
        if (found := self._index.get(name)) is not None or self._types is None:
            return found
        starts = (place for place, letter in enumerate(name) if letter == ":")
        typed = (self.node_of_type(name[place + 1 :], name[:place]) for place in starts)
        return next((node for node in typed if node is not None), None)

    def index_of(self, names: Sequence[object]) -> npt.NDArray[np.int64]:
        """Give the node numbers of names.

        Parameters
        ----------
        names : sequence of str, k
            In any order.

        Returns
        -------
        array of int64, k

        Raises
        ------
        InputError
            If no node is called so; the message has a similar name, where there is one.
        """
        found = np.empty(len(names), dtype=np.int64)
        for k, name in enumerate(names):
            node = self._node(name) if isinstance(name, str) else None
            if node is None:
                raise InputError(self._unknown(name))
            found[k] = node
        return found

    def closest(self, name: str) -> str | None:
        """Give the name that may have been meant.

        Parameters
        ----------
        name : str
            A name that no node has.

        Returns
        -------
        str or None
            None where no name is similar, or where there are too many to search.
        """
        if len(self) > _SEARCHED_FOR_HINTS:
            return None
        return next(iter(difflib.get_close_matches(name, self._index, n=1)), None)

    def _unknown(self, name: object) -> str:
        if not isinstance(name, str):
            return f"node names are strings, got {name!r} ({type(name).__name__})"
        close = self.closest(name)
        hint = "" if close is None else f"; did you mean {close!r}?"
        return f"no node is called {name!r}{hint}"
