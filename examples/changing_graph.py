"""
A graph that changes
====================

`update` returns the encoding after edges are added and removed. The result equals encoding the changed graph from
scratch, byte for byte, but only nodes near a changed edge are computed.

Install: `pip install .`
"""

import egonet

# %%
# Two changes
# -----------
# Members 16 and 25 of the karate club become friends. Members 0 and 31 are no longer friends.

# sphinx_gallery_thumbnail_path = 'pictures/gallery_changing_graph.svg'

club = egonet.named.karate_club()
before = egonet.encode(club, radius=1)
after = before.update(added=[(16, 25)], removed=[(0, 31)])

# %%
# Whose features change
# ---------------------
# At radius 1 only those of the four themselves: they have no friend in common.

changed = [node for node in before.nodes.tolist() if before[node] != after[node]]
print(f"{len(changed)} of {len(before)} members have other features: {changed}")

# %%
# The same from scratch
# ---------------------

pairs = [(u, w) for u in range(34) for w in club.neighbors(u) if u < w and (u, w) != (0, 31)] + [(16, 25)]
scratch = egonet.encode(egonet.Graph.from_edges(pairs, num_nodes=34), radius=1)
same = scratch.columns == after.columns and (scratch.matrix != after.matrix).nnz == 0
print("equal to the byte" if same else "different")
