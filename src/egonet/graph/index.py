"""Node ids: the rules for ids, their rows, and `NodeIndex`, the only place that maps ids to rows."""

from collections.abc import Callable, Hashable, Iterable, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import chain
from numbers import Number
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from egonet import _native
from egonet.checks import as_whole, is_iterable
from egonet.errors import (
    InputError,
    UnknownNodeError,
    did_you_mean,
    in_python,
    option,
    require_extra,
    show_value,
)
from egonet.kernel.native import available_cores
from egonet.typing import Array, Int32s, Int64s

if TYPE_CHECKING:
    import pyarrow

#: Ids of edges as source, target, source, target ...: an array of one dtype, or a list of any values.
Flat: TypeAlias = Array | list[Any]
#: Position in a Flat → description of that position in the caller's input.
Where: TypeAlias = Callable[[int], str]

ID_RULE = in_python(
    "an id must be hashable and not missing, a number whole and of 64 bits",
    "an id must not be missing, and a number must be whole and of 64 bits",
)
#: Whole floats below this are one whole number each; this one may be 2**53 + 1, rounded.
MAX_EXACT = 2**53
#: Ids compared when looking for a near match.
NUM_CANDIDATES = 5_000


def reject_other_types(ids: Iterable[Any], find: Callable[[Any], object], where: str = "the graph") -> None:
    """Raise for the first id that `find` knows only with another type: as a number, or as text."""
    for node in ids:
        twin = other_type(node)
        if twin is not None and find(twin) is not None:
            raise InputError(
                f"{where} has no node {show_value(node)}, but it has {show_value(twin)}. Give ids the type that they "
                "have in the graph."
            )


class Places:
    """Describes positions in a flat list of ids, row by row, for messages.

    >>> Places("event", 2)(3)
    'in event 1 (counted from 0)'
    """

    def __init__(self, noun: str, width: int, preposition: str = "in", *, can_drop: bool = False) -> None:
        self.noun, self.width, self.preposition, self.can_drop = noun, width, preposition, can_drop

    def __call__(self, position: int) -> str:
        return f"{self.preposition} {self.noun} {position // self.width} (counted from 0)"


in_edge = Places("edge", 2, can_drop=True)  # by missing="drop"
in_nodes = Places("node", 1, "at")


def factorize(
    flat: Flat,
    *,
    num_nodes: int | None = None,
    nodes: Iterable[Hashable] | None = None,
    where: Where = in_edge,
) -> tuple[Int32s, Int32s, Array | None]:
    """Return the rows of both ends of every edge, and the ids of the rows.

    Whole numbers that fill 0 ... n - 1 are rows. Rows of other ids follow their first appearance, and those of `nodes`
    come first. With `num_nodes` the ids are the rows themselves, and the third value is None.

    >>> source, target, ids = factorize(["a", "b", "b", 7])
    >>> source.tolist(), target.tolist(), ids.tolist()
    ([0, 1], [1, 2], ['a', 'b', 7])
    >>> factorize([2, 1, 1, 0])[2].tolist()
    [0, 1, 2]
    """
    flat = check_ids(flat, where)
    if num_nodes is not None:
        rows = rows_in_range(flat, num_nodes, where)
        return rows[0::2], rows[1::2], None
    if nodes is None:
        codes, ids = in_row_order(*first_appearance(flat))
        reject_twins(ids, "the ids have")
        return codes[0::2], codes[1::2], ids
    first_ids = known_ids(nodes)
    codes, ids = first_appearance(join_ids(first_ids, flat))
    reject_twins(ids, "nodes= and the edges have")
    return codes[len(first_ids) :: 2], codes[len(first_ids) + 1 :: 2], ids


def in_row_order(codes: Int32s, ids: Array) -> tuple[Int32s, Array]:
    """Return numbers of ids and the ids by number, renumbered by id if the ids are 0 ... n - 1 in any order.

    >>> codes, ids = in_row_order(np.array([0, 1, 2], dtype=np.int32), np.array([2, 0, 1]))
    >>> codes.tolist(), ids.tolist()
    ([2, 0, 1], [0, 1, 2])
    """
    is_filled = ids.dtype.kind == "i" and len(ids) > 0 and ids.min() == 0 and ids.max() == len(ids) - 1
    if not is_filled or np.array_equal(ids, np.arange(len(ids))):
        return codes, ids
    return ids.astype(np.int32)[codes], np.arange(len(ids))


def renumber(codes: Int32s, ids: Flat, nodes: Iterable[Hashable] | None) -> tuple[Int32s, Array]:
    """Return the row of every code, which is a position in `ids`, and the ids by row, `nodes` first.

    Without `nodes` the codes are the rows.

    >>> rows, ids = renumber(np.array([0, 1, 0], dtype=np.int32), ["a", "b"], nodes=["z", "b"])
    >>> rows.tolist(), ids.tolist()
    ([2, 1, 2], ['z', 'b', 'a'])
    """
    if nodes is None:
        return in_row_order(codes, ids if isinstance(ids, np.ndarray) else id_array(ids))
    first_ids = known_ids(nodes)
    rows, every = first_appearance(join_ids(first_ids, ids))
    reject_twins(every, "nodes= and the edges have")
    return rows[len(first_ids) :][codes], every


def reject_twins(ids: Array | list[Any], what: str, conversions: str = "") -> None:
    """Raise if an id is a number in one place and its text in another: it would be two nodes.

    >>> reject_twins([1, "2", 2, "x"], "the ids have")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: the ids have 2 as a number and '2' as text, which would be two nodes. Make all ids text \
with ids="text", or convert them: str(id) for text, int(id) if every id is a number.
    """
    if isinstance(ids, np.ndarray) and ids.dtype != object:
        return
    kinds = set(map(type, ids))
    if str not in kinds or kinds == {str}:
        return
    texts = {value for value in ids if isinstance(value, str)}
    numbers = dict.fromkeys(value for value in ids if isinstance(value, int | np.integer))
    twins = [value for value in numbers if str(value) in texts]
    if twins:
        more = f", and {len(twins) - 1:,} more such ids" if len(twins) > 1 else ""
        way_out = conversions or "or convert them: str(id) for text, int(id) if every id is a number."
        raise InputError(
            f"{what} {show_value(twins[0])} as a number and {show_value(str(twins[0]))} as text{more}, which would be "
            f"two nodes. Make all ids text with {option('ids', 'text')}, {way_out}"
        )


def as_text_ids(flat: Flat) -> Flat:
    """Return ids with numbers as their text, for ids="text"; missing values stay.

    >>> as_text_ids([7, "7", 2.0, None])
    ['7', '7', '2', None]
    """
    if isinstance(flat, np.ndarray) and flat.dtype.kind in "iu":
        return flat.astype(str)
    if isinstance(flat, np.ndarray) and flat.dtype.kind == "U":
        return flat
    plain = [whole_float(value) for value in as_listed(flat)]
    return [str(value) if type(value) is int else value for value in plain]


def as_listed(flat: Flat) -> list[Any]:
    """Return ids as a list of Python values; floats stay scalars of NumPy, whose type says how exact they are.

    >>> as_listed(np.array([3, 5])), as_listed(np.array([3.0], dtype=np.float32))
    ([3, 5], [np.float32(3.0)])
    """
    if not isinstance(flat, np.ndarray):
        return flat
    listed: list[Any] = list(flat) if flat.dtype.kind == "f" else flat.tolist()
    return listed


def whole_float(value: Any) -> Any:
    """Return a float or Decimal that is a whole number as that number; other scalars of NumPy as Python values.

    Columns with gaps have such floats, and columns of databases such decimals. A float that may be another whole
    number, rounded, stays a float, which is no id: 2**53, and 2**24 if it has 32 bits.

    >>> whole_float(101159.0), whole_float(1.5), whole_float("a"), whole_float(Decimal("7.00"))
    (101159, 1.5, 'a', 7)
    >>> whole_float(np.float32(7)), whole_float(np.float32(2**24)), whole_float(np.int64(3))
    (7, np.float32(1.6777216e+07), 3)
    """
    if isinstance(value, np.generic) and not isinstance(value, np.datetime64 | np.timedelta64):
        if isinstance(value, np.float32 | np.float16):
            is_exact = abs(value) < 2 ** (np.finfo(value.dtype).nmant + 1)
            return int(value) if is_exact and value.is_integer() else value
        value = value.item()
    if isinstance(value, float) and value.is_integer() and abs(value) < MAX_EXACT:
        return int(value)
    if isinstance(value, Decimal) and value.is_finite() and -(2**63) <= value < 2**64 and value % 1 == 0:
        return int(value)
    return value


def reject_inexact_ids(ids: Iterable[Any], what: str) -> None:
    """Raise for a boolean or a float that only equals an id: True for 1, and 2.0**53, which may be 2**53 + 1, rounded.

    >>> reject_inexact_ids([7, 7.0, "a"], "labels")
    >>> reject_inexact_ids([True], "labels")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: the ids of labels must be numbers or text, got True. Correct it.
    """
    for node in ids:
        if isinstance(node, int | str) and not isinstance(node, bool):
            continue
        plain = whole_float(node)
        if isinstance(plain, bool | float | np.floating):
            is_rounded = not isinstance(plain, bool) and plain.is_integer()
            way_out = (
                "It may be rounded: write it as a whole number or as text." if is_rounded else "Correct it."
            )
            raise InputError(f"the ids of {what} must be numbers or text, got {show_value(node)}. {way_out}")


def is_missing(value: Any) -> bool:
    """Return whether a value stands for no value: None, NaN, NaT, pandas.NA or an empty text.

    >>> [is_missing(value) for value in (None, float("nan"), Decimal("NaN"), "", 0, "a")]
    [True, True, True, True, False, False]
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    return (isinstance(value, str) and value == "") or (
        isinstance(value, float | np.floating) and value != value
    )


def missing_rows(flat: Flat, width: int = 2) -> NDArray[np.bool_]:
    """Return for every row of `width` ids whether one of them is missing.

    >>> missing_rows(["a", None, "b", "c"]).tolist()
    [True, False]
    """
    if isinstance(flat, np.ndarray) and flat.dtype.kind in "iu":
        return np.zeros(len(flat) // width, dtype=bool)
    if isinstance(flat, np.ndarray) and flat.dtype.kind == "f":
        missing = np.isnan(flat)
    elif isinstance(flat, np.ndarray) and flat.dtype.kind == "U":
        missing = np.asarray(flat == "")
    else:
        missing = np.fromiter(map(is_missing, flat), dtype=bool, count=len(flat))
    rows: Any = np.asarray(missing).reshape(-1, width).any(axis=1)
    return rows  # type: ignore[no-any-return]


def drop_missing(flat: Flat, width: int = 2) -> tuple[Flat, NDArray[np.bool_]]:
    """Return the ids of the rows without a missing one, and which rows these are."""
    present = ~missing_rows(flat, width)
    if present.all():
        return flat, present
    each = np.repeat(present, width)
    if isinstance(flat, np.ndarray):
        return flat[each], present
    return [value for value, stays in zip(flat, each.tolist(), strict=True) if stays], present


def reject_missing(flat: Flat, where: Where) -> None:
    """Raise if ids are missing: how many rows, and the first three."""
    width = getattr(where, "width", 1)
    missing = np.flatnonzero(missing_rows(flat, width))
    if not len(missing):
        return
    places = []
    for row in missing[:3].tolist():
        first = next(p for p in range(row * width, (row + 1) * width) if missing_rows(flat[p : p + 1], 1)[0])
        places.append((first, where(first)))
    shown = ", ".join(place for _, place in places)
    count, total = len(missing), len(flat) // width
    first = places[0][0]
    can_drop = getattr(where, "can_drop", False)
    way_out = f"set {option('missing', 'drop')} to leave such rows out" if can_drop else "drop such rows"
    raise InputError(
        f"{ID_RULE}, got {show_value(flat[first])} {shown}; {count:,} of {total:,} rows have a missing id. "
        f"Fill it in, or {way_out}."
    )


def as_id_list(name: str, ids: Any) -> list[Any]:
    """Return ids given as a sequence, in its order; `name` is the argument, for the message.

    Sets have no order, and the items of a table are the names of its columns.

    >>> as_id_list("roots", range(2)), as_id_list("roots", {"a": 1})
    ([0, 1], ['a'])
    >>> as_id_list("roots", "ab")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: roots must be a sequence of node ids, got 'ab'. Write roots=['ab'].
    """
    rule, ids = f"{name} must be a sequence of node ids, got", from_arrow(ids)
    if hasattr(ids, "columns"):
        raise InputError(f"{rule} a table. Give its column of ids.")
    if not is_iterable(ids):
        raise InputError(f"{rule} {show_value(ids)}. Write {name}=[{show_value(ids)}].")
    if isinstance(ids, set | frozenset):
        raise InputError(f"{rule} a set, which has no order. Sort it: sorted({name}).")
    if isinstance(ids, np.ma.MaskedArray):
        return list(ids.tolist())  # None for what is masked
    return ids.to_pylist() if hasattr(ids, "to_pylist") else list(ids)  # of pyarrow


def known_ids(nodes: Iterable[Hashable]) -> Flat:
    """Return validated ids; raise if one repeats."""
    if isinstance(nodes, np.ndarray) and nodes.ndim != 1:
        raise InputError(f"nodes must have one dimension, got shape {nodes.shape}. Use nodes.reshape(-1).")
    ids = check_ids(
        nodes if type(nodes) is np.ndarray else as_id_list("nodes", nodes),
        Places("position of nodes", 1, "at"),
    )
    codes, _ = first_appearance(ids)
    repeats = np.flatnonzero(codes != np.arange(len(ids)))
    if len(repeats):
        twice = show_value(ids[int(repeats[0])])
        raise InputError(f"nodes must not repeat an id, got {twice} twice. Drop one of them.")
    return ids


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
    if not is_iterable(pairs):
        raise InputError(f"edges must be pairs of node ids, got {show_value(pairs)}.")
    if issparse(pairs):
        raise InputError("edges must be pairs of node ids, got a sparse matrix. Use egonet.as_graph(matrix).")
    listed: list[Any] = list(pairs)
    # Comparing sets of types and lengths is fast; only a list that fails is checked pair by pair.
    if not set(map(type, listed)) <= {tuple, list} or not set(map(len, listed)) <= {2}:
        listed = [as_pair(pair, position) for position, pair in enumerate(listed)]
    return list(chain.from_iterable(listed))


#: One number for two things, such as a user and a product, makes pairs of a node with itself.
_TWO_KINDS = (
    " If the columns number two kinds of nodes, such as users and products, make their ids different."
)


def reject_self_pairs(flat: Flat, same: Array | list[int], where: "Places", *, can_set: bool = True) -> None:
    """Raise if pairs are one node twice; `same` are their positions, and `can_set` is for `self_pairs`.

    >>> reject_self_pairs(["a", "b", "c", "c"], [1], Places("pair", 2), can_set=False)
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: a pair must name two different nodes, got 'c' twice in pair 1 (counted from 0). Drop it.
    """
    if not len(same):
        return
    first = 2 * int(same[0])
    more = f"; {len(same):,} of {len(flat) // 2:,} pairs break this rule" if len(same) > 1 else ""
    numbered = isinstance(flat[first], int | np.integer)
    raise InputError(
        f"a pair must name two different nodes, got {show_value(flat[first])} twice {where(first)}{more}. "
        f"Drop it{', or set ' + option('self_pairs', 'zero') if can_set else ''}.{_TWO_KINDS if numbered else ''}"
    )


def as_pair(pair: Any, position: int) -> Sequence[Any]:
    """Return an ordered pair; raise for anything else, such as a string of two letters or a set."""
    ordered = is_iterable(pair) and not isinstance(pair, Set | dict)
    ends = list(pair) if ordered else []
    if len(ends) != 2:
        index = position == 0 and isinstance(pair, list) and len(ends) > 2 and set(map(type, ends)) == {int}
        hint = " Leave the third value out; weights are not used." if len(ends) == 3 else ""
        hint = " An edge_index is an array: numpy.array(edges)." if index else hint
        place = f"edge {position} (counted from 0)"
        raise InputError(f"{place} must be a pair of node ids, got {show_value(pair)}.{hint}")
    return ends


def as_flat(values: list[Any]) -> Flat:
    """Return int64 ids as an array and anything else unchanged; numbers never become strings."""
    if set(map(type, values)) == {int}:
        with suppress(OverflowError):
            return np.array(values, dtype=np.int64)
    return values


def check_ids(flat: Flat, where: Where) -> Flat:
    """Return the ids as int64, fixed-width strings or plain Python values; raise for invalid ids."""
    kinds = set() if isinstance(flat, np.ndarray) else set(map(type, flat))
    if kinds == {int}:
        with suppress(OverflowError):
            flat = np.array(flat, dtype=np.int64)
    if hasattr(flat, "_mask") and not isinstance(flat, np.ndarray):  # a nullable array of pandas
        flat = list(flat)
        kinds = set(map(type, flat))
    if isinstance(flat, np.ndarray):
        if hasattr(flat, "mask"):
            reject_masked(flat)
        if flat.dtype.kind in "iu":
            is_large = flat.dtype == np.uint64 and np.any(flat > np.iinfo(np.int64).max)
            return flat if is_large else flat.astype(np.int64, copy=False)
        if flat.dtype.kind == "f":
            reject_missing(flat, where)
            broken = (flat != np.floor(flat)) | (
                np.abs(flat) >= min(MAX_EXACT, 2 ** (np.finfo(flat.dtype).nmant + 1))
            )
            reject(np.flatnonzero(broken), flat, where)
            return flat.astype(np.int64)
        if flat.dtype.kind == "U":
            reject_missing(flat, where)
            units = np.ascontiguousarray(flat).view(np.uint32) if flat.itemsize else np.zeros(0, np.uint32)
            if np.any((units >= 0xD800) & (units < 0xE000)):
                reject_surrogates(flat.tolist(), where)
            return flat
        flat = list(flat) if flat.dtype.kind in "mM" else flat.tolist()
        kinds = set(map(type, flat))
    if not kinds <= {str, int}:
        flat = [whole_float(plain_value(value, position, where)) for position, value in enumerate(flat)]
        if set(map(type, flat)) == {int}:
            return check_ids(flat, where)
    reject_missing(flat, where)
    if kinds != {str}:
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
    if value is np.ma.masked:  # its item() is 0.0
        return None
    if getattr(value, "ndim", None) != 0:
        return value
    plain = value.item()
    if isinstance(value, np.float32 | np.float16) and np.isfinite(value):
        check_ids(np.array([value]), lambda _: where(position))  # exact up to a smaller limit
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
                f"an id must be text that UTF-8 can encode, got {show_value(value)} {where(position)}."
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
    """Return whether a value may name a node: hashable and not missing; a number is whole and has 64 bits."""
    if isinstance(value, str):
        return value != ""
    if isinstance(value, int):
        return not isinstance(value, bool) and -(2**63) <= value < 2**64
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
        got = flat[first].item() if isinstance(flat[first], np.generic) else flat[first]
        is_large = isinstance(got, int | float) and abs(got) >= MAX_EXACT
        is_large = is_large or (isinstance(got, float) and got.is_integer())  # of fewer than 64 bits
        way_out = "Write it as text." if is_large else "Drop or rename it."
        raise InputError(f"{ID_RULE}, got {show_value(got)} {where(first)}{more}. {way_out}")


def rows_in_range(flat: Flat, num_nodes: int, where: Where) -> Int32s:
    """Return ids as rows, after checking that they are whole numbers below `num_nodes`."""
    num_nodes = as_whole("num_nodes", num_nodes, most=np.iinfo(np.int32).max)
    span = f"0 to {num_nodes - 1:,}" if num_nodes else "none"
    if not isinstance(flat, np.ndarray) or flat.dtype.kind != "i":
        for position, value in enumerate(flat):
            if not isinstance(value, int):
                raise InputError(
                    f"with num_nodes the node ids are whole numbers ({span}), got {show_value(value)}"
                    f" {where(position)}. Use nodes= for other ids, or leave num_nodes out."
                )
        flat = np.array(flat, dtype=object)
    outside = np.flatnonzero((flat >= num_nodes) | (flat < 0))
    if len(outside):
        first = int(outside[0])
        edge = (int(flat[first - first % 2]), int(flat[first - first % 2 + 1]))
        raise InputError(
            f"edge {edge} points at node {flat[first]}, but the graph has {num_nodes:,} nodes ({span})."
            " Raise num_nodes or drop the edge."
        )
    return flat.astype(np.int32)


def join_ids(first: Flat, second: Flat) -> Flat:
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
    if isinstance(flat, np.ndarray) and flat.dtype.kind in "iu":
        codes, ids = _native.number_values(np.ascontiguousarray(flat).view(np.int64), available_cores())
        return codes, ids.view(flat.dtype)
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
    # 1 and True would be one dictionary key, but `check_ids` raises for bool.
    number = {value: position for position, value in enumerate(dict.fromkeys(flat))}
    codes = np.fromiter(map(number.__getitem__, flat), dtype=np.int32, count=len(flat))
    return codes, id_array(list(number))


def id_array(ids: list[Any]) -> Array:
    """Return ids as an int64, uint64 or fixed-width string array if that is lossless, else as an object array.

    >>> id_array([7, "8"]).tolist(), id_array(["a", "bc"]).dtype.kind, id_array([2**63]).dtype.name
    ([7, '8'], 'U', 'uint64')
    """
    kinds = set(map(type, ids))
    if not ids:
        return np.empty(0, dtype=np.int64)
    if kinds == {int} and max(ids) <= np.iinfo(np.int64).max:
        return np.array(ids, dtype=np.int64)
    if kinds == {int} and min(ids) >= 0:
        return np.array(ids, dtype=np.uint64)
    if int in kinds and any(type(node) is int and node > np.iinfo(np.int64).max for node in ids):
        raise InputError(
            f"whole numbers above 2**63 are ids only among numbers >= 0, got "
            f"{show_value(max(n for n in ids if type(n) is int))} with "
            f"{show_value(next(n for n in ids if type(n) is not int or n < 0))}. Make all ids text with "
            f"{option('ids', 'text')}."
        )
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
    if twin := type_hint(node, ids):
        return twin
    if ids.dtype.kind in "iu":
        low, high = int(ids.min()), int(ids.max())
        return f" The nodes are {'' if high - low + 1 == len(ids) else 'numbers from '}{low} to {high}."
    names = [name for name in ids[:NUM_CANDIDATES].tolist() if isinstance(name, str)]
    hint = did_you_mean(node, names) if isinstance(node, str) else ""
    if hint:
        return hint
    rest = f" and {len(ids) - 3:,} more" if len(ids) > 3 else ""
    return f" The nodes are {', '.join(map(show_value, ids[:3].tolist()))}{rest}."


def type_hint(node: Hashable, ids: Array) -> str:
    """Return a hint, beginning with a space, if `ids` have a node with the other type; "" if not.

    For tables of ids, where another id that is spelled like this one would be another customer.

    >>> type_hint("7", np.array([7, 8])), type_hint("9", np.array([7, 8]))
    (' Did you mean 7 (a number)?', '')
    """
    twin = other_type(node)
    if twin is None or not contains_id(ids, twin):
        return ""
    return f" Did you mean {show_value(twin)} ({'a number' if isinstance(twin, int) else 'a string'})?"


def other_type(node: Hashable) -> int | str | None:
    """Return 3 for "3" and "3" for 3: the id of the other type with the same digits; None for other ids.

    >>> other_type("-3"), other_type("03"), other_type(3), other_type(3.0)
    (-3, None, '3', '3')
    """
    node = whole_float(node)
    if isinstance(node, str):
        digits = node.removeprefix("-")
        is_number = digits.isascii() and digits.isdigit() and len(digits) < 20
        return int(node) if is_number and str(int(node)) == node else None
    return str(node) if isinstance(node, int) and not isinstance(node, bool) else None


def contains_id(ids: Array, value: int | str) -> bool:
    """Return whether an array of ids contains a value of this type."""
    same = ids.dtype.kind in ("iu" if isinstance(value, int) else "U")
    return bool(np.any(ids == value)) if same else ids.dtype.kind == "O" and value in ids.tolist()


@dataclass(frozen=True, eq=False)
class NodeIndex:
    """The ids of nodes and their rows.

    Attributes
    ----------
    size
        The number of nodes.
    ids
        The id of every row, or None if they are 0 ... size - 1.

    Examples
    --------
    >>> index = NodeIndex(3, np.array(["ann", "bob", "cid"]))
    >>> index.find("bob"), index.find("dob"), index.find_rows(["cid", "x"]).tolist()
    (1, None, [2, -1])
    >>> index.require("dob")
    Traceback (most recent call last):
        ...
    egonet.errors.UnknownNodeError: the graph has no node 'dob'. Did you mean 'bob'?
    """

    size: int
    ids: Array | None = None

    @property
    def values(self) -> Array:
        """Return the id of every row."""
        return np.arange(self.size) if self.ids is None else self.ids

    def find(self, node: Any) -> int | None:
        """Return the row of an id, or None if there is no such node."""
        plain = whole_float(node)
        if self.ids is None:
            is_row = isinstance(plain, int) and not isinstance(plain, bool)
            return plain if is_row and 0 <= plain < self.size else None
        return self.row_of.get(plain) if is_id(plain) else None

    def require(self, node: Any, subject: str = "the graph has no node") -> int:
        """Return the row of an id; raise if there is none, with a near match."""
        row = self.find(node)
        if row is None:
            raise UnknownNodeError(f"{subject} {show_value(node)}.{near_match(node, self.values)}")
        return row

    def find_rows(self, flat: Flat) -> Int64s:
        """Return the row of every id, -1 for an id without one; raise for an id that is unknown only by its type.

        >>> NodeIndex(2, np.array(["1", "2"])).find_rows([2])
        Traceback (most recent call last):
            ...
        egonet.errors.InputError: the graph has no node 2, but it has '2'. Give ids the type that they have \
in the graph.
        """
        rows = self._rows(flat)
        self.reject_other_types([flat[place] for place in np.flatnonzero(rows < 0).tolist()])
        return rows

    def require_rows(self, flat: Flat, where: Where, rule: str, note: str = "") -> Int64s:
        """Return the row of every id; raise for those without one: how many, and the first.

        `rule` is the begin of the message, and `note` its end.
        """
        rows = self._rows(flat)
        unknown = np.flatnonzero(rows < 0)
        if len(unknown):
            first = int(unknown[0])
            more = f"; {len(unknown):,} of {len(flat):,} ids are unknown" if len(unknown) > 1 else ""
            raise UnknownNodeError(
                f"{rule}, got {show_value(flat[first])} "
                f"{where(first)}{more}.{type_hint(flat[first], self.values)}{note}"
            )
        return rows

    def require_each(self, flat: Flat) -> Int64s:
        """Return the row of every id; raise for the first without one, with a near match."""
        rows = self._rows(flat)
        unknown = np.flatnonzero(rows < 0)
        if len(unknown):
            self.require(flat[int(unknown[0])])
        return rows

    def reject_other_types(self, ids: Iterable[Any], where: str = "the graph") -> None:
        """Raise for the first id that is a number where the node has a text, or a text where it has a number."""
        reject_other_types(ids, self.find, where)

    def _rows(self, flat: Flat) -> Int64s:
        """Return the row of every id, -1 for an id without one."""
        flat = flat if isinstance(flat, np.ndarray) else as_flat(flat)
        numbers = isinstance(flat, np.ndarray) and flat.dtype.kind == "i"
        if numbers and self.ids is None:
            row_ids = np.asarray(flat, dtype=np.int64)
            return np.where((row_ids >= 0) & (row_ids < self.size), row_ids, -1)
        if numbers and self.values.dtype.kind == "i" and self.size:
            ids, order = self.values, self._order
            near = np.minimum(np.searchsorted(ids[order], flat), self.size - 1)
            rows = order[near]
            return np.where(ids[rows] == flat, rows, -1).astype(np.int64)
        listed = as_listed(flat)
        is_text = self.ids is not None and set(map(type, listed)) == {str}
        rows_found = map(self.row_of.get if is_text else self.find, listed)
        return np.fromiter(
            (-1 if row is None else row for row in rows_found), dtype=np.int64, count=len(listed)
        )

    @cached_property
    def _order(self) -> Int64s:
        """Return the rows in the order of ids that are numbers."""
        return np.argsort(self.values, kind="stable")

    @cached_property
    def row_of(self) -> dict[Hashable, int]:
        """Return id → row; built on first use, because most graphs do not need it."""
        return {node: row for row, node in enumerate(self.values.tolist())}


def arrow_ids(ids: Array) -> "pyarrow.Array":
    """Return ids or times as an Arrow array: numbers, text or dates as they are, anything mixed as text.

    >>> arrow_ids(np.array([1, 2**63], dtype=object)).type, arrow_ids(np.array(["a", ("b", 1)], dtype=object)).type
    (DataType(uint64), DataType(string))
    """
    import pyarrow

    ids = np.ascontiguousarray(ids)
    if ids.dtype != object:
        return pyarrow.array(ids)
    listed = ids.tolist()
    kinds = {type(each) for each in listed}
    if kinds <= {int}:
        signed = min(listed, default=0) >= -(2**63) and max(listed, default=0) < 2**63
        try:
            return pyarrow.array(listed, type=pyarrow.int64() if signed else pyarrow.uint64())
        except (OverflowError, pyarrow.ArrowInvalid) as error:
            raise InputError(
                f"whole numbers in a table have at most 64 bits, got ids from {min(listed)} to {max(listed)}. "
                'Use text ids: as_graph(..., ids="text").'
            ) from error
    if kinds == {bool}:
        return pyarrow.array(listed)
    texts = listed if kinds <= {str} else [str(each) for each in listed]
    seen: dict[str, Any] = {}
    for text, each in zip(texts, listed, strict=True):
        if seen.setdefault(text, each) != each:
            raise InputError(
                f"ids of several types are written as text, but {show_value(seen[text])} and {show_value(each)} are "
                "the same text. Rename one, or write .npz."
            )
    return pyarrow.array(texts, type=pyarrow.string())


#: Packages whose columns and tables are read as they are.
_READ_DIRECTLY = ("builtins", "duckdb", "egonet", "narwhals", "numpy", "pandas", "polars", "pyarrow")


def from_arrow(data: Any) -> Any:
    """Return what another package gives by the Arrow PyCapsule interface as a table or a column of pyarrow.

    Anything else, and what pandas, polars and others give, is returned unchanged.

    >>> from_arrow([1, 2])
    [1, 2]
    """
    names = ("__arrow_c_stream__", "__arrow_c_array__")
    if type(data).__module__.partition(".")[0].lstrip("_") in _READ_DIRECTLY or not any(
        hasattr(data, name) for name in names
    ):
        return data
    pyarrow = require_extra("pyarrow", "reading Arrow", extra="io")
    column = pyarrow.chunked_array(data)
    return pyarrow.Table.from_struct_array(column) if pyarrow.types.is_struct(column.type) else column
