"""The networks of the paper, trained many replicas at once."""
