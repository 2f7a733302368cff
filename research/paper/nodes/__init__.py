"""The tasks about nodes: link prediction and node classification."""
