"""Networks trained on whole sets at once: each replica has its fold and encoding, and all share the graph."""
