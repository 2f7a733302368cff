"""Damage inside containers: what a checksum or a header would hide from plain changes of bytes."""

import gzip
import io
import json
import zipfile
import zlib
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np

from fuzz.mutate import mutate

Rebuild = Callable[[Random, bytes, Sequence[bytes]], bytes]
DTYPES = ("i1", "u1", "i4", "u4", "i8", "u8", "f4", "f8", "?", "U3", "S3", "c8", "M8[s]", ">i8", "V4")
VALUES = (0, 1, -1, 2, 7, 2**31 - 1, 2**31, -(2**31), 2**63 - 1, -(2**63))


def inside_gzip(rng: Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """Return a gzip file whose content is damaged, not its packing."""
    try:
        plain = gzip.decompress(data)
    except (OSError, EOFError, ValueError, zlib.error):
        return data
    return gzip.compress(mutate(rng, plain, words, ()), compresslevel=1, mtime=0)


def inside_zip(rng: Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """Return a zip archive of which one member is changed, renamed, dropped or repeated, with sound checksums."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            members = [(info.filename, packed.read(info)) for info in packed.infolist()]
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError, EOFError, RuntimeError, zlib.error):
        return data
    if not members:
        return data
    place = rng.randrange(len(members))
    name, content = members[place]
    kind = rng.random()
    if kind < 0.5 and content[:6] == b"\x93NUMPY":
        members[place] = (name, change_array(rng, content))
    elif kind < 0.85:
        members[place] = (name, change_text(rng, content, words))
    elif kind < 0.9:
        del members[place]
    elif kind < 0.95:
        members[place] = (rng.choice(members)[0], content)
    else:
        members.append((rng.choice(("../x.npy", "/x.npy", "nodes.npy", "x")), content))
    return pack(members)


def pack(members: Sequence[tuple[str, bytes]]) -> bytes:
    """Return a zip archive."""
    import warnings

    sink = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of repeated names, which are meant
        with zipfile.ZipFile(sink, "w") as packed:
            for name, content in members:
                packed.writestr(name, content)
    return sink.getvalue()


def change_array(rng: Random, content: bytes) -> bytes:
    """Return an array with other values, shape or type; plain damage where it is no array, or cannot be changed so."""
    sink = io.BytesIO()
    try:
        array = np.load(io.BytesIO(content), allow_pickle=False)
        np.save(sink, _changed(rng, array), allow_pickle=False)
    except Exception:  # noqa: BLE001 — numpy raises nearly anything for damaged headers and odd types
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


def change_text(rng: Random, content: bytes, words: Sequence[bytes]) -> bytes:
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
    return mutate(rng, content, words, ())


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
        place = rng.randrange(len(tree))
        return [*tree[:place], change_json(rng, tree[place]), *tree[place + rng.randrange(2) :]]
    return rng.choice(odd)


def json_values(rng: Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """Return JSON, or lines of it, with one value changed."""
    lines = data.splitlines() or [b""]
    place = rng.randrange(len(lines))
    lines[place] = change_text(rng, lines[place], words)
    return b"\n".join(lines) + b"\n"
