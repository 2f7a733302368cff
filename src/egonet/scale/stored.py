"""An encoding in a folder, opened in milliseconds and read as it is used."""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from egonet.encoding.encoding import Encoding, refuse_several
from egonet.encoding.matrix import Counts, narrow_pointers
from egonet.encoding.sound import sound_array, sound_entries, sound_keys, sound_pointers
from egonet.encoding.vocabulary import Unseen, Vocabulary, locate
from egonet.errors import FileError
from egonet.graph.graph import Graph
from egonet.scale.blocks import Block
from egonet.scale.choices import Choices, open_choices, settings_from_json
from egonet.scale.folder import open_array, read_manifest
from egonet.scale.forms import open_block
from egonet.scale.graph_store import GraphStore, open_graph
from egonet.types import Int32s, Int64s

FORMAT = "egonet store 1"


class StoredEncoding(Encoding):
    """An encoding in a folder: an `Encoding` in every respect, read as it is used.

    `rows(first, last)` and `encoding[node]` read only the blocks they need; `matrix` reads everything.
    """

    folder: Path
    manifest: dict[str, Any]

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self.__dict__.update(folder=folder, manifest=manifest)
        self.__dict__.update(unseen=Unseen(), learned=True)

    def __len__(self) -> int:
        """Return the number of rows."""
        return int(self.manifest["num_rows"])

    @cached_property
    def store(self) -> GraphStore:
        """Return the graph on disk."""
        return open_graph(self.folder / self.manifest["graph"])

    @cached_property
    def graph(self) -> Graph:
        """Return the graph, on mapped arrays."""
        return self.store.graph

    @cached_property
    def choices(self) -> Choices:
        """Return the labels of the vertices and the roots of the rows."""
        return open_choices(self.folder, self.manifest)

    @property
    def labels(self) -> Int32s | None:
        """Return the number of every vertex's label, if there are labels."""
        return self.choices.labels

    @property
    def roots(self) -> Int64s | None:
        """Return the vertex of every row, or None if row v is vertex v."""
        return self.choices.roots

    @cached_property
    def nodes(self) -> np.ndarray[Any, Any]:
        """Return the ids of the rows."""
        return self.graph.node_ids if self.roots is None else self.graph.node_ids[self.roots]

    @cached_property
    def graph_ptr(self) -> Int64s:
        """Return where the rows of the only graph begin and end."""
        return np.array([0, len(self)], dtype=np.int64)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Return the columns."""
        keys = np.array(open_array(self.folder / self.manifest["vocabulary"], "keys"))
        with self._sound():
            settings = settings_from_json(self.manifest["settings"])
            return Vocabulary(settings, sound_keys(keys, settings))

    @contextmanager
    def _sound(self) -> Iterator[None]:
        """Say which folder is damaged where a check finds that it is."""
        try:
            yield
        except (ValueError, TypeError, KeyError) as error:
            if isinstance(error, FileError):
                raise
            raise FileError(f"{self.folder} is damaged: {error}. Run encode again.") from error

    @cached_property
    def matrix(self) -> Counts:
        """Return all counts, read into memory."""
        return self.rows(0, len(self))

    def rows(self, first: int, last: int) -> Counts:
        """Return the counts of some consecutive rows, reading only the blocks that hold them.

        Examples
        --------
        >>> import tempfile
        >>> from egonet.scale.store import encode_to_store
        >>> folder = Path(tempfile.mkdtemp()) / "out"
        >>> stored = encode_to_store(Graph.from_edges([("a", "b"), ("b", "c")]), folder, 1)
        >>> stored.rows(1, 2).toarray()
        array([[0, 1, 2]], dtype=int32)
        """
        parts = list(self._parts(first, last))
        lengths = np.concatenate([np.zeros(1, np.int64), *(np.diff(part[0]) for part in parts)])
        columns = np.concatenate([np.empty(0, np.int32), *(part[1] for part in parts)])
        counts = np.concatenate([np.empty(0, np.int32), *(part[2] for part in parts)])
        shape = (max(last - first, 0), len(self.vocabulary))
        return csr_array((counts, columns, narrow_pointers(np.cumsum(lengths))), shape=shape)

    def _parts(self, first: int, last: int) -> Iterator[tuple[Int64s, Int32s, Int32s]]:
        """Yield row pointers, columns and counts of the rows asked for, block by block."""
        size = self.manifest["block_rows"]
        for index in range(first // size, -(-last // size)):
            block, places = self._block(index)
            begin, end = max(first - index * size, 0), min(last - index * size, len(block))
            pointers = np.asarray(block.indptr[begin : end + 1])
            span = slice(pointers[0], pointers[-1])
            columns, counts = np.asarray(block.columns[span]), np.asarray(block.counts[span])
            with self._sound():
                sound_pointers(pointers - pointers[0], len(columns))
                sound_entries(columns, counts, len(places))
            yield pointers, places[columns], counts

    def _block(self, index: int) -> tuple[Block, Int32s]:
        """Return a block and the column of every key of it."""
        block = open_block(self.folder / self.manifest["blocks"][index])
        with self._sound():
            sound_keys(block.keys, self.vocabulary.settings)
            sound_array(block.indptr, np.int64)
            sound_array(block.columns, np.int32)
            sound_array(block.counts, np.int32)
            if len(block) != min(
                self.manifest["block_rows"], len(self) - index * self.manifest["block_rows"]
            ):
                raise ValueError(f"block {index} has {len(block)} rows")
        places, exact = locate(self.vocabulary, np.asarray(block.keys), "ignore")
        if not exact.all():
            raise FileError(
                f"{self.folder} is damaged: block {index} has keys without a column. Run encode again."
            )
        return block, places.astype(np.int32)

    def __getitem__(self, node: Hashable) -> dict[tuple[Any, ...], int]:
        """Return the multiset of one root: key to count, in column order."""
        refuse_several(node)
        row = self.graph.index_of(node) if self.roots is None else self._row_of(node)
        ((_, columns, counts),) = self._parts(row, row + 1)
        return {self.columns[c]: k for c, k in zip(columns.tolist(), counts.tolist(), strict=True)}

    def part(self, index: int) -> Encoding:
        """Return the rows of the only graph, in memory."""
        return self.in_memory().part(index)

    def in_memory(self) -> Encoding:
        """Return the same encoding with everything read."""
        return replace(self)


def open_store(folder: str | Path) -> StoredEncoding:
    """Return the encoding in a folder; nothing but its manifest is read.

    Raises
    ------
    FileError
        If the folder holds no encoding, or one that is not finished.
    """
    path = Path(folder)
    manifest = read_manifest(path, "an encoding that egonet stored")
    if manifest.get("format") != FORMAT:
        raise FileError(f"{path} is not an encoding that egonet stored, but {manifest.get('format')!r}.")
    if not manifest.get("complete"):
        raise FileError(f"{path} is not finished. Run the same command again to go on.")
    if not is_plausible(manifest):
        raise FileError(f"{path} is damaged: its manifest is not what egonet wrote. Run encode again.")
    return StoredEncoding(path, manifest)


def is_plausible(manifest: dict[str, Any]) -> bool:
    """Return whether a manifest has sizes that are numbers, and names that stay in its folder.

    Examples
    --------
    >>> sizes = {"num_rows": 3, "block_rows": 2, "settings": {}, "graph": "g", "vocabulary": "v"}
    >>> is_plausible(sizes | {"blocks": ["a", "b"]}), is_plausible(sizes | {"blocks": ["a", "../b"]})
    (True, False)
    """
    rows, block_rows, blocks = (manifest.get(word) for word in ("num_rows", "block_rows", "blocks"))
    if type(rows) is not int or type(block_rows) is not int or not isinstance(blocks, list):
        return False
    names = [manifest.get("graph"), manifest.get("vocabulary"), manifest.get("choices") or "none", *blocks]
    inside = all(isinstance(name, str) and name.isprintable() and Path(name).name == name for name in names)
    fits = rows >= 0 and block_rows > 0 and len(blocks) == -(-rows // block_rows)
    return inside and fits and isinstance(manifest.get("settings"), dict)
