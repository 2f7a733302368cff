"""
Two molecules that a message-passing network confuses
=====================================================

Decalin has two six-rings, bicyclopentyl two five-rings. Both have ten atoms, eleven bonds and the same degrees. 1-WL,
and every message-passing network without other features, does not distinguish them.

Install: `pip install ".[plot]"`
"""

from matplotlib import pyplot

import egonet

# sphinx_gallery_thumbnail_path = 'pictures/gallery_two_molecules.svg'

# %%
# Radius 1 does not distinguish them
# ----------------------------------
# No atom has two neighbors that are bonded to each other, so all ego-networks of radius 1 are stars.

decalin, bicyclopentyl = egonet.named.decalin(), egonet.named.bicyclopentyl()

for radius in (1, 2):
    both = egonet.encode([decalin, bicyclopentyl], radius)
    sides = [set(part.tolist()) for part in (both.classes[:10], both.classes[10:])]
    print(f"radius {radius}: classes {sides[0]} and {sides[1]}")

# %%
# Radius 2 does
# -------------
# Now no atom of one molecule has the encoding of an atom of the other. Atom 0 joins the rings in both. In bicyclopentyl
# its five-ring closes within two bonds, so two atoms at distance 2 have a higher degree.

print(egonet.explain(decalin, 0, radius=2))
print(egonet.explain(bicyclopentyl, 0, radius=2))

# %%
# The same as pictures
# --------------------
# The edge along the outer circle closes the five-ring.

figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 4.4), layout="constrained")
egonet.explain(decalin, 0, radius=2).plot(left)
egonet.explain(bicyclopentyl, 0, radius=2).plot(right)
left.set_title("decalin")
right.set_title("bicyclopentyl")
pyplot.show()
