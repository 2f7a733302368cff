"""
The explorer, live
==================

`explore` returns a page that shows itself in a notebook, or here. Click a node, move the radius, choose the degrees.
"""

import egonet

# %%
# Two graphs side by side
# -----------------------
# One coloring for both, and the verdict of every test. Set the radius to 1: the molecules look the same. Set the degrees
# to none: so they do to 1-WL.

pair = egonet.explore(
    egonet.named.decalin(), egonet.named.bicyclopentyl(), names=["decalin", "bicyclopentyl"]
)
pair

# %%
# One graph
# ---------
# An encoding opens the page with its own settings. Hollow nodes are one of a kind; choose a colored one to see who
# looks the same.

club = egonet.encode(egonet.named.karate_club(), radius=2).explore("Zachary's karate club")
club

# %%
# As a file
# ---------
# `club.write("club.html")`, or `egonet explore edges.csv -o club.html` without Python: one file that needs neither
# server nor network.

print(f"{len(pair.html) / 1000:.0f} kB, graphs included")
