"""Rows of a stream: the arrays of the kernel, arranged in columns only when columns are used."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from egonet.encoding.assemble import assemble_columns
from egonet.encoding.count import EVERYTHING_SEEN, MemoryRows
from egonet.encoding.matrix import Counts
from egonet.encoding.row_index import RowIndex
from egonet.encoding.schema import Schema
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import UnseenPolicy, Vocabulary, arrange, bin_degrees, locate
from egonet.graph.graph import Graph
from egonet.graph.index import id_array
from egonet.kernel.reference import Rows
from egonet.typing import Int32s, Int64s


class ModelColumns:
    """The columns of a trained model, with a cache from key to column.

    >>> import egonet
    >>> learned = egonet.encode([("a", "b"), ("b", "c")], radius=1).vocabulary
    >>> columns = ModelColumns(learned, "clip")
    >>> columns.place(1, (1, 1)), columns.place(1, (0, 9)), columns.place(1, (2, 1))
    (2, 1, -1)
    """

    #: The cache is cleared at this size, because a stream runs for a long time.
    MOST = 100_000

    def __init__(self, vocabulary: Vocabulary, unseen: UnseenPolicy) -> None:
        self.vocabulary, self.unseen = vocabulary, unseen
        self._places: dict[tuple[int, tuple[int, ...]], int] = {}

    def place(self, radius: int, key: tuple[int, ...]) -> int:
        """Return the column of a key as the kernel counts it; -1 if it has none."""
        column = self._places.get((radius, key))
        if column is None:
            if len(self._places) >= self.MOST:
                self._places.clear()
            binned = bin_degrees(np.array([key], dtype=np.int64), self.vocabulary.settings)
            wanted = np.column_stack([[radius], binned])
            column = int(locate(self.vocabulary, wanted, self.unseen)[0][0])
            self._places[radius, key] = column
        return column


@dataclass(frozen=True, eq=False)
class WindowRows:
    """The rows of one `Stream.features` result; attributes that are not listed are those of `Encoding`.

    Attributes
    ----------
    ids
        The nodes, in the order of the rows.
    blocks
        What the kernel counted, for every radius of the settings.
    schema
        What was counted, with the names of types.
    model
        The columns of a trained model; None for the columns of the keys that occur.
    """

    ids: list[Hashable]
    blocks: list[Rows]
    schema: Schema
    model: ModelColumns | None

    @property
    def settings(self) -> Settings:
        return self.schema.settings

    @property
    def index(self) -> RowIndex:
        return RowIndex.of_nodes(self.nodes)

    @property
    def num_rows(self) -> int:
        return len(self.ids)

    @cached_property
    def in_columns(self) -> MemoryRows:
        """Return the rows as a matrix with its columns."""
        counted = dict(zip(self.settings.radius, self.blocks, strict=True))
        matrix, vocabulary = assemble_columns(self.schema, counted.__getitem__)
        graph_ptr, met = np.array([0, len(self.ids)], dtype=np.int64), EVERYTHING_SEEN
        if self.model is not None:
            matrix, met = arrange(matrix, vocabulary, self.model.vocabulary, self.model.unseen, self.nodes)
            vocabulary = self.model.vocabulary
        return MemoryRows(matrix, self.index, vocabulary, graph_ptr, met, learned=self.model is None)

    @cached_property
    def nodes(self) -> np.ndarray[Any, Any]:
        return id_array(self.ids)

    @property
    def matrix(self) -> Counts:
        return self.in_columns.matrix

    @property
    def vocabulary(self) -> Vocabulary:
        return self.in_columns.vocabulary if self.model is None else self.model.vocabulary

    @property
    def graph_ptr(self) -> Int64s:
        """Return where the rows of the one graph begin and end."""
        return self.in_columns.graph_ptr

    @property
    def unseen(self) -> Any:
        return self.in_columns.unseen

    @property
    def learned(self) -> bool:
        """Return whether the columns are those of the keys that occur."""
        return self.model is None

    #: A stream changes: its rows belong to no graph that could be updated.
    graph: Graph | None = None
    roots: Int64s | None = None
    labels: Int32s | None = None
    origin: None = None

    def find(self, node: Hashable) -> int | None:
        """Return the row of a plain id, None if it has none."""
        if type(node) not in (int, str):  # True equals 1
            return self.in_columns.find(node)
        return self.ids.index(node) if node in self.ids else None

    def row(self, index: int) -> dict[tuple[Any, ...], int]:
        """Return key → count of one row, in column order."""
        settings = self.settings
        is_plain = len(self.blocks) == 1 and settings.degree_bins is None and not self.schema.has_labels
        if self.model is not None or not is_plain:
            return self.in_columns.row(index)
        return dict(_entries(self.blocks[0], index))

    def rows(self, first: int, last: int) -> Counts:
        return self.in_columns.rows(first, last)

    def to_dense(self) -> np.ndarray[Any, Any]:
        """Return the counts as a dense array, without a sparse matrix in between."""
        if self.model is None:
            return self.matrix.toarray()
        table = np.zeros((len(self.ids), len(self.model.vocabulary)), dtype=np.int32)
        for radius, block in zip(self.settings.radius, self.blocks, strict=True):
            places = [self.model.place(radius, tuple(key)) for key in block.keys.tolist()]
            bounds, columns, counts = block.indptr.tolist(), block.columns.tolist(), block.counts.tolist()
            for row, (begin, end) in enumerate(pairwise(bounds)):
                for column, count in zip(columns[begin:end], counts[begin:end], strict=True):
                    if places[column] >= 0:
                        table[row, places[column]] += count
        return table


def _entries(block: Rows, index: int) -> Any:
    """Return the keys and counts of one row."""
    begin, end = block.indptr[index : index + 2].tolist()
    keys = block.keys[block.columns[begin:end]].tolist()
    return zip(map(tuple, keys), block.counts[begin:end].tolist(), strict=True)
