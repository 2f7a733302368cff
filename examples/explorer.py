"""
The explorer, live
==================

``explore`` returns a page that shows itself in a notebook, or here. Click a vertex, move the radius, choose the degrees.
"""

import egonet

egonet.explore(egonet.named.decalin(), egonet.named.bicyclopentyl(), names=["decalin", "bicyclopentyl"])

# %%
# An encoding opens the page with its own settings.

egonet.encode(egonet.named.karate_club(), radius=2).explore("Zachary's karate club")
