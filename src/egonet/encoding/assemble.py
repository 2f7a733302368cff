"""One assembly of columns for every engine and kind of row: rows in, a matrix and its columns out."""

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_array

from egonet.encoding.matrix import (
    Counts,
    bin_degrees,
    distinct_keys,
    join_columns,
    narrow_pointers,
    renumber_columns,
)
from egonet.encoding.ranks import DegreeProfile
from egonet.encoding.schema import Schema
from egonet.encoding.vocabulary import Vocabulary
from egonet.kernel.reference import Rows
from egonet.typing import Int64s


def assemble_columns(
    schema: Schema,
    rows_at: Callable[[int], Rows] | Rows,
    *,
    ends: tuple[Counts, Int64s] | None = None,
    nested: tuple[Counts, Rows] | None = None,
    threads: int = 0,
    degrees: DegreeProfile | None = None,
    bin_rows: Callable[[Rows], Rows] | None = None,
) -> tuple[Counts, Vocabulary]:
    """Return the counts of every radius, one block of columns after another, and the columns.

    `rows_at(radius)` returns what an engine counts at one radius. An engine that counts all radii in one search, as
    those of pairs do, gives its rows, whose keys begin with the radius in steps and have degrees in bins. `ends` are
    the columns of the distance of the ends of pairs and their keys, which come first; `nested` are the columns that
    stand for histograms, which come last. `bin_rows` replaces degrees by bins that differ from graph to graph.
    `degrees` are those of the graph, which the vocabulary keeps.

    >>> from egonet.encoding.settings import Settings
    >>> from egonet.kernel.reference import pack_rows
    >>> rows = {1: pack_rows([{(0, 5): 1, (0, 6): 2}], width=2)}
    >>> matrix, vocabulary = assemble_columns(Schema(Settings(1, degree_bins="log")), rows.__getitem__)
    >>> matrix.toarray().tolist(), vocabulary.feature_names
    ([[3]], ['r1_d0_deg4to7'])
    """
    settings = schema.settings
    matrices, blocks = ([], []) if ends is None else ([ends[0]], [ends[1]])
    radii = settings.radius if settings.rooted == "node" else ()
    if isinstance(rows_at, Rows):
        rows_at.keys[:, 0] //= schema.steps
        matrices.append(to_matrix(rows_at))
        blocks.append(rows_at.keys)
        radii = ()
    for radius in radii:
        assert not isinstance(rows_at, Rows)
        rows = rows_at(radius) if bin_rows is None else bin_rows(rows_at(radius))
        matrix, distinct = to_matrix(rows), rows.keys
        if settings.degree_bins == "log":
            distinct, positions = distinct_keys(bin_degrees(distinct, settings))
            matrix = renumber_columns(matrix, positions, len(distinct))
        matrices.append(matrix)
        blocks.append(np.column_stack([np.full(len(distinct), radius, dtype=np.int64), distinct]))
    histograms = None
    if nested is not None:
        matrices.append(nested[0])
        histograms = nested[1]
    if not blocks:
        blocks.append(np.empty((0, 1 + len(schema.field_names)), dtype=np.int64))
    keys = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
    return join_columns(matrices, threads), Vocabulary(schema, keys, histograms, degrees)


def to_matrix(rows: Rows) -> Counts:
    """Return a kernel's rows as a sparse matrix of int32 counts, without copying them."""
    shape = (len(rows.indptr) - 1, len(rows.keys))
    return csr_array((rows.counts, rows.columns, narrow_pointers(rows.indptr)), shape=shape)
