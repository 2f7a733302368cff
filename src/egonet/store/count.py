"""Counting the roots of a store: at radius 1 from triangles found once for all blocks, else by the kernel."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from egonet.encoding.settings import Settings
from egonet.kernel import native
from egonet.kernel.rows import Rows
from egonet.store.blocks import Block, block_of
from egonet.store.contents import Choices, open_choices, settings_from_json
from egonet.store.stored_graph import GraphStore, open_graph
from egonet.store.triangle_supports import has_supports, rows_at_one, store_supports

SUPPORTS = "supports-0000"
#: Fewer roots than this share of all are counted by searches of their own, not by way of all triangles.
SHARE_WORTH_TRIANGLES = 1 / 16


@dataclass(frozen=True, eq=False)
class Counter:
    """Counts stretches of roots of a stored graph.

    Attributes
    ----------
    held
        The graph.
    settings
        What is counted.
    threads
        0 for one per core.
    choices
        The labels of the nodes and the roots of the rows.
    supports
        The folder with the triangles of every arc, or None if the kernel counts radius 1 too.
    """

    held: GraphStore
    settings: Settings
    choices: Choices
    threads: int = 0
    supports: Path | None = None

    def count(self, first: int, last: int) -> Block:
        """Return the rows first ... last - 1."""
        return block_of([self._rows(radius, first, last) for radius in self.settings.radius], self.settings)

    def _rows(self, radius: int, first: int, last: int) -> Rows:
        held, settings, choices = self.held, self.settings, self.choices
        symmetric = held.directed is None
        easy = self.supports is not None or not settings.frontier_edges
        if radius == 1 and symmetric and choices.roots is None and easy:
            return rows_at_one(
                held,
                self.supports,
                (first, last),
                degrees=settings.degrees,
                max_degree=settings.max_degree,
                labels=choices.labels,
                threads=self.threads,
            )
        return native.encode_rows(
            held.indptr,
            held.indices,
            np.arange(first, last) if choices.roots is None else choices.roots[first:last],
            radius,
            degrees=settings.degrees,
            frontier_edges=settings.frontier_edges,
            max_degree=settings.max_degree,
            labels=choices.labels,
            symmetric=symmetric,
            threads=self.threads,
        )


def make_counter(
    folder: Path, manifest: dict[str, Any], num_missing: int, memory: int, threads: int
) -> Counter:
    """Return what counts the rows that a folder lacks; triangles are found first, if they are worth it."""
    held, settings = open_graph(folder / manifest["graph"]), settings_from_json(manifest["settings"])
    choices = open_choices(folder, manifest, held.num_nodes)
    place: Path | None = folder / SUPPORTS
    worth = choices.roots is None and num_missing > held.num_nodes * SHARE_WORTH_TRIANGLES
    if 1 not in settings.radius or held.directed is not None or not settings.frontier_edges:
        place = None
    elif not has_supports(folder / SUPPORTS, held):
        if worth:
            store_supports(held, folder / SUPPORTS, memory=memory, threads=threads)
        else:
            place = None
    return Counter(held, settings, choices, threads, place)
