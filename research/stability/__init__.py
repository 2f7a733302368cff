"""Stability: what changes in 1-WL colors and in encodings when a graph changes a little."""
