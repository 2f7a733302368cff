"""
A graph that changes
====================

``update`` returns the encoding after edges came and went. The result equals encoding the changed graph from scratch, to
the byte, but only vertices that see a changed edge are computed.
"""

import egonet

club = egonet.named.karate_club()
before = egonet.encode(club, radius=1)

# %%
# Members 16 and 25 become friends, 0 and 31 fall out.

after = before.update(added=[(16, 25)], removed=[(0, 31)])
changed = [node for node in before.nodes.tolist() if before[node] != after[node]]
print(f"{len(changed)} of {len(before)} members see a difference: {changed}")

# %%
# From scratch it is the same:

pairs = [(u, w) for u in range(34) for w in club.neighbours(u) if u < w and (u, w) != (0, 31)] + [(16, 25)]
scratch = egonet.encode(egonet.Graph.from_edges(pairs, num_nodes=34), radius=1)
assert (scratch.matrix != after.matrix).nnz == 0
assert scratch.columns == after.columns
