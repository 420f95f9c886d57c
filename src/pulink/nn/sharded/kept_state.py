"""Names of a trainer's arrays in the checkpoints of a group, where arrays with a row for each node are cut."""

from __future__ import annotations

from pulink.distributed.group.checkpoints import ROWS
from pulink.distributed.group.own_rows import OwnRows
from pulink.nn.sharded.trainer import State
from pulink.persistence.checkpoints import Arrays, Checkpoint

# Of the state that is kept: names of its arrays begin so.
BEST = "best."
_FIRST_WEIGHTS = "weights.0"


def named_for_rows(state: State, prefix: str, has_rows: bool) -> Arrays:
    """Without features the first weights, and their moments, have rows of nodes."""
    return {
        f"{ROWS if has_rows and _FIRST_WEIGHTS in name and value.ndim == 2 else ''}{prefix}{name}": value
        for name, value in state.items()
    }


def joined(found: Checkpoint, prefix: str) -> State:
    """What `named_for_rows` named with this prefix."""
    return found.under(prefix) | found.under(ROWS + prefix)


def small_parameters(state: State, rows: OwnRows) -> State:
    """Those that every worker holds as a whole."""
    return {name: value for name, value in state.items() if rows.features is not None or name != _FIRST_WEIGHTS}
