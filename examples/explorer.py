"""
The explorer, live
==================

`explore` returns a page that is displayed in a notebook, or here. Click a node, move the radius slider, choose the
kind of degrees.

Install: `pip install .`
"""

import egonet

# %%
# Two graphs
# ----------
# Both share one coloring, and a table has the result of every test. At radius 1 the molecules have equal encodings. With
# degrees set to none the page shows 1-WL, which does not distinguish them either.

# sphinx_gallery_thumbnail_path = 'pictures/gallery_explorer.svg'

pair = egonet.explore(
    egonet.named.decalin(), egonet.named.bicyclopentyl(), names=["decalin", "bicyclopentyl"]
)
pair

# %%
# One graph
# ---------
# An encoding opens the page with its settings. A hollow node has an encoding that no other node has. Click a colored
# node to see the nodes with the same encoding.

club = egonet.encode(egonet.named.karate_club(), radius=2).explore("Zachary's karate club")
club

# %%
# As a file
# ---------
# `club.write("club.html")`, or `egonet explore edges.csv -o club.html` without Python: one file that needs no
# server and no network.

print(f"{len(pair.html) / 1000:.0f} kB, graphs included")
