"""Work that cannot fit is refused before it starts."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pulink.errors import TooLargeError
from pulink.system import memory


def test_too_large_names_the_need_and_a_way_out() -> None:
    with pytest.raises(TooLargeError, match=r"the test needs about 1000000000\.0 GB, .* GB are free: use less"):
        memory.require_memory(10**18, "the test", "use less")


def test_the_error_is_a_memory_error_with_its_exit_status() -> None:
    assert issubclass(TooLargeError, MemoryError)
    assert TooLargeError.exit_status == 4


def is_refused(n_bytes: int) -> bool:
    try:
        memory.require_memory(n_bytes, "the test", "use less")
    except TooLargeError:
        return True
    return False


def test_what_just_fits_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 1_000)
    assert [is_refused(n_bytes) for n_bytes in (0, 1_000, 1_001)] == [False, False, True]


def test_nothing_is_refused_where_the_system_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: None)
    assert not is_refused(10**18)


@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="this system cannot start a new peak")
def test_the_peak_sees_an_allocation() -> None:
    # In a process of its own: in one that has held more before, the block may lie in memory that was held already.
    measure = """if True:
        from pulink.system import memory
        memory.reset_peak()
        before = memory.peak_bytes()
        block = b"1" * 40_000_000
        print(memory.peak_bytes() - before)
    """
    grown = int(subprocess.run([sys.executable, "-c", measure], capture_output=True, check=True, text=True).stdout)
    assert 32_000_000 < grown < 48_000_000


def test_the_resident_size_follows_what_is_held() -> None:
    before = memory.resident_bytes()
    block = np.ones(12_000_000)  # too large for memory that was freed before
    held = memory.resident_bytes()
    assert held - before > 0.8 * block.nbytes
    assert held <= memory.peak_bytes()


def test_without_a_status_file_the_largest_size_so_far_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_STATUS", tmp_path / "none")
    assert memory.resident_bytes() == memory.peak_bytes() > 10**7
