"""Graphs: one frozen record, and everything that turns files and other people's objects into it."""
