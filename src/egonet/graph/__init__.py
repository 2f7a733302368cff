"""Graphs: the record `Graph`, and everything that turns other objects into it."""
