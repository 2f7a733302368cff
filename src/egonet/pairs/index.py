"""Pairs of node ids, in any form or file, as rows of a graph."""

from os import PathLike
from typing import Any, BinaryIO

import numpy as np

from egonet.errors import InputError, UnknownNodeError
from egonet.graph.convert import is_from
from egonet.graph.dataframes import as_frame, frame_ids
from egonet.graph.graph import Graph
from egonet.graph.ids import Flat, as_flat, checked, near_match, show
from egonet.graph.input_options import InputOptions, choose_columns, named_ends
from egonet.io.edgelist import TextOptions, number_ids, parse_text
from egonet.io.read import DELIMITERS, existing, format_of, opened, unchanged
from egonet.io.tables import arrow_columns, checked_frame
from egonet.typing import Int64s


def pair_rows_of(pairs: Any, graph: Graph) -> Int64s:
    """Return the rows of both ends of every pair, int64 (num_pairs, 2), in the order given.

    >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
    >>> pair_rows_of([("a", "c"), ("c", "b")], path).tolist()
    [[0, 2], [2, 1]]
    >>> pair_rows_of([("a", "a")], path)
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: a pair must name two different nodes, got 'a' twice in pair 0 (counted from 0). Drop it.
    """
    flat = checked(flat_ids(pairs), _in_pair)
    rows = rows_of_ids(flat, graph)
    unknown = np.flatnonzero(rows < 0)
    if len(unknown):
        first = int(unknown[0])
        node = flat[first]
        more = f"; {len(unknown):,} ids of {len(flat) // 2:,} pairs are unknown" if len(unknown) > 1 else ""
        raise UnknownNodeError(
            f"a pair must name nodes of the graph, got {show(node)} {_in_pair(first)}{more}."
            f"{near_match(node, graph.node_ids)}"
        )
    ends = rows.reshape(-1, 2)
    same = np.flatnonzero(ends[:, 0] == ends[:, 1])
    if len(same):
        row = int(same[0])
        more = f"; {len(same):,} of {len(ends):,} pairs break this rule" if len(same) > 1 else ""
        raise InputError(
            f"a pair must name two different nodes, got {show(flat[2 * row])} twice {_in_pair(2 * row)}{more}. Drop it."
        )
    return ends


def _in_pair(position: int) -> str:
    return f"in pair {position // 2} (counted from 0)"


def flat_ids(pairs: Any) -> Flat:
    """Return the ids of pairs as one flat sequence: u, v, u, v, ...

    Pairs are an array (num_pairs, 2), a sequence of two ids each, a table with two columns, or the path of a file
    with such a table.
    """
    if isinstance(pairs, str | PathLike):
        return read_pairs(pairs)
    if hasattr(pairs, "detach"):  # a tensor
        pairs = pairs.detach().cpu().numpy()
    if isinstance(pairs, np.ndarray):
        if pairs.size == 0 and pairs.ndim <= 2:
            return np.empty(0, dtype=np.int64)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise InputError(
                f"pairs must be an array of shape (num_pairs, 2), got shape {pairs.shape}. "
                "Transpose an edge_label_index: pairs.T."
            )
        if pairs.shape == (2, 2) and pairs.dtype.kind in "iu":
            raise InputError(
                "an array of shape (2, 2) may be two pairs or an edge_label_index. "
                "Use pairs.tolist() for two pairs, pairs.T.tolist() for an edge_label_index."
            )
        return pairs.reshape(-1)
    frame = as_frame(pairs)
    if frame is not None:
        ends = choose_columns(list(frame.columns), None, None, only_two=True)
        return frame_ids(frame, ends)[0]
    unsupported = isinstance(pairs, bytes | dict | set | frozenset) or is_from("scipy", pairs)
    if unsupported or not hasattr(pairs, "__iter__"):
        raise InputError(f"pairs must be pairs of node ids, got {show(pairs)}.")
    flat: list[Any] = []
    for position, pair in enumerate(pairs):
        two = list(pair) if isinstance(pair, tuple | list | np.ndarray) else []
        if len(two) != 2:
            raise InputError(f"pair {position} (counted from 0) must be two node ids, got {show(pair)}.")
        flat += two
    return as_flat([value.item() if isinstance(value, np.generic) else value for value in flat])


def rows_as_pairs(pairs: Any) -> Any:
    """Return an array whose rows are known to be pairs in a form that `flat_ids` reads so; anything else unchanged.

    >>> rows_as_pairs(np.array([[0, 1], [2, 3]]))
    [[0, 1], [2, 3]]
    """
    return pairs.tolist() if isinstance(pairs, np.ndarray) and pairs.shape == (2, 2) else pairs


def rows_of_ids(flat: Flat, graph: Graph) -> Int64s:
    """Return the row of every id in a graph, -1 for an id that it does not have.

    >>> rows_of_ids(["c", "x"], Graph.from_edges([("a", "b"), ("b", "c")])).tolist()
    [2, -1]
    """
    numbers = isinstance(flat, np.ndarray) and flat.dtype.kind == "i"
    if numbers and graph.nodes is None:
        found = np.asarray(flat, dtype=np.int64)
        return np.where((found >= 0) & (found < graph.num_nodes), found, -1)
    if numbers and graph.node_ids.dtype.kind == "i":
        ids = graph.node_ids
        order = np.argsort(ids, kind="stable")
        near = np.minimum(np.searchsorted(ids[order], flat), max(len(ids) - 1, 0))
        if not len(ids):
            return np.full(len(flat), -1, dtype=np.int64)
        rows = order[near]
        return np.where(ids[rows] == flat, rows, -1).astype(np.int64)
    listed = flat.tolist() if isinstance(flat, np.ndarray) else flat
    rows_found = (graph.find(node) for node in listed)
    return np.fromiter((-1 if row is None else row for row in rows_found), dtype=np.int64, count=len(listed))


def read_pairs(
    path: str | PathLike[str],
    *,
    source: str | int | None = None,
    target: str | int | None = None,
    header: bool | None = None,
    format: str | None = None,  # noqa: A002 — the name users know from other readers
) -> Flat:
    """Return the ids in two columns of a table, one after another: u, v, u, v, ...

    The file is csv, tsv, text, Parquet or Arrow. The columns are found as in `read_graph`; of two columns any names
    are accepted.

    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "pairs.csv"
    >>> _ = path.write_text("source,target\\na,c\\na,c\\nb,a\\n")
    >>> read_pairs(path).tolist()
    ['a', 'c', 'a', 'c', 'b', 'a']
    """
    file = existing(path)
    kind = format_of(file, format)
    if kind not in (*DELIMITERS, "parquet", "arrow"):
        raise InputError(f"pairs are read from csv, tsv, text, Parquet or Arrow, got {kind}.")
    with unchanged(file), opened(file) as stream:
        if kind in DELIMITERS:
            text = TextOptions(DELIMITERS[kind], header)
            return _text_pairs(stream, file.name, InputOptions(source, target), text)
        with arrow_columns(stream, file.name, kind) as (columns, select):
            ends = choose_columns(columns, *named_ends(columns, source, target), only_two=True)
            return frame_ids(checked_frame(select(list(ends))), ends)[0]


def _text_pairs(stream: BinaryIO, name: str, options: InputOptions, text: TextOptions) -> Flat:
    """Return the ids of two columns of a text."""
    parser, _, _ = parse_text(stream, name, options, text)
    source, target, ids = number_ids(parser, name, options)
    if ids is None:
        return np.empty(0, dtype=np.int64)
    every: Flat = ids[np.stack([source, target], axis=1).reshape(-1)]
    return every
