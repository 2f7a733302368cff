"""Bags of rows: how many nodes of each graph have each distinct row of the encoding."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from egonet import _native
from egonet.checks import as_whole
from egonet.encoding.encoding import Encoding
from egonet.encoding.labels import check_same_kind
from egonet.encoding.matrix import Counts, arrays_of, check_strange, narrow_pointers
from egonet.encoding.schema import Schema
from egonet.encoding.vocabulary import UnseenPolicy, Vocabulary
from egonet.errors import InputError, show_value
from egonet.graph.digest import mix, node_hashes
from egonet.kernel.native import available_cores
from egonet.kernel.reference import Rows
from egonet.typing import Array, Int32s, Int64s

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class HashTable:
    """Distinct hashes and the column of each.

    Attributes
    ----------
    hashes
        uint64 (num_hashes,): the distinct hashes, by first appearance.
    columns
        int64 (num_hashes,): the column of each, or -1 for those that were too rare.
    """

    hashes: Hashes
    columns: Int64s

    @property
    def num_columns(self) -> int:
        """Return how many hashes have a column."""
        return int((self.columns >= 0).sum())

    def find(self, hashes: Hashes) -> tuple[Int64s, NDArray[np.bool_]]:
        """Return the column of every hash (-1 for none), and which hashes are not in the table.

        >>> table, first = learn_table(np.array([7, 5, 7], dtype=np.uint64), 1)
        >>> columns, unknown = table.find(np.array([5, 6], dtype=np.uint64))
        >>> columns.tolist(), unknown.tolist(), first.tolist()
        ([1, -1], [False, True], [0, 1])
        """
        if not len(self.hashes):
            return np.full(len(hashes), -1), np.ones(len(hashes), dtype=bool)
        order = np.argsort(self.hashes)
        places = np.searchsorted(self.hashes[order], hashes)
        places[places == len(order)] = 0
        places = order[places]
        unknown = self.hashes[places] != hashes
        return np.where(unknown, -1, self.columns[places]), unknown


def learn_table(hashes: Hashes, min_count: int) -> tuple[HashTable, Int64s]:
    """Return the table of some hashes, and where each of them appears first; rarer ones get no column."""
    distinct, first, sizes = np.unique(hashes, return_index=True, return_counts=True)
    order = np.argsort(first)
    frequent = sizes[order] >= min_count
    return HashTable(distinct[order], np.where(frequent, np.cumsum(frequent) - 1, -1)), first[order]


@dataclass(frozen=True, eq=False)
class Bag:
    """The distinct rows of an encoding at one radius, and the column of each.

    Attributes
    ----------
    vocabulary
        The keys of the rows, with their settings.
    rows
        The distinct rows, by first appearance.
    table
        The hash of each row and its column.
    """

    vocabulary: Vocabulary
    rows: Counts
    table: HashTable

    @property
    def columns(self) -> Int64s:
        """Return the column of each row, or -1 for rows that were too rare."""
        return self.table.columns

    @property
    def num_columns(self) -> int:
        """Return how many rows have a column."""
        return self.table.num_columns


def row_hashes(encoding: Encoding, *, threads: int = 0) -> Hashes:
    """Return a 64-bit hash per row and radius, the same for equal rows on any machine and in any version.

    All arithmetic is modulo 2**64. m(x) is: multiply x by 0x9E3779B97F4A7C15; x ^= x >> 30; multiply by
    0xBF58476D1CE4E5B9; x ^= x >> 27; multiply by 0x94D049BB133111EB; x ^= x >> 31. This is the finalizer of SplitMix64
    after one multiplication (`egonet.graph.digest.mix`).

    The hash of a key starts as 0 and becomes m(hash + number + 1) for the radius, the distance and every degree of the
    key in turn, as the name of its column shows them (with types of edges a distance counts half steps); then
    m(hash + label) if the key has a label or a type. The hash of a label or type that is a whole number n from 0 to
    2**63 - 1 is m(n + 1); that of a text is the BLAKE2b digest of 8 bytes, little-endian, of "s" and the text in UTF-8;
    that of any other whole number, True or False is this digest of "int -1" or "bool True", its type and value. A
    column that is a whole histogram has the same digest of its name, without the "s".

    The hash of a row at a radius is m(sum of m(h + c * 0x9E3779B97F4A7C15)) over the columns of that radius, with hash
    h and count c. Columns of common neighbors have no radius and count at every one.

    Returns
    -------
    uint64 (num_rows, num_radii)

    Examples
    --------
    >>> import egonet
    >>> row_hashes(egonet.encode(egonet.named.path("abc"), radius=1)).tolist()[0]
    [12471570537052611648]
    """
    vocabulary, matrix = encoding.vocabulary, encoding.matrix
    radii = vocabulary.settings.radius
    hash_of = column_hashes(vocabulary)
    keywords: Any = {"threads": threads or available_cores()}
    indptr, columns, counts = arrays_of(matrix.astype(np.int32, copy=False))
    masks = [_in_radius(vocabulary, radius) for radius in radii]
    if vocabulary.settings.common:  # columns of common neighbors belong to the rows of every radius
        parts = [
            _native.row_hashes(indptr, columns, counts, hash_of, (~m).astype(np.int32), 2, **keywords)
            for m in masks
        ]
        return np.column_stack([part[:, 0] for part in parts])
    block_of = np.argmax(np.stack(masks), axis=0).astype(np.int32)
    hashes: Hashes = _native.row_hashes(indptr, columns, counts, hash_of, block_of, len(radii), **keywords)
    return hashes


def column_hashes(vocabulary: Vocabulary) -> Hashes:
    """Return the hash of every column, as `row_hashes` defines it."""
    settings, keys = vocabulary.settings, vocabulary.keys
    hashes = np.zeros(len(keys), dtype=np.uint64)
    for numbers in keys[:, : 1 + settings.num_distances + settings.num_fields].T:
        hashes = mix(hashes + numbers.astype(np.uint64) + np.uint64(1))
    if vocabulary.schema.has_labels:
        of_nodes, of_edges = label_hashes(vocabulary.labels), label_hashes(vocabulary.edge_labels)
        is_edge = (keys[:, 1] % 2 == 1) & (vocabulary.edge_labels is not None)
        hashes = np.where(
            is_edge,
            _with_label(hashes, of_edges, keys[:, -1]),
            _with_label(hashes, of_nodes, keys[:, -1]) if vocabulary.labels is not None else hashes,
        )
    nested = [vocabulary.name(index).encode() for index in range(len(keys), len(vocabulary))]
    digests = b"".join(blake2b(name, digest_size=8).digest() for name in nested)
    return np.concatenate([hashes, np.frombuffer(digests, dtype="<u8").astype(np.uint64)])


def _with_label(hashes: Hashes, labels: Hashes, numbers: Int64s) -> Hashes:
    """Return hashes mixed with those of labels, which are given by their numbers."""
    return mix(hashes + np.append(labels, np.uint64(0))[np.minimum(numbers, len(labels))])


def label_hashes(names: Sequence[Any] | None) -> Hashes:
    """Return the hash of every label, as `row_hashes` defines it."""
    objects = np.empty(len(names or ()), dtype=object)
    objects[:] = list(names or ())
    return node_hashes(objects)


def _in_radius(vocabulary: Vocabulary, radius: int) -> NDArray[np.bool_]:
    """Return which columns belong to the rows of a radius."""
    nested = np.ones(vocabulary.num_histograms, dtype=bool)
    histograms = vocabulary.histograms
    if histograms is not None and not vocabulary.settings.common:
        first = histograms.columns[histograms.indptr[:-1]]
        nested = histograms.keys[first, 0] == radius
    return np.concatenate([vocabulary.keys[:, 0] == radius, nested])


def learn_bags(encoding: Encoding, min_count: int) -> list[Bag]:
    """Return the rows seen at each radius; those of fewer than `min_count` nodes get no column.

    >>> import egonet
    >>> (bag,) = learn_bags(egonet.encode(egonet.named.path("abc"), radius=1), 2)
    >>> bag.columns.tolist(), bag.num_columns
    ([0, -1], 1)
    """
    vocabulary, bags = encoding.vocabulary, []
    for radius, hashes in zip(vocabulary.settings.radius, row_hashes(encoding).T, strict=True):
        table, first = learn_table(hashes, min_count)
        own = _in_radius(vocabulary, radius)
        rows = encoding.matrix[first][:, np.flatnonzero(own)]
        bags.append(Bag(_part(vocabulary, radius, own), rows, table))
    return bags


def _part(vocabulary: Vocabulary, radius: int, own: NDArray[np.bool_]) -> Vocabulary:
    """Return the columns of one radius."""
    own_keys, histograms = own[: len(vocabulary.keys)], vocabulary.histograms
    if histograms is not None:
        chosen = np.flatnonzero(own[len(vocabulary.keys) :])
        sizes = np.diff(histograms.indptr)[chosen]
        entries = np.repeat(histograms.indptr[chosen] - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
        entries += np.arange(len(entries))
        indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        histograms = Rows(indptr, histograms.columns[entries], histograms.counts[entries], histograms.keys)
    schema = replace(vocabulary.schema, settings=replace(vocabulary.settings, radius=radius))
    return Vocabulary(schema, vocabulary.keys[own_keys], histograms)


def find_columns(tables: Sequence[HashTable], hashes: Hashes) -> tuple[Int32s, NDArray[np.bool_]]:
    """Return the column of every hash, tables next to each other (-1 for none), and which hashes are unknown.

    `hashes` has a column per table.
    """
    columns, unknown = np.empty(hashes.shape, dtype=np.int32), np.empty(hashes.shape, dtype=bool)
    start = 0
    for number, table in enumerate(tables):
        places, unknown[:, number] = table.find(hashes[:, number])
        columns[:, number] = np.where(places >= 0, places + start, -1)
        start += table.num_columns
    return columns, unknown


def bag_columns(bags: list[Bag], encoding: Encoding, unseen: UnseenPolicy) -> Int32s:
    """Return the column of every node's row at each radius, radii next to each other; -1 for none.

    Raises for other kinds of data than the bags were learned on. Rows that were not seen are an error, warned about if
    they are more than half ("clip"), or ignored.
    """
    check_same_kind(bags[0].vocabulary.schema, encoding.vocabulary.schema)
    columns, strange = find_columns([bag.table for bag in bags], row_hashes(encoding))
    check_strange(strange, encoding, unseen)
    return columns


def check_hashed_kind(learned: Schema, seen: Schema) -> None:
    """Raise if graphs have other columns or another direction than those of fit, or numbers for text.

    Hashed columns know no values: labels that were all numbers and are all text now are an error, as a rule.

    >>> from egonet.encoding.settings import Settings
    >>> check_hashed_kind(Schema(Settings(1), labels=(1, 2)), Schema(Settings(1), labels=("3",)))
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: labels are text here, first '3', and numbers in fit, first 1. Give both with one type.
    """
    check_same_kind(learned, seen)
    for what, names, known in (
        ("labels", seen.labels, learned.labels),
        ("edge labels", seen.edge_labels, learned.edge_labels),
    ):
        here, before = ({_kind_of(name) for name in each or ()} for each in (names, known))
        if names and known and len(here) == len(before) == 1 and here != before:
            raise InputError(
                f"{what} are {here.pop()} here, first {show_value(names[0])}, and {before.pop()} in fit, first "
                f"{show_value(known[0])}. Give both with one type."
            )


def _kind_of(name: Any) -> str:
    """Return what a label is, for a message."""
    return "text" if isinstance(name, str) else "booleans" if isinstance(name, bool) else "numbers"


def hashed_columns(hashes: Hashes, num_hashed: int) -> Int32s:
    """Return every hash modulo `num_hashed`.

    >>> hashed_columns(np.array([[5, 9], [1, 2]], dtype=np.uint64), 4).tolist()
    [[1, 1], [1, 2]]
    """
    if num_hashed > np.iinfo(np.int32).max:
        raise InputError(f"num_hashed must be at most {np.iinfo(np.int32).max:,}, got {num_hashed:,}.")
    return (hashes % np.uint64(num_hashed)).astype(np.int32)


def count_columns(columns: Array, graph_ptr: Int64s, num_columns: int) -> Counts:
    """Return how often the rows of each graph have each column; `columns` has a row per node, -1 for none.

    >>> count_columns(np.array([[1, 1], [1, -1]], dtype=np.int32), np.array([0, 1, 2]), 2).toarray().tolist()
    [[0, 2], [0, 1]]
    """
    indptr, indices, counts = _native.count_columns(columns, graph_ptr)
    shape = (len(graph_ptr) - 1, num_columns)
    return csr_array((counts, indices, narrow_pointers(indptr)), shape=shape)


def bag_names(bags: list[Bag]) -> list[str]:
    """Return the name of every column of named bags."""
    sizes = [(bag.vocabulary.settings.radius[0], bag.num_columns) for bag in bags]
    return [f"r{radius}_class{number}" for radius, size in sizes for number in range(size)]


def check_bag(aggregate: str, weighting: str, min_count: Any, num_hashed: Any) -> None:
    """Raise for options of bags that contradict each other or `aggregate`."""
    if aggregate in ("classes", "bag") and weighting != "count":
        raise InputError(
            f'aggregate="{aggregate}" counts nodes, so weighting must be "count", got {show_value(weighting)}.'
        )
    if num_hashed is not None and as_whole("num_hashed", num_hashed) == 0:
        raise InputError("num_hashed must be at least 1, got 0. Leave it out for one column per row.")
    if as_whole("min_count", min_count) == 0:
        raise InputError("min_count must be at least 1, got 0.")
    if aggregate != "bag" and (min_count != 1 or num_hashed is not None):
        raise InputError(
            f'min_count and num_hashed are for aggregate="bag", got {show_value(aggregate)}. Leave them out.'
        )
    if min_count != 1 and num_hashed is not None:
        raise InputError("hashed rows are not counted while fitting. Give min_count or num_hashed, not both.")
