"""Which test distinguishes which graphs: graph families, tests of other methods, and the comparison."""
