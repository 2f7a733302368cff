"""Damage to valid files: bits, chunks, lines, numbers and tokens of a format, and the inside of containers."""

import gzip
import io
import json
import re
import warnings
import zipfile
import zlib
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

#: Numbers at the limits of integer types, and texts that are not numbers.
NUMBERS = (
    *(b"0 1 -1 2 7 007 +3 1e9 1e309 -0 nan NaN inf 0x10 1_000 1.5 . - ~").split(),
    *(
        str(sign * 2**power + step).encode()
        for power in (31, 32, 63, 64)
        for step in (-1, 0)
        for sign in (1, -1)
    ),
    b"1000000000",
    b"9" * 30,
    "٣".encode(),
)
#: Tokens that are difficult for text readers of any format.
TOKENS = (
    *(
        b"\0",
        b"\r",
        b"\n",
        b"\r\n",
        b"\t",
        b" ",
        b",",
        b";",
        b'"',
        b'""',
        b"'",
        b"#",
        b"%",
        b"//",
        b"\\",
        b"\x1a",
    ),
    *(
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\xfe\xff",
        b"\xc3",
        b"\x85",
        b"\xe2\x80\xa8",
        b"\x0b",
        b"\x0c",
        b"\x1c",
    ),
    *(
        b"source,target\n",
        b"payer,payee,amount\n",
        b"when,payer,payee\n",
        b"src\tdst\n",
        b"u v\n",
        b"None",
        b"null",
        b"NA",
        b"\x1b[31m",
        b"a",
        b"0",
    ),
)
MOST_BYTES = 1 << 16

Mutator = Callable[[Random, bytearray, Sequence[bytes]], None]


def flip(rng: Random, data: bytearray, _tokens: Sequence[bytes]) -> None:
    """Flip one bit."""
    if data:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def put(rng: Random, data: bytearray, _tokens: Sequence[bytes]) -> None:
    """Set one byte."""
    if data:
        data[rng.randrange(len(data))] = rng.choice((0, 1, 10, 32, 48, 57, 127, 128, 255, rng.randrange(256)))


def cut(rng: Random, data: bytearray, _tokens: Sequence[bytes]) -> None:
    """Remove a chunk or the end."""
    begin = rng.randrange(len(data) + 1)
    del data[begin : begin + rng.choice((1, 2, 4, 8, 64, len(data)))]


def copy(rng: Random, data: bytearray, _tokens: Sequence[bytes]) -> None:
    """Repeat a chunk at another position, rarely a thousand times."""
    begin = rng.randrange(len(data) + 1)
    chunk = data[begin : begin + rng.choice((1, 2, 4, 16, 64))]
    position, times = rng.randrange(len(data) + 1), rng.choice((1, 1, 1, 2, 9, 1000))
    data[position:position] = chunk * times


def token(rng: Random, data: bytearray, tokens: Sequence[bytes]) -> None:
    """Insert a token or overwrite bytes with it."""
    position, chunk = rng.randrange(len(data) + 1), rng.choice(tokens or TOKENS)
    data[position : position + rng.choice((0, 0, len(chunk)))] = chunk


def number(rng: Random, data: bytearray, _tokens: Sequence[bytes]) -> None:
    """Replace one run of digits by a number at a limit."""
    found = list(re.finditer(rb"\d+", bytes(data)))
    if found:
        match = rng.choice(found)
        data[match.start() : match.end()] = rng.choice(NUMBERS)


def line(rng: Random, data: bytearray, _tokens: Sequence[bytes]) -> None:
    """Drop, repeat, swap or join lines, or change their endings."""
    lines = bytes(data).split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(5)
    if kind == 0:
        del lines[i]
    elif kind == 1:
        lines.insert(j, lines[i])
    elif kind == 2:
        lines[i], lines[j] = lines[j], lines[i]
    ending = rng.choice((b"\r\n", b"\r", b"")) if kind == 3 else b"\n"
    data[:] = ending.join(lines)


def recode(rng: Random, data: bytearray, _tokens: Sequence[bytes]) -> None:
    """Write the text in another encoding."""
    text = bytes(data).decode("latin-1")
    data[:] = text.encode(rng.choice(("utf-16", "utf-16-be", "utf-8-sig", "utf-32", "cp037")), "replace")


MUTATORS: tuple[Mutator, ...] = (flip, put, cut, copy, token, token, number, number, line, line)


def mutate(rng: Random, data: bytes, tokens: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """Return the bytes after one to eight changes, rarely spliced with another file."""
    damaged = bytearray(data)
    if others and rng.random() < 0.05:
        other = rng.choice(others)
        damaged[rng.randrange(len(damaged) + 1) :] = other[rng.randrange(len(other) + 1) :]
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4, 8))):
        rng.choice(MUTATORS)(rng, damaged, tokens)
    if rng.random() < 0.01:
        recode(rng, damaged, tokens)
    return bytes(damaged[:MOST_BYTES])


Rebuild = Callable[[Random, bytes, Sequence[bytes]], bytes]
DTYPES = ("i1", "u1", "i4", "u4", "i8", "u8", "f4", "f8", "?", "U3", "S3", "c8", "M8[s]", ">i8", "V4")
VALUES = (0, 1, -1, 2, 7, 2**31 - 1, 2**31, -(2**31), 2**63 - 1, -(2**63))


def inside_gzip(rng: Random, data: bytes, tokens: Sequence[bytes]) -> bytes:
    """Return a gzip file whose content is damaged, not its packing."""
    try:
        plain = gzip.decompress(data)
    except (OSError, EOFError, ValueError, zlib.error):
        return data
    return gzip.compress(mutate(rng, plain, tokens, ()), compresslevel=1, mtime=0)


def inside_zip(rng: Random, data: bytes, tokens: Sequence[bytes]) -> bytes:
    """Return a zip archive of which one member is changed, renamed, dropped or repeated, with valid checksums."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            members = [(info.filename, packed.read(info)) for info in packed.infolist()]
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError, EOFError, RuntimeError, zlib.error):
        return data
    if not members:
        return data
    position = rng.randrange(len(members))
    name, content = members[position]
    kind = rng.random()
    if kind < 0.5 and content[:6] == b"\x93NUMPY":
        members[position] = (name, change_array(rng, content))
    elif kind < 0.85:
        members[position] = (name, change_text(rng, content, tokens))
    elif kind < 0.9:
        del members[position]
    elif kind < 0.95:
        members[position] = (rng.choice(members)[0], content)
    else:
        members.append((rng.choice(("../x.npy", "/x.npy", "nodes.npy", "x")), content))
    return pack(members)


def pack(members: Sequence[tuple[str, bytes]]) -> bytes:
    """Return a zip archive."""
    sink = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # repeated names are intended
        with zipfile.ZipFile(sink, "w") as packed:
            for name, content in members:
                packed.writestr(name, content)
    return sink.getvalue()


def change_array(rng: Random, content: bytes) -> bytes:
    """Return an array with other values, shape or type; damaged bytes if that is impossible."""
    sink = io.BytesIO()
    try:
        array = np.load(io.BytesIO(content), allow_pickle=False)
        np.save(sink, _changed(rng, array), allow_pickle=False)
    except Exception:  # noqa: BLE001 — numpy raises many errors for damaged headers and types
        return mutate(rng, content, (), ())
    return sink.getvalue()


def _changed(rng: Random, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return an array with another value, damaged bytes, fewer or more entries, another type or shape."""
    kind = rng.randrange(6)
    if kind == 0 and array.size and array.dtype.kind in "iu":
        flat = array.reshape(-1).copy()
        with np.errstate(all="ignore"):
            flat[rng.randrange(len(flat))] = np.array(rng.choice(VALUES)).astype(array.dtype)
        array = flat.reshape(array.shape)
    elif kind == 1 and array.size:
        flat = np.frombuffer(
            mutate(rng, array.tobytes(), (), ())[: array.nbytes].ljust(array.nbytes, b"\0"), np.uint8
        )
        array = flat.view(array.dtype).reshape(array.shape) if array.dtype.kind != "U" else array[:1]
    elif kind == 2:
        array = array[: rng.randrange(len(array) + 1)] if array.ndim else array.reshape(1)
    elif kind == 3:
        array = np.concatenate([array, array]) if array.ndim else array.reshape(1, 1)
    elif kind == 4:
        with np.errstate(all="ignore"):
            array = array.astype(rng.choice(DTYPES))
    else:
        array = rng.choice((array[None], array.reshape(-1), array.T, np.zeros((0, 3)), np.array(7)))
    return array


def change_text(rng: Random, content: bytes, tokens: Sequence[bytes]) -> bytes:
    """Return a member with changed bytes; JSON is changed by its values half of the time."""
    if rng.random() < 0.5:
        try:
            head, text = (content[:128], content[128:]) if content[:6] == b"\x93NUMPY" else (b"", content)
            tree = change_json(rng, json.loads(text))
            changed = json.dumps(tree).encode()
            if not head:
                return changed
            sink = io.BytesIO()
            np.save(sink, np.frombuffer(changed, dtype=np.uint8))
            return sink.getvalue()
        except (ValueError, RecursionError):
            pass
    return mutate(rng, content, tokens, ())


def change_json(rng: Random, tree: object) -> object:
    """Return a JSON value with one value somewhere replaced, dropped or repeated."""
    odd = (
        None,
        True,
        -1,
        0,
        2**63,
        1e308,
        float("nan"),
        "",
        "x",
        [],
        {},
        [[]],
        "total",
        {"tuple": [1]},
        10**400,
    )
    if isinstance(tree, dict) and tree and rng.random() < 0.9:
        key = rng.choice(list(tree))
        if rng.random() < 0.1:
            return {name: value for name, value in tree.items() if name != key}
        return tree | {key: change_json(rng, tree[key])}
    if isinstance(tree, list) and tree and rng.random() < 0.8:
        position = rng.randrange(len(tree))
        return [*tree[:position], change_json(rng, tree[position]), *tree[position + rng.randrange(2) :]]
    return rng.choice(odd)


def json_values(rng: Random, data: bytes, tokens: Sequence[bytes]) -> bytes:
    """Return JSON, or lines of it, with one value changed."""
    lines = data.splitlines() or [b""]
    position = rng.randrange(len(lines))
    lines[position] = change_text(rng, lines[position], tokens)
    return b"\n".join(lines) + b"\n"


def with_checksum(rng: Random, data: bytes, tokens: Sequence[bytes]) -> bytes:
    """Return the file of a vocabulary with one value changed, and the checksum that belongs to it."""
    changed = change_text(rng, data, tokens)
    try:
        tree = json.loads(changed)
        tree["checksum"] = zlib.crc32(json.dumps([tree["settings"], tree["keys"]]).encode())
        return json.dumps(tree).encode()
    except (ValueError, KeyError, TypeError, RecursionError):
        return changed


def inside_parquet(rng: Random, data: bytes, tokens: Sequence[bytes]) -> bytes:
    """Return a Parquet file of which one value of the JSON in its metadata is changed."""
    try:
        table = parquet.read_table(pa.BufferReader(data))
        metadata = dict(table.schema.metadata or {})
        name = rng.choice(sorted(metadata))
        metadata[name] = change_text(rng, metadata[name], tokens)
        sink = io.BytesIO()
        parquet.write_table(table.replace_schema_metadata(metadata), sink)
    except Exception:  # noqa: BLE001 — pyarrow raises many errors for damaged files
        return data
    return sink.getvalue()
