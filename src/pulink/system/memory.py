"""What memory there is, what a process has used at most, and refusing work that would not fit."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

from pulink.errors import TooLargeError

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def available_bytes() -> int | None:
    """Memory that could be taken now without swapping; None where the system does not tell."""
    limits = [limit for limit in (_free_in_system(), _free_in_group()) if limit is not None]
    return min(limits) if limits else None


def require_memory(n_bytes: int, what: str, way_out: str) -> None:
    """Refuse before the work starts, with the figure and a way out."""
    free = available_bytes()
    if free is not None and n_bytes > free:
        raise TooLargeError(f"{what} needs about {n_bytes / 1e9:.1f} GB, {free / 1e9:.1f} GB are free: {way_out}")


def reset_peak() -> None:
    """Start measuring the peak anew, where the system allows it."""
    try:
        _CLEAR.write_text("5")
    except OSError:
        return


def peak_bytes() -> int:
    """Largest resident size since `reset_peak`, or since the process began where that cannot be reset."""
    known = _field_of(_STATUS, "VmHWM:")
    return _most_so_far() if known is None else known


def resident_bytes() -> int:
    """The present resident size; the largest so far where the system does not tell."""
    known = _field_of(_STATUS, "VmRSS:")
    return _most_so_far() if known is None else known


def _most_so_far() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _field_of(path: Path, label: str) -> int | None:
    """Bytes in the line of a system file that begins with `label`; None without such a file or line."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(label)), None)


def _free_in_system() -> int | None:
    known = _field_of(Path("/proc/meminfo"), "MemAvailable:")
    if known is not None:
        return known
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    except (ValueError, OSError):
        return None


def _free_in_group() -> int | None:
    """What a container's limit leaves (control groups, version 2)."""
    group = Path("/sys/fs/cgroup")
    try:
        limit = (group / "memory.max").read_text().strip()
        used = int((group / "memory.current").read_text())
    except (OSError, ValueError):
        return None
    return None if limit == "max" else max(0, int(limit) - used)
