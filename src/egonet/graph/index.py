"""Node ids: checks and numbers strings, whole numbers and other hashable values by first appearance."""

from collections.abc import Callable, Hashable, Iterable, Sequence, Set
from contextlib import suppress
from itertools import chain
from numbers import Number
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from egonet import _native
from egonet.errors import InputError, did_you_mean
from egonet.kernel.native import available_cores
from egonet.typing import Array, Int32s, Int64s

#: Ids of edges as source, target, source, target ...: an array of one dtype, or a list of any values.
Flat: TypeAlias = Array | list[Any]
#: Position in a Flat → description of that position in the caller's input.
Where: TypeAlias = Callable[[int], str]

ID_RULE = "an id must be hashable and not missing, a number whole and >= 0"
#: Ids compared when looking for a near match.
NUM_CANDIDATES = 5_000


def in_edge(position: int) -> str:
    """Return the description of a position in a flat list of pairs."""
    return f"in edge {position // 2} (counted from 0)"


def in_nodes(position: int) -> str:
    """Return the description of a position in a list of nodes."""
    return f"at node {position} (counted from 0)"


def factorize(
    flat: Flat,
    *,
    num_nodes: int | None = None,
    nodes: Iterable[Hashable] | None = None,
    where: Where = in_edge,
) -> tuple[Int32s, Int32s, Array | None]:
    """Return the rows of both ends of every edge, and the ids of the rows.

    Rows follow the first appearance of ids, `nodes` first. With `num_nodes` the ids are the rows themselves, and the
    third value is None.

    >>> source, target, ids = factorize(["a", "b", "b", 7])
    >>> source.tolist(), target.tolist(), ids.tolist()
    ([0, 1], [1, 2], ['a', 'b', 7])
    """
    flat = checked(flat, where)
    if num_nodes is not None:
        rows = rows_in_range(flat, num_nodes, where)
        return rows[0::2], rows[1::2], None
    if nodes is None:
        codes, ids = first_appearance(flat)
        return codes[0::2], codes[1::2], ids
    known = known_ids(nodes)
    codes, ids = first_appearance(joined(known, flat))
    return codes[len(known) :: 2], codes[len(known) + 1 :: 2], ids


def renumber(codes: Int32s, ids: Flat, nodes: Iterable[Hashable] | None) -> tuple[Int32s, Array]:
    """Return the row of every code, which is a position in `ids`, and the ids by row, `nodes` first.

    Without `nodes` the codes are the rows.

    >>> rows, ids = renumber(np.array([0, 1, 0], dtype=np.int32), ["a", "b"], nodes=["z", "b"])
    >>> rows.tolist(), ids.tolist()
    ([2, 1, 2], ['z', 'b', 'a'])
    """
    if nodes is None:
        return codes, ids if isinstance(ids, np.ndarray) else id_array(ids)
    known = known_ids(nodes)
    rows, every = first_appearance(joined(known, ids))
    return rows[len(known) :][codes], every


def known_ids(nodes: Iterable[Hashable]) -> Flat:
    """Return validated ids; raise if one repeats."""
    if isinstance(nodes, str | bytes) or not isinstance(nodes, Iterable):
        raise InputError(f"nodes must be a sequence of node ids, got {show(nodes)}.")
    if isinstance(nodes, np.ndarray) and nodes.ndim != 1:
        raise InputError(f"nodes must have one dimension, got shape {nodes.shape}. Use nodes.reshape(-1).")
    known = checked(
        nodes if isinstance(nodes, np.ndarray) else list(nodes),
        lambda position: f"at position {position} of nodes (counted from 0)",
    )
    codes, _ = first_appearance(known)
    repeats = np.flatnonzero(codes != np.arange(len(known)))
    if len(repeats):
        twice = show(known[int(repeats[0])])
        raise InputError(f"nodes must not repeat an id, got {twice} twice. Drop one of them.")
    return known


def flatten(pairs: Iterable[Sequence[Hashable]] | ArrayLike) -> Flat:
    """Return the ids of pairs as one flat sequence.

    >>> flatten([("a", "b"), ("b", 7)])
    ['a', 'b', 'b', 7]
    """
    if isinstance(pairs, np.ndarray):
        if pairs.size and (pairs.ndim != 2 or pairs.shape[1] != 2):
            raise InputError(
                f"edges must be an array of shape (num_edges, 2), got shape {pairs.shape}."
                " An edge_index of shape (2, num_edges) goes through egonet.as_graph."
            )
        return pairs.reshape(-1)
    if hasattr(pairs, "detach") and getattr(pairs, "shape", ()) == (2, 2):
        way_out = "Use pairs.tolist() for edges, egonet.as_graph(pairs) for an edge_index."
        raise InputError(f"a tensor of shape (2, 2) may be two edges or an edge_index. {way_out}")
    if isinstance(pairs, str | bytes) or not isinstance(pairs, Iterable):
        raise InputError(f"edges must be pairs of node ids, got {show(pairs)}.")
    listed: list[Any] = list(pairs)
    # Comparing sets of types and lengths is fast; only a list that fails is checked pair by pair.
    if not set(map(type, listed)) <= {tuple, list} or not set(map(len, listed)) <= {2}:
        listed = [as_pair(pair, position) for position, pair in enumerate(listed)]
    return list(chain.from_iterable(listed))


def as_pair(pair: Any, position: int) -> Sequence[Any]:
    """Return an ordered pair; raise for anything else, such as a string of two letters or a set."""
    ordered = isinstance(pair, Iterable) and not isinstance(pair, str | bytes | Set | dict)
    ends = list(pair) if ordered else []
    if len(ends) != 2:
        index = position == 0 and isinstance(pair, list) and len(ends) > 2 and set(map(type, ends)) == {int}
        hint = " Leave the third value out; weights are not used." if len(ends) == 3 else ""
        hint = " An edge_index is an array: numpy.array(edges)." if index else hint
        place = f"edge {position} (counted from 0)"
        raise InputError(f"{place} must be a pair of node ids, got {show(pair)}.{hint}")
    return ends


def as_flat(values: list[Any]) -> Flat:
    """Return int64 ids as an array and anything else unchanged; numbers never become strings."""
    if set(map(type, values)) == {int}:
        with suppress(OverflowError):
            return np.array(values, dtype=np.int64)
    return values


def checked(flat: Flat, where: Where) -> Flat:
    """Return the ids as int64, fixed-width strings or plain Python values; raise for invalid ids."""
    kinds = set() if isinstance(flat, np.ndarray) else set(map(type, flat))
    if kinds == {int}:
        with suppress(OverflowError):
            flat = np.array(flat, dtype=np.int64)
    if isinstance(flat, np.ndarray):
        if hasattr(flat, "mask"):
            reject_masked(flat)
        if flat.dtype.kind in "iu" and (flat.dtype != np.uint64 or not np.any(flat > np.iinfo(np.int64).max)):
            flat = flat.astype(np.int64, copy=False)
            if flat.size and flat.min() < 0:
                reject(np.flatnonzero(flat < 0), flat, where)
            return flat
        if flat.dtype.kind == "U":
            reject(np.flatnonzero(flat == ""), flat, where)
            units = np.ascontiguousarray(flat).view(np.uint32) if flat.itemsize else np.zeros(0, np.uint32)
            if np.any((units >= 0xD800) & (units < 0xE000)):
                reject_surrogates(flat.tolist(), where)
            return flat
        flat = list(flat) if flat.dtype.kind in "mM" else flat.tolist()
        kinds = set(map(type, flat))
    if not kinds <= {str, int}:
        flat = [plain_value(value, position, where) for position, value in enumerate(flat)]
    if kinds != {str} or "" in flat:
        reject([position for position, value in enumerate(flat) if not is_id(value)], flat, where)
    try:
        "".join(flat if kinds == {str} else (value for value in flat if isinstance(value, str))).encode()
    except UnicodeEncodeError:
        reject_surrogates(flat, where)
    return flat


def plain_value(value: Any, position: int, where: Where) -> Any:
    """Return a scalar of NumPy, torch or Arrow as a Python value; raise for dates that would become numbers."""
    if hasattr(value, "as_py"):
        return value.as_py()
    if getattr(value, "ndim", None) != 0:
        return value
    plain = value.item()
    if isinstance(value, np.datetime64 | np.timedelta64) and isinstance(plain, int):
        got = f"got {value} {where(position)}"
        raise InputError(f"a date of NumPy in nanoseconds is no id, {got}. Write it as text: astype(str).")
    return plain


def reject_masked(array: Array) -> None:
    """Raise if an array has masked values: NumPy would read the data behind the mask."""
    masked = int(np.count_nonzero(getattr(array, "mask", False)))
    if masked:
        raise InputError(f"an array must not be masked, got {masked:,} masked values. Drop or fill them in.")


def reject_surrogates(flat: Flat, where: Where) -> None:
    """Raise for the first string that cannot be encoded as UTF-8 because of a lone surrogate."""
    for position, value in enumerate(flat):
        if isinstance(value, str) and not is_encodable(value):
            raise InputError(
                f"an id must be text that UTF-8 can encode, got {show(value)} {where(position)}."
                ' Decode the input again, with errors="replace".'
            )


def is_encodable(text: str) -> bool:
    """Return whether a text can be encoded as UTF-8: it has no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_id(value: Any) -> bool:
    """Return whether a value may name a node: hashable and not missing; a number is whole and >= 0."""
    if isinstance(value, str):
        return value != ""
    if isinstance(value, int):
        return not isinstance(value, bool) and value >= 0
    # NaN and NaT differ from themselves; a comparison with pandas.NA is neither true nor false.
    missing = value is None or type(value).__name__ in ("NAType", "NaTType")
    if isinstance(value, tuple) and any(isinstance(part, float) and part != part for part in value):
        return False
    if missing or isinstance(value, Number) or hasattr(value, "ndim"):  # tensors are equal only to themselves
        return False
    try:
        hash(value)  # raises for a tuple that contains a list, too
    except TypeError:
        return False
    return True


def reject(offenders: Sequence[int] | Array, flat: Flat, where: Where) -> None:
    """Raise for the first of some positions of invalid ids; do nothing if there are none."""
    if len(offenders):
        first = int(offenders[0])
        more = f"; {len(offenders):,} of {len(flat):,} ids break this rule" if len(offenders) > 1 else ""
        got = flat[first]
        whole = isinstance(got, float | np.floating) and float(got).is_integer() and got >= 0
        way_out = "Make ids whole numbers, as astype(int) does." if whole else "Drop or rename it."
        raise InputError(f"{ID_RULE}, got {show(got)} {where(first)}{more}. {way_out}")


def rows_in_range(flat: Flat, num_nodes: int, where: Where) -> Int32s:
    """Return ids as rows, after checking that they are whole numbers below `num_nodes`."""
    if isinstance(num_nodes, bool) or not isinstance(num_nodes, int | np.integer) or num_nodes < 0:
        raise InputError(f"num_nodes must be a whole number >= 0, got {show(num_nodes)}.")
    span = f"0 to {num_nodes - 1:,}" if num_nodes else "none"
    if not isinstance(flat, np.ndarray) or flat.dtype.kind != "i":
        for position, value in enumerate(flat):
            if not isinstance(value, int):
                raise InputError(
                    f"with num_nodes the node ids are whole numbers ({span}), got {show(value)}"
                    f" {where(position)}. Use nodes= for other ids, or leave num_nodes out."
                )
        flat = np.array(flat, dtype=object)
    outside = np.flatnonzero(flat >= num_nodes)
    if len(outside):
        first = int(outside[0])
        edge = (int(flat[first - first % 2]), int(flat[first - first % 2 + 1]))
        raise InputError(
            f"edge {edge} points at node {flat[first]}, but the graph has {num_nodes:,} nodes ({span})."
            " Raise num_nodes or drop the edge."
        )
    return flat.astype(np.int32)


def joined(first: Flat, second: Flat) -> Flat:
    """Return two flat sequences of ids as one, without changing the type of any id."""
    kinds = {part.dtype.kind if isinstance(part, np.ndarray) else "list" for part in (first, second)}
    if kinds in ({"i"}, {"U"}):
        return np.concatenate([first, second])
    lists = (part.tolist() if isinstance(part, np.ndarray) else part for part in (first, second))
    return list(chain.from_iterable(lists))


def first_appearance(flat: Flat) -> tuple[Int32s, Array]:
    """Return a number per id, in order of first appearance, and the ids by number.

    >>> codes, ids = first_appearance(["b", "a", "b"])
    >>> codes.tolist(), ids.tolist()
    ([0, 1, 0], ['b', 'a'])
    """
    if isinstance(flat, np.ndarray) and flat.dtype.kind == "i":
        return _native.number_values(np.ascontiguousarray(flat), available_cores())  # type: ignore[no-any-return]
    if isinstance(flat, np.ndarray):
        flat = np.ascontiguousarray(flat)
        rows = flat.view(np.uint8).reshape(len(flat), flat.itemsize)
        codes, first = _native.number_rows(rows, available_cores())
        return codes, flat[first]
    kinds = set(map(type, flat))
    if flat and kinds <= {str, int}:
        # Python's hash of a number is public, so that ids could be chosen to collide; the native one has a secret key.
        texts = [f"{node:x}" if type(node) is int else f"s{node}" for node in flat] if int in kinds else flat
        numbered = _native.number_strings(texts, available_cores())
        if numbered is not None:
            return numbered[0], id_array(list(map(flat.__getitem__, numbered[1].tolist())))
    # 1 and True would be one dictionary key, but `checked` raises for bool.
    number = {value: position for position, value in enumerate(dict.fromkeys(flat))}
    codes = np.fromiter(map(number.__getitem__, flat), dtype=np.int32, count=len(flat))
    return codes, id_array(list(number))


def id_array(ids: list[Any]) -> Array:
    """Return ids as an int64 or fixed-width string array if that is lossless, else as an object array.

    >>> id_array([7, "7"]).tolist(), id_array(["a", "bc"]).dtype.kind
    ([7, '7'], 'U')
    """
    kinds = set(map(type, ids))
    if not ids:
        return np.empty(0, dtype=np.int64)
    if kinds == {int} and max(ids) <= np.iinfo(np.int64).max:
        return np.array(ids, dtype=np.int64)
    if kinds == {str}:
        width, total = max(map(len, ids)), sum(map(len, ids))
        # A fixed-width array drops trailing NULs, and one long string would make it huge.
        if width * len(ids) <= 4 * total + 2**20 and "\0" not in "".join(ids):
            return np.array(ids)
    array = np.empty(len(ids), dtype=object)
    array[:] = ids
    return array


def text_array(offsets: Int64s, data: NDArray[np.uint8]) -> Array | None:
    """Return concatenated UTF-8 strings as a fixed-width array, or None where `id_array` would return objects.

    >>> text_array(np.array([0, 1, 3]), np.frombuffer(b"abc", dtype=np.uint8)).tolist()
    ['a', 'bc']
    """
    points = _native.fixed_width(offsets, data, available_cores())
    return None if points is None else points.view(f"U{points.shape[1]}")[:, 0]


def show(value: Any) -> str:
    """Return the repr of a value for a message: one line of at most 60 characters, numpy scalars as Python values.

    >>> show(np.int64(3)), show("x" * 100)
    ('3', "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...")
    """
    shown = repr(value.item() if isinstance(value, np.generic) else value)
    text = printable(" ".join(line.strip() for line in shown.splitlines()))
    return text if len(text) <= 60 else f"{text[:57]}..."


def printable(text: str) -> str:
    """Return text with unprintable characters replaced by escapes.

    >>> print(printable("a" + chr(27) + "[31mb"))
    a\\x1b[31mb
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def near_match(node: Hashable, ids: Array) -> str:
    """Return a hint, beginning with a space, for an id that is not among `ids`.

    >>> near_match("dob", np.array(["ann", "bob"]))
    " Did you mean 'bob'?"
    >>> near_match("zoe", np.array(["ann", "bob"]))
    " The nodes are 'ann', 'bob'."
    >>> near_match(200, np.arange(200))
    ' The nodes are 0 to 199.'
    """
    if len(ids) == 0:
        return " The graph is empty."
    twin = other_type(node)
    if twin is not None and contains_id(ids, twin):
        return f" Did you mean {show(twin)} ({'a number' if isinstance(twin, int) else 'a string'})?"
    if ids.dtype.kind in "iu":
        low, high = int(ids.min()), int(ids.max())
        return f" The nodes are {'' if high - low + 1 == len(ids) else 'numbers from '}{low} to {high}."
    names = [name for name in ids[:NUM_CANDIDATES].tolist() if isinstance(name, str)]
    hint = did_you_mean(node, names) if isinstance(node, str) else ""
    if hint:
        return hint
    rest = f" and {len(ids) - 3:,} more" if len(ids) > 3 else ""
    return f" The nodes are {', '.join(map(show, ids[:3].tolist()))}{rest}."


def other_type(node: Hashable) -> int | str | None:
    """Return 3 for "3" and "3" for 3: the id of the other type with the same digits; None for other ids."""
    if isinstance(node, np.generic):
        node = node.item()
    if isinstance(node, str):
        return int(node) if node.isascii() and node.isdigit() and len(node) < 20 else None
    return str(node) if isinstance(node, int) else None


def contains_id(ids: Array, value: int | str) -> bool:
    """Return whether an array of ids contains a value of this type."""
    same = ids.dtype.kind in ("iu" if isinstance(value, int) else "U")
    return bool(np.any(ids == value)) if same else ids.dtype.kind == "O" and value in ids.tolist()
