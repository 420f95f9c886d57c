"""The strongest paths of three steps between the ends of pairs, one by one.

    i - u - v - j    edges of the graph, u ≠ j and v ≠ i: never along the pair's own edge
    strength         1 / (d_u d_v), with d the degrees

The neighbours u of one end are tried from the lowest degree up; of each, all neighbours v are looked at. Once
d_u times the lowest degree beside the other end exceeds d_u d_v of all paths kept, no later path can be stronger.

Along the direction of a graph's links, i -> u -> v -> j, degrees count links from a node and to it together.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, Ints
from pulink.engine.compile import kernel

Longs = npt.NDArray[np.int64]
Path = tuple[int, int]

# Some milliseconds for each pair at most.
MOST_READ = 1_000_000

_FREE = np.iinfo(np.int64).max
_THROUGH, _PRODUCT, _U, _V = range(4)


def strongest_paths(
    adjacency: Adjacency,
    pairs: Longs,
    avoided: Ints,
    n_paths: int,
    most_read: int = MOST_READ,
    back: Adjacency | None = None,
    degrees: Longs | None = None,
) -> list[tuple[Path, ...]]:
    """For each pair (k x 2) up to `n_paths` paths (u, v), u beside its first node, the strongest first.

    Paths through a pair's `avoided` nodes (k x a, padded by -1) come after all others. Work is bounded: at most
    `most_read` entries of neighbours' rows are read for a pair, those of the lowest degrees, from the end that has
    fewer. Beyond that, only paths through nodes of larger degree are missed. Paths of equal strength are sorted by
    the number of the node beside that end, then of the other.

    back     for paths along the direction: who leads to each node, where `adjacency` holds whom it leads to
    degrees  where `adjacency` lacks rows that no path is looked for in: those of the whole graph
    """
    ends, places = np.unique(pairs, return_inverse=True)
    places = places.reshape(-1, 2)
    if degrees is None:
        degrees = np.diff(adjacency.indptr).astype(np.int64)
    if back is None:
        back = adjacency
        starts, nodes = _rows_by_degree(adjacency, ends, degrees)
    else:
        degrees = degrees + np.diff(back.indptr)
        starts, nodes = _rows_of_both(adjacency, back, ends, degrees)
        places = places + np.array([0, len(ends)])
        ends = np.tile(ends, 2)
    reached = np.concatenate([[0], np.cumsum(degrees[nodes], dtype=np.int64)])
    reach = (reached[starts[1:]] - reached[starts[:-1]])[places]
    turned = (reach[:, 1] < reach[:, 0]) | ((reach[:, 1] == reach[:, 0]) & (pairs[:, 1] < pairs[:, 0]))
    walked = np.where(turned[:, None], places[:, ::-1], places)
    found = np.full((len(pairs), n_paths, 4), _FREE, dtype=np.int64)
    links = (adjacency.indptr, adjacency.indices, back.indptr, back.indices, degrees)
    _search(links, (ends, starts, nodes), walked, turned, avoided, most_read, found)
    counts = (found[:, :, _THROUGH] != _FREE).sum(axis=1)
    paths = np.where(turned[:, None, None], found[:, :, [_V, _U]], found[:, :, [_U, _V]])
    return [tuple((u, v) for u, v in row[:n].tolist()) for row, n in zip(paths, counts.tolist(), strict=True)]


def _rows_by_degree(adjacency: Adjacency, ends: Longs, degrees: Longs) -> tuple[Longs, npt.NDArray[np.int32]]:
    """Row starts and neighbours of these nodes, the lowest degree first, then the lower number."""
    lengths = np.diff(adjacency.indptr)[ends]
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    owners = np.repeat(np.arange(len(ends)), lengths)
    nodes = adjacency.indices[np.arange(starts[-1]) + (adjacency.indptr[ends] - starts[:-1])[owners]]
    return starts, nodes[np.lexsort((degrees[nodes], owners))]


def _rows_of_both(
    forth: Adjacency, back: Adjacency, ends: Longs, degrees: Longs
) -> tuple[Longs, npt.NDArray[np.int32]]:
    """Whom these nodes lead to, then who leads to them."""
    (starts, nodes), (more_starts, more) = (_rows_by_degree(rows, ends, degrees) for rows in (forth, back))
    return np.concatenate([starts, more_starts[1:] + starts[-1]]), np.concatenate([nodes, more])


@kernel
def _search(
    links: tuple[Ints, Ints, Ints, Ints, Longs], rows: tuple[Longs, Longs, Ints], pairs: Longs,
    turned: npt.NDArray[np.bool_], avoided: Ints, most_read: int, found: Longs,
) -> None:  # fmt: skip
    """pairs: places in `ends` (k x 2); found: for each path whether through an avoided node, d_u d_v, u, v.

    A turned pair is walked from its second end: along the links against their direction.
    """
    degrees = links[4]
    ends, starts, nodes = rows
    beside = np.zeros(degrees.size, dtype=np.bool_)
    path = np.empty(4, dtype=np.int64)
    for p in range(pairs.shape[0]):
        if turned[p]:
            indptr, indices, last_indptr, last_indices = links[2], links[3], links[0], links[1]
        else:
            indptr, indices, last_indptr, last_indices = links[0], links[1], links[2], links[3]
        s, t = ends[pairs[p, 0]], ends[pairs[p, 1]]
        lowest = _mark((last_indptr, last_indices, degrees), (s, t), beside)
        left = most_read if lowest < _FREE else 0
        for e in range(starts[pairs[p, 0]], starts[pairs[p, 0] + 1]):
            u = nodes[e]
            if u == t:
                continue
            if degrees[u] > left or _none_better(found, p, degrees[u] * lowest):
                break
            left -= degrees[u]
            for f in range(indptr[u], indptr[u + 1]):
                v = indices[f]
                product = degrees[u] * degrees[v]
                if beside[v] and not _none_better(found, p, product):
                    path[_THROUGH] = _is_among(avoided, p, u) or _is_among(avoided, p, v)
                    path[_PRODUCT], path[_U], path[_V] = product, u, v
                    _keep(found, p, path)
        for e in range(last_indptr[t], last_indptr[t + 1]):
            beside[last_indices[e]] = False


@kernel
def _mark(rows: tuple[Ints, Ints, Longs], pair: tuple[np.int64, np.int64], beside: npt.NDArray[np.bool_]) -> int:
    """Mark where a path may arrive before its last step, and give the lowest degree there."""
    indptr, indices, degrees = rows
    s, t = pair
    lowest = _FREE
    for e in range(indptr[t], indptr[t + 1]):
        v = indices[e]
        # A path takes two edges of v.
        if v != s and degrees[v] > 1:
            beside[v] = True
            lowest = min(lowest, degrees[v])
    return lowest


@kernel
def _is_among(some: Ints, p: int, node: np.integer) -> bool:
    found = False
    for k in range(some.shape[1]):
        found |= some[p, k] == node
    return found


@kernel
def _none_better(found: Longs, p: int, product: int | np.integer) -> bool:
    """Whether all places are taken, past no avoided node, by paths that are stronger than this."""
    last = found.shape[1] - 1
    return bool(found[p, last, _THROUGH] == 0 and product > found[p, last, _PRODUCT])


@kernel
def _keep(found: Longs, p: int, path: Longs) -> None:
    """Insert a path where it belongs, if it does."""
    n_places = found.shape[1]
    place = n_places
    while place > 0 and _precedes(path, found, p, place - 1):
        place -= 1
        for k in range(path.size):
            if place + 1 < n_places:
                found[p, place + 1, k] = found[p, place, k]
            found[p, place, k] = path[k]


@kernel
def _precedes(path: Longs, found: Longs, p: int, place: int) -> bool:
    k = 0
    while k < path.size - 1 and path[k] == found[p, place, k]:
        k += 1
    return bool(path[k] < found[p, place, k])
