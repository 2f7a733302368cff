"""One row per pair of nodes: what lies around both, by distance from each."""
