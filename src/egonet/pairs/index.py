"""Pairs of node ids, in any form or file, as rows of a graph."""

from contextlib import nullcontext
from dataclasses import dataclass
from os import PathLike
from typing import Any, BinaryIO, Literal, TypeAlias, get_args

import numpy as np

from egonet.checks import is_iterable, one_of
from egonet.encoding.unknown import HandleUnknown, handle_unknown_nodes
from egonet.errors import InputError, option, show_value
from egonet.graph.columns import as_numpy, is_from
from egonet.graph.graph import Graph
from egonet.graph.index import Flat, Places, as_flat, check_ids, id_array, reject_self_pairs, whole_float
from egonet.graph.input_options import InputOptions, Missing, choose_columns, named_ends, warn_dropped
from egonet.io.byte_streams import as_seekable, sniff
from egonet.io.paths import DELIMITERS, PIPE_FOLDERS, format_of, open_file, require_file, require_unchanged
from egonet.tables.arrow import arrow_columns, checked_frame
from egonet.tables.table import as_table
from egonet.tables.text import TextOptions, complete_text, number_ids, parse_text
from egonet.typing import Array, Int64s

#: What happens to a pair of one node with itself: an error, or a row of zeros.
SelfPairs: TypeAlias = Literal["error", "zero"]


@dataclass(frozen=True, eq=False)
class PairRows:
    """Pairs as rows of a graph.

    Attributes
    ----------
    rows
        int64 (num_pairs, 2): the row of either end, -1 if the graph does not have it.
    ids
        (num_pairs, 2): the ids of both ends.
    is_loop
        bool (num_pairs,): whether both ends are one node.
    """

    rows: Int64s
    ids: Array
    is_loop: Array

    @classmethod
    def of_rows(cls, source: Array, target: Array, graph: Graph) -> "PairRows":
        """Return pairs of known rows of a graph."""
        rows = np.stack([source, target], axis=1).astype(np.int64)
        return cls(rows, graph.node_ids[rows], rows[:, 0] == rows[:, 1])


def find_pairs(
    pairs: Any,
    graph: Graph,
    handle_unknown: HandleUnknown | None = None,
    self_pairs: SelfPairs | None = None,
) -> PairRows:
    """Return pairs as rows of a graph, in the order given; callers without an option for a case raise for it.

    >>> path = Graph.from_edges([("a", "b"), ("b", "c")])
    >>> find_pairs([("a", "c"), ("c", "x")], path, "zero").rows.tolist()
    [[0, 2], [2, -1]]
    >>> find_pairs([("a", "a")], path, self_pairs="error")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: a pair must name two different nodes, got 'a' twice in pair 0 (counted from 0). Drop it,
    or set self_pairs="zero".
    """
    if isinstance(pairs, PairRows):
        return pairs
    one_of("handle_unknown", "error" if handle_unknown is None else handle_unknown, get_args(HandleUnknown))
    one_of("self_pairs", "error" if self_pairs is None else self_pairs, get_args(SelfPairs))
    flat = check_ids(flat_ids(pairs), _in_pair)
    if handle_unknown in (None, "error"):
        note = f" {option('handle_unknown', 'zero')} counts it as an isolated node."
        note = note if handle_unknown else " Drop the pair, or add the node to the graph."
        rows = graph.index.require_rows(flat, _in_pair, "a pair must name nodes of the graph", note)
    else:
        rows = graph.index.find_rows(flat)
    strange = [flat[position] for position in np.flatnonzero(rows < 0).tolist()]
    handle_unknown_nodes(strange, graph.find, handle_unknown or "error", len(flat))
    ends = rows.reshape(-1, 2)
    ids = graph.node_ids[ends] if not strange else _as_array(flat).reshape(-1, 2)
    is_loop = ends[:, 0] == ends[:, 1]
    neither = np.flatnonzero(is_loop & (ends[:, 0] < 0))
    is_loop[neither] = (
        ids[neither, 0] == ids[neither, 1]
    )  # two unknown nodes are different unless their ids are equal
    if self_pairs in (None, "error"):
        reject_self_pairs(flat, np.flatnonzero(is_loop), _in_pair, can_set=self_pairs is not None)
    return PairRows(ends, ids, is_loop)


def pair_rows_of(pairs: Any, graph: Graph) -> Int64s:
    """Return the rows of both ends of every pair, int64 (num_pairs, 2), in the order given.

    >>> pair_rows_of([("a", "c"), ("c", "b")], Graph.from_edges([("a", "b"), ("b", "c")])).tolist()
    [[0, 2], [2, 1]]
    """
    return find_pairs(pairs, graph).rows


def _as_array(flat: Flat) -> Array:
    return flat if isinstance(flat, np.ndarray) else id_array(flat)


_in_pair = Places("pair", 2)


def flat_ids(pairs: Any) -> Flat:
    """Return the ids of pairs as one flat sequence: u, v, u, v, ...

    Pairs are an array (num_pairs, 2), a sequence of two ids each, a table with two columns, or the path of a file
    with such a table.
    """
    if isinstance(pairs, str | PathLike):
        return read_pairs(pairs)
    pairs = as_numpy(pairs)
    if isinstance(pairs, np.ndarray):
        if pairs.size == 0 and pairs.ndim <= 2:
            return np.empty(0, dtype=np.int64)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise InputError(
                f"pairs must be an array of shape (num_pairs, 2), got shape {pairs.shape}. "
                "Transpose an edge_label_index: pairs.T."
            )
        return pairs.reshape(-1)
    table = as_table(pairs)
    if table is not None:
        return table.flat_ids(*choose_columns(table.names, None, None, only_two=True))
    unsupported = isinstance(pairs, bytes | dict | set | frozenset) or is_from("scipy", pairs)
    if unsupported or not hasattr(pairs, "__iter__"):
        raise InputError(f"pairs must be pairs of node ids, got {show_value(pairs)}.")
    flat: list[Any] = []
    for position, pair in enumerate(pairs):
        two = list(pair) if isinstance(pair, tuple | list | np.ndarray) and is_iterable(pair) else []
        if len(two) != 2:
            raise InputError(
                f"pair {position} (counted from 0) must be two node ids, got {show_value(pair)}."
            )
        flat += two
    return as_flat([whole_float(value) for value in flat])


def read_pairs(
    path: str | PathLike[str],
    *,
    source: str | int | None = None,
    target: str | int | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    missing: Missing = None,
    format: str | None = None,  # noqa: A002 — the name users know from other readers
) -> Flat:
    """Return the ids in two columns of a table, one after another: u, v, u, v, ...

    The file is csv, tsv, text, Parquet or Arrow. The columns are found as in `read_graph`; of two columns any names
    are accepted. With missing="drop" rows without an id are left out, and a warning counts them.

    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "pairs.csv"
    >>> _ = path.write_text("source,target\\na,c\\na,c\\nb,a\\n")
    >>> read_pairs(path).tolist()
    ['a', 'c', 'a', 'c', 'b', 'a']
    """
    file = require_file(path)
    is_pipe = file.parent in PIPE_FOLDERS or file.is_fifo()
    with nullcontext() if is_pipe else require_unchanged(file), open_file(file) as stream:
        if is_pipe and format is None:
            stream, kind = sniff(stream, file.name)
        else:
            kind = format_of(file, format)
            stream = as_seekable(stream, kind) if is_pipe else stream
        if kind not in (*DELIMITERS, "parquet", "arrow"):
            raise InputError(f"pairs are read from csv, tsv, text, Parquet or Arrow, got {kind}.")
        if kind in DELIMITERS:
            text = TextOptions(DELIMITERS[kind] if delimiter is None else delimiter, header)
            return _text_pairs(stream, file.name, InputOptions(source, target, missing=missing), text)
        with arrow_columns(stream, file.name, kind) as (columns, select):
            ends = choose_columns(columns, *named_ends(columns, source, target), only_two=True)
            table = as_table(checked_frame(select(list(ends))))
            assert table is not None
            return (table.complete(ends) if missing == "drop" else table).flat_ids(*ends)


def _text_pairs(stream: BinaryIO, name: str, options: InputOptions, text: TextOptions) -> Flat:
    """Return the ids of two columns of a text."""
    if options.missing == "drop":
        stream, options, text, num_dropped = complete_text(stream, name, options, text)
        if num_dropped:
            warn_dropped(num_dropped)
    parser, _, _ = parse_text(stream, name, options, text)
    source, target, ids = number_ids(parser, name, options)
    if ids is None:
        return np.empty(0, dtype=np.int64)
    every: Flat = ids[np.stack([source, target], axis=1).reshape(-1)]
    return every
