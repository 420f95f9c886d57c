"""Messages between two processes: plain values as JSON and bytes beside them; and errors as plain values.

8 bytes, 8 bytes    how long the two parts are
JSON                plain values
bytes               a checkpoint, or nothing
"""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

from pulink.errors import (
    ClusterError,
    InputError,
    LeakError,
    ModelError,
    NotFittedError,
    OutputError,
    ParameterError,
    TooLargeError,
    UnknownNameError,
    UnknownParameterError,
)


class LostWorkerError(ClusterError):
    """A process that others wait for has ended: what they did together is begun once more."""


# Whose classes are known on the other side; KeyError and its kin say something else than their message.
_KNOWN: dict[str, type[Exception]] = {
    kind.__name__: kind
    for kind in (
        ClusterError, InputError, LeakError, LostWorkerError, ModelError, NotFittedError, OutputError,
        ParameterError, TooLargeError, UnknownNameError, UnknownParameterError, AssertionError, MemoryError,
        OSError, RuntimeError, TypeError, ValueError,
    )
}  # fmt: skip
_SIZES = struct.Struct("<QQ")


def send(stream: BinaryIO, plain: dict[str, Any], content: bytes = b"") -> None:
    """Write a message; OSError if nobody is there to read it."""
    header = json.dumps(plain).encode()
    stream.write(_SIZES.pack(len(header), len(content)) + header)
    stream.write(content)
    stream.flush()


def receive(stream: BinaryIO) -> tuple[dict[str, Any], bytes]:
    """Read a message; EOFError if the other side has ended."""
    n_header, n_content = _SIZES.unpack(_exactly(stream, _SIZES.size))
    plain: dict[str, Any] = json.loads(_exactly(stream, n_header))
    return plain, _exactly(stream, n_content)


def _exactly(stream: BinaryIO, n_bytes: int) -> bytes:
    found = stream.read(n_bytes)
    if len(found) < n_bytes:
        raise EOFError
    return found


def described(error: Exception) -> dict[str, str]:
    """An error as plain values."""
    return {"error": type(error).__name__, "message": str(error)}


def restored(plain: dict[str, str]) -> Exception:
    """The error that `described` told of, with its class where that is known here, and its message."""
    name, message = plain["error"], plain["message"]
    kind = _KNOWN.get(name)
    if kind is None:
        return ClusterError(f"a piece of the work failed: {name}: {message}")
    try:
        return kind(message)
    except TypeError:
        # Some classes make their message of other arguments.
        error = kind.__new__(kind, message)
        error.args = (message,)
        return error
