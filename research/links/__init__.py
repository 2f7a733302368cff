"""Links in a graph that a model has not seen: columns that mean the same in every graph."""
