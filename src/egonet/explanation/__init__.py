"""Explanations in words: of a node, of the differences between nodes or graphs, and of a model."""
