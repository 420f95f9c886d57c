"""What is done to a valid file: bytes lost, flipped, repeated, slipped in, and what each format holds twisted."""

from __future__ import annotations

import io
import re
import struct
import zipfile
from collections.abc import Callable
from random import Random

import numpy as np

_SLIPPED_IN: tuple[bytes, ...] = (
    b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b'"', b'""', b"\n", b"\r", b"\n\n\n", b",", b";", b"\t",
    b" ", b"#", b"# ", b"%", b"\x1f\x8b", b"PAR1", b"PK\x03\x04", b"\x93NUMPY", b"<!DOCTYPE x [", b"&a;",
    b'<!ENTITY a "b">', b"<![CDATA[", b"</graph>", b"<node id='q'>", b"<edge/>", b"\xc0\x80", b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80", "\u202e".encode(), "\u200b".encode(), "\u0410".encode(), "\u2028".encode(), b"nan",
    b"NaN", b"inf", b"-inf", b"1e999", b"-1", b"18446744073709551616", b"99999999999999999999999999", b"1_000",
    b"0x10", b"1e-320", b"None", b"null",
)  # fmt: skip
_NUMBERS = (
    -1,
    0,
    1,
    2,
    127,
    255,
    2**15,
    2**31 - 1,
    2**31,
    2**32,
    2**40,
    2**53 + 1,
    2**62,
    2**63 - 1,
    2**64 - 1,
    10**9,
)
_KINDS = (
    "<i8",
    ">i4",
    "<u8",
    "<f8",
    "<f2",
    "<c16",
    "|b1",
    "|O",
    "|S0",
    "|S5",
    "<U3",
    "<M8[s]",
    "<m8[ns]",
    "|V8",
    "zz",
    "<i3",
)


def mutated(data: bytes, rng: Random) -> bytes:
    """One to a dozen changes of bytes."""
    for _ in range(rng.choice([1, 1, 1, 2, 3, 12])):
        data = rng.choice(_CHANGES)(data, rng)
    return data


def twisted_text(data: bytes, rng: Random) -> bytes:
    """Cells replaced, dropped, doubled or blown up, so that the table stays nearly one."""
    tokens = re.split(rb"([,;\t|\n]| +)", data)
    for _ in range(rng.choice([1, 2, 5])):
        place = rng.randrange(len(tokens))
        run = rng.choice([b"x", b" ", b'"', b",", b"\n", b"#"]) * rng.choice([1, 100, 5_000, 200_000])
        tokens[place] = rng.choice([b"", tokens[place] * 2, rng.choice(_SLIPPED_IN), run, b'"' + tokens[place]])
    return b"".join(tokens)


def twisted_markup(data: bytes, rng: Random) -> bytes:
    """Tags and attributes dropped, doubled, swapped or nested."""
    tokens = re.split(rb"(<[^>]*>)", data)
    for _ in range(rng.choice([1, 2, 5])):
        a, b = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        match rng.randrange(5):
            case 0:
                tokens[a] = b""
            case 1:
                tokens[a], tokens[b] = tokens[b], tokens[a]
            case 2:
                tokens[a] = tokens[a] * rng.choice([2, 50, 2_000])
            case 3:
                tokens[a] = re.sub(rb"\w+=", rng.choice([b"id=", b"x=", b"key=", b"for="]), tokens[a])
            case _:
                tokens[a] += rng.choice(_SLIPPED_IN)
    return b"".join(tokens)


def twisted_arrays(arrays: dict[str, np.ndarray], rng: Random) -> bytes:
    """An .npz file whose members are renamed, dropped, of other types and shapes, or lie about themselves."""
    members = {f"{name}.npy": _npy(array, rng) for name, array in arrays.items()}
    for name in list(members):
        if rng.random() < 0.02:
            members[rng.choice(["y.npy", "x.npy", "edge_index", "../x.npy", name.upper()])] = members.pop(name)
    packing = rng.choice([0, 0, 8, 8, 8, 8, 8, 8, 12, 14])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", packing) as archive:
        for name, content in members.items():
            # By its name alone a member would be dated, and a seed would stand for other bytes at another time.
            undated = zipfile.ZipInfo(name)
            undated.compress_type = packing
            archive.writestr(undated, mutated(content, rng) if rng.random() < 0.04 else content)
    return buffer.getvalue()


def twisted_parquet(data: bytes, rng: Random) -> bytes:
    """A number of the footer or of a page's header replaced by another of any size."""
    footer = int.from_bytes(data[-8:-4], "little")
    start = len(data) - 8 - footer
    in_footer = rng.random() < 0.6
    low, high = (start, len(data) - 8) if in_footer else (4, min(start, 200))
    first = last = rng.randrange(low, max(high, low + 1))
    while last < high - 1 and data[last] & 128:
        last += 1
    number = _varint(abs(rng.choice(_NUMBERS)))
    body = data[:first] + number + data[last + 1 : -8]
    size = len(body) - start if in_footer else footer
    return body + size.to_bytes(4, "little") + data[-4:]


def _npy(array: np.ndarray, rng: Random) -> bytes:
    """One array as .npy, most of the time as it should be."""
    if rng.random() < 0.1:
        array = _other_values(array, rng)
    kind, shape = array.dtype.str, array.shape
    if rng.random() < 0.05:
        kind = rng.choice(_KINDS)
    if rng.random() < 0.05:
        shape = tuple(rng.choice(_NUMBERS) for _ in range(rng.randrange(4)))
    order = rng.choice(["True", "False", "False", "False", "None"] if rng.random() < 0.1 else ["False"])
    header = f"{{'descr': {kind!r}, 'fortran_order': {order}, 'shape': {shape}, }}"
    if rng.random() < 0.02:
        header = rng.choice(
            [header[: rng.randrange(len(header))], "(" * 3_000, "'''", header.replace(",", "L,"), "{}"]
        )
    text = header.encode("latin-1", "replace") + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + array.tobytes()


def _other_values(array: np.ndarray, rng: Random) -> np.ndarray:
    if array.dtype.kind not in "iuf" or rng.random() < 0.3:
        return (
            array.astype(rng.choice(["i8", "f8", "u1", "f2", "S3", ">i4"])) if array.dtype.kind in "iuf" else array
        )
    flat = array.astype("f8" if array.dtype.kind == "f" else "i8").ravel()
    if flat.size:
        value = rng.choice(_NUMBERS[:-3] if flat.dtype.kind == "i" else [np.nan, np.inf, 1e300, 1e-320, -1.0])
        flat[rng.randrange(flat.size)] = value
    return flat.reshape(array.shape)


def _varint(number: int) -> bytes:
    parts = bytearray()
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes([*parts, number])


def _cut(data: bytes, rng: Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _without(data: bytes, rng: Random) -> bytes:
    start = rng.randrange(len(data) + 1)
    return data[:start] + data[start + rng.choice([1, 2, 10, 100]) :]


def _flipped(data: bytes, rng: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 3, 20]) if data else 0):
        changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _slipped(data: bytes, rng: Random) -> bytes:
    place = rng.randrange(len(data) + 1)
    return data[:place] + rng.choice(_SLIPPED_IN) * rng.choice([1, 1, 1, 3, 2_000]) + data[place:]


def _noisy(data: bytes, rng: Random) -> bytes:
    place = rng.randrange(len(data) + 1)
    return data[:place] + rng.randbytes(rng.choice([1, 8, 200])) + data[place + rng.choice([0, 8]) :]


def _repeated(data: bytes, rng: Random) -> bytes:
    start, length = rng.randrange(len(data) + 1), rng.choice([1, 5, 50, 500])
    return data[:start] + data[start : start + length] * rng.choice([2, 5, 300]) + data[start:]


def _swapped(data: bytes, rng: Random) -> bytes:
    a, b = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
    return data[b:] + data[a:b] + data[:a]


_CHANGES: tuple[Callable[[bytes, Random], bytes], ...] = (
    _cut, _without, _flipped, _flipped, _slipped, _slipped, _noisy, _repeated, _swapped,
)  # fmt: skip
