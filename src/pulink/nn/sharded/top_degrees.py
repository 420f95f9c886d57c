"""The nodes of the largest degrees, of a graph whose rows several workers hold."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pulink.distributed.group.group import Group
from pulink.distributed.group.own_rows import OwnRows


def largest_degrees(rows: OwnRows, group: Group, count: int) -> npt.NDArray[np.int32]:
    """The nodes of the largest degrees, of equal ones the first; ascending."""
    order = np.argsort(-rows.degrees, kind="stable")[:count]
    mine = np.stack([-rows.degrees[order], order + rows.first], axis=1)
    everybody = np.concatenate(group.collected(mine))
    best = everybody[np.lexsort((everybody[:, 1], everybody[:, 0]))[:count], 1]
    return np.sort(best).astype(np.int32)
