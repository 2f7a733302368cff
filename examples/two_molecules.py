"""
Two molecules that a message-passing network confuses
=====================================================

Decalin has two six-rings, bicyclopentyl two five-rings. Both have ten atoms, eleven bonds and the same degrees, and 1-WL
(hence every message-passing network without other features) sees one and the same graph.
"""

import egonet

decalin, bicyclopentyl = egonet.named.decalin(), egonet.named.bicyclopentyl()

# %%
# At radius 1 the ego-networks are the same as well: no atom has two neighbours that are bonded to each other.

for radius in (1, 2):
    both = egonet.encode([decalin, bicyclopentyl], radius)
    classes = [sorted(part) for part in (both.classes[:10].tolist(), both.classes[10:].tolist())]
    print(f"radius {radius}: {classes[0]} and {classes[1]}")

# %%
# At radius 2 no atom of one molecule looks like any of the other. Atom 0 joins the rings in both; in bicyclopentyl its
# five-ring closes within two bonds, which gives two atoms on the last ring a degree more.

print(egonet.explain(decalin, 0, radius=2))
print(egonet.explain(bicyclopentyl, 0, radius=2))

# %%
# The same as pictures: the edge along the outer ring is where the five-ring closes.

from matplotlib import pyplot

figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 4.4), layout="constrained")
egonet.explain(decalin, 0, radius=2).plot(left)
egonet.explain(bicyclopentyl, 0, radius=2).plot(right)
left.set_title("decalin")
right.set_title("bicyclopentyl")
pyplot.show()
