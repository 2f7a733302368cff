"""What runs on the workers of a cluster: plain functions of a job and a number, safe to run twice."""

import hashlib
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from egonet.encoding.settings import Settings
from egonet.store.block_files import entries_of, is_sound_block, write_block
from egonet.store.blocks import Block, count_block
from egonet.store.cluster_plan import BYTES_PER_ARC, BYTES_PER_NODE
from egonet.store.color_triples import block_of_supports, count_group, deal_edges, groups_of
from egonet.store.neighborhoods import ball, induced
from egonet.store.stored_graph import GraphStore, open_graph


@dataclass(frozen=True)
class Job:
    """What every task of one run needs to know.

    Attributes
    ----------
    folder
        The store, under the same path on every machine.
    graph
        The name of the graph's folder in it.
    digest
        The digest of that graph.
    blocks
        The names of the blocks, one per range of roots.
    block_rows
        Roots in a range.
    settings
        What is counted.
    strategy
        "ranges", "triples" or "halo".
    colors
        ρ, for triples.
    """

    folder: str
    graph: str
    digest: str
    blocks: tuple[str, ...]
    block_rows: int
    settings: Settings
    strategy: str
    colors: int

    def barrier(self, kind: str) -> Path:
        """Return where tasks hand rows on; another ρ makes other groups, so it is part of the name."""
        return Path(self.folder) / f"{kind}-{self.colors}"

    @property
    def held(self) -> GraphStore:
        """Return the graph."""
        return graph_at(str(Path(self.folder) / self.graph), self.digest)

    def span(self, index: int, num_nodes: int) -> tuple[int, int]:
        """Return the first and the last root of a range."""
        return index * self.block_rows, min((index + 1) * self.block_rows, num_nodes)


@lru_cache(maxsize=2)
def graph_at(folder: str, digest: str) -> GraphStore:  # noqa: ARG001 - another graph may come to the same place
    """Return a stored graph; a worker that runs many tasks opens it once."""
    return open_graph(folder)


def count_range(job: Job, index: int) -> tuple[int, int]:
    """Count one range of roots into its block unless it is there; return entries and the bytes read for it."""
    held = job.held
    path = Path(job.folder) / job.blocks[index]
    if is_sound_block(path):
        return entries_of(path), 0
    first, last = job.span(index, held.num_nodes)
    if job.strategy == "halo":
        block, read = _count_halo(held, first, last, job.settings)
    elif job.strategy == "triples":
        block, read = _count_supports(job, held, index), 0
    else:
        roots = np.arange(first, last)
        block = count_block(
            held.indptr, held.indices, roots, job.settings, symmetric=held.directed is None, threads=1
        )
        read = 0
    write_block(path, block, {"first": first, "last": last})
    return len(block.columns), read


def _count_halo(held: GraphStore, first: int, last: int, settings: Settings) -> tuple[Block, int]:
    """Return the rows of a range, counted on the part of the graph that its roots see, and the bytes of that."""
    roots = np.arange(first, last)
    seen = ball(held.indptr, held.indices, roots, max(*settings.radius, 1))
    indptr, indices = induced(held.indptr, held.indices, seen)
    read = BYTES_PER_NODE * len(seen) + BYTES_PER_ARC * int((held.indptr[seen + 1] - held.indptr[seen]).sum())
    local = np.searchsorted(seen, roots)
    symmetric = held.directed is None
    return count_block(indptr, indices, local, settings, symmetric=symmetric, threads=1), read


def _count_supports(job: Job, held: GraphStore, index: int) -> Block:
    """Return the rows of a range from the triangles that the groups found."""
    folder = job.barrier(".supports") / f"part={index}"
    supports = read_columns(folder, ("root", "other", "support"))
    return block_of_supports(
        held.indptr, held.indices, job.span(index, held.num_nodes), supports, job.settings
    )


def edge_copies(job: Job, index: int) -> Any:
    """Return an Arrow batch of the copies (group, u, v) of a range's edges."""
    import pyarrow as pa

    held = job.held
    group, u, v = deal_edges(held.indptr, held.indices, *job.span(index, held.num_nodes), job.colors)
    return pa.record_batch([group, u, v], names=["group", "u", "v"])


def group_supports(job: Job, number: int) -> Any:
    """Return an Arrow batch of a group's triangles: the range of the root, root, other end, triangles."""
    import pyarrow as pa

    u, v = read_columns(job.barrier(".edges") / f"group={number}", ("u", "v"))
    root, other, support = count_group(u, v, groups_of(job.colors)[number], job.colors)
    part = (root // job.block_rows).astype(np.int32)
    return pa.record_batch([part, root, other, support], names=["part", "root", "other", "support"])


def read_columns(folder: Path, names: tuple[str, ...]) -> Any:
    """Return int32 columns of all Parquet files in a folder, empty ones if there is none."""
    from pyarrow import parquet

    files = sorted(folder.glob("*.parquet"))
    tables = [parquet.read_table(file, columns=list(names), partitioning=None) for file in files]
    return tuple(
        np.concatenate([np.empty(0, np.int32), *(table.column(name).to_numpy() for table in tables)])
        for name in names
    )


def versions() -> dict[str, str]:
    """Return what must be the same on the driver and every worker: versions, and the kernel to the byte."""
    import egonet
    from egonet import _native

    return {
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "egonet": egonet.__version__,
        "kernel": hashlib.sha256(Path(_native.__file__).read_bytes()).hexdigest()[:12],
        "numpy": metadata.version("numpy"),
        "pyarrow": metadata.version("pyarrow"),
    }


def numbers_in(batches: Iterator[Any]) -> Iterator[int]:
    """Yield the numbers of the tasks in some Arrow batches with a column "id"."""
    for batch in batches:
        yield from batch.column("id").to_pylist()
