"""
Two molecules that a message-passing network confuses
=====================================================

Decalin has two six-rings, bicyclopentyl two five-rings. Both have ten atoms, eleven bonds and the same degrees, and 1-WL
(hence every message-passing network without other features) sees one and the same graph.
"""

from matplotlib import pyplot

import egonet

# %%
# Radius 1 sees no more than 1-WL
# -------------------------------
# No atom has two neighbors that are bonded to each other, so all ego-networks of radius 1 are stars.

decalin, bicyclopentyl = egonet.named.decalin(), egonet.named.bicyclopentyl()

for radius in (1, 2):
    both = egonet.encode([decalin, bicyclopentyl], radius)
    sides = [set(part.tolist()) for part in (both.classes[:10], both.classes[10:])]
    print(f"radius {radius}: classes {sides[0]} and {sides[1]}")

# %%
# Radius 2 sees rings close
# -------------------------
# Now no atom of one molecule looks like any of the other. Atom 0 joins the rings in both; in bicyclopentyl its
# five-ring closes within two bonds, which gives two atoms on the last ring a degree more.

print(egonet.explain(decalin, 0, radius=2))
print(egonet.explain(bicyclopentyl, 0, radius=2))

# %%
# The same as pictures
# --------------------
# The edge along the outer ring is where the five-ring closes.

figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 4.4), layout="constrained")
egonet.explain(decalin, 0, radius=2).plot(left)
egonet.explain(bicyclopentyl, 0, radius=2).plot(right)
left.set_title("decalin")
right.set_title("bicyclopentyl")
pyplot.show()
