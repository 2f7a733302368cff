"""
A graph larger than memory
==========================

`egonet.store.encode` counts into a folder and sorts on disk, so the edges need not fit into memory. The folder can be
opened later in milliseconds, resumed if the run was killed, and updated when the graph changes. The graph here is
small, so that the example takes seconds; the page *Beyond memory and beyond one machine* has a billion edges.

Install: `pip install .`
"""

# %%
# A file of edges
# ---------------
# 300,000 edges with a few hubs, as a text file that is read in chunks.

# sphinx_gallery_thumbnail_path = 'pictures/gallery_larger_than_memory.svg'

import shutil
import tempfile
import time
from pathlib import Path

import numpy as np

import egonet

folder = Path(tempfile.mkdtemp())
rng = np.random.default_rng(0)
ends = (50_000 * rng.random((300_000, 2)) ** 2).astype(np.int64)
edges = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)
np.savetxt(folder / "edges.txt", edges, fmt="%d")
print(f"{len(edges):,} edges, {(folder / 'edges.txt').stat().st_size / 1e6:.1f} MB")

# %%
# Encode in little memory
# -----------------------
# `memory` bounds what sorting and counting use. Python itself and about 80 bytes per node come on top.

encoding = egonet.store.encode(folder / "edges.txt", folder / "out", radius=1, memory="20MB")
size = sum(path.stat().st_size for path in (folder / "out").rglob("*") if path.is_file())
print(f"{len(encoding.nodes):,} nodes, {len(encoding.feature_names):,} columns, {size / 1e6:.1f} MB on disk")

# %%
# Open it again
# -------------
# Only what is asked for is read. `rows` gives a range of rows as a sparse matrix, for training in parts.

start = time.perf_counter()
again = egonet.store.open(folder / "out")
print(f"opened in {1000 * (time.perf_counter() - start):.0f} ms; first rows: {again.rows(0, 1000).shape}")

# %%
# When edges come and go
# ----------------------
# Only the nodes around a changed edge are counted again. The result is exact: it equals encoding the new graph from
# scratch, in memory.

added, removed = [(0, 49_000), (1, 49_000)], edges[:3].tolist()
changed = egonet.store.update(folder / "out", added=added, removed=removed)
now = np.concatenate([edges[3:], added])
fresh = egonet.encode(egonet.Graph.from_edges(now, nodes=changed.nodes), radius=1)
same = changed.feature_names == fresh.feature_names and (changed.matrix != fresh.matrix).nnz == 0
print(f"equal to encoding from scratch: {same}")
shutil.rmtree(folder, ignore_errors=True)
