"""The order of pairs whose scores tie, in plain Python."""

import numpy as np
import numpy.typing as npt

_WORD = (1 << 64) - 1


def tie_word(i: int, j: int) -> int:
    """SplitMix64's finaliser of both numbers, the lower one first."""
    x = (min(i, j) << 32) + max(i, j)
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _WORD
    return x ^ (x >> 31)


def ranked(
    scores: npt.NDArray[np.floating], pairs: npt.NDArray[np.integer]
) -> list[tuple[float, int, tuple[int, int]]]:
    """Minus score, word and pair (low end first) of each pair, best first."""
    low_first = np.sort(pairs, axis=1).tolist()
    return sorted(
        (-score, tie_word(i, j), (i, j)) for score, (i, j) in zip(scores.tolist(), low_first, strict=True)
    )
