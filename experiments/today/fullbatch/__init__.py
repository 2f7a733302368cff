"""Networks trained on whole sets at once: every replica has its own fold and encoding, all share the graphs. No egonet needed."""
