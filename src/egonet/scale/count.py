"""Counting the roots of a store: at radius 1 from triangles found once for all blocks, else by the kernel."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from egonet.encoding.settings import Settings
from egonet.kernel import native
from egonet.kernel.rows import Rows
from egonet.scale.blocks import Block, block_of
from egonet.scale.folder import is_sound
from egonet.scale.graph_store import GraphStore
from egonet.scale.supports import rows_at_one, store_supports

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
    supports
        The folder with the triangles of every arc, or None if the kernel counts radius 1 too.
    """

    held: GraphStore
    settings: Settings
    threads: int = 0
    supports: Path | None = None

    def count(self, first: int, last: int) -> Block:
        """Return the rows of the roots first ... last - 1."""
        return block_of([self._rows(radius, first, last) for radius in self.settings.radii], self.settings)

    def _rows(self, radius: int, first: int, last: int) -> Rows:
        held, settings = self.held, self.settings
        symmetric = held.directed is None
        if radius == 1 and symmetric and (self.supports or not settings.frontier_edges):
            return rows_at_one(
                held,
                self.supports,
                (first, last),
                degrees=settings.degrees,
                max_degree=settings.max_degree,
                threads=self.threads,
            )
        return native.encode_rows(
            held.indptr,
            held.indices,
            np.arange(first, last),
            radius,
            degrees=settings.degrees,
            frontier_edges=settings.frontier_edges,
            max_degree=settings.max_degree,
            symmetric=symmetric,
            threads=self.threads,
        )


def make_counter(
    folder: Path, held: GraphStore, settings: Settings, num_roots: int, *, memory: int, threads: int
) -> Counter:
    """Return what counts `num_roots` roots that a folder lacks; triangles are found first, if they are worth it."""
    place: Path | None = folder / SUPPORTS
    if 1 not in settings.radii or held.directed is not None or not settings.frontier_edges:
        place = None
    elif not is_sound(folder / SUPPORTS):
        if num_roots <= held.num_nodes * SHARE_WORTH_TRIANGLES:
            place = None
        else:
            store_supports(held, folder / SUPPORTS, memory=memory, threads=threads)
    return Counter(held, settings, threads, place)
