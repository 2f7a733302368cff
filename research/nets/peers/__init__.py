"""The networks that the paper compares itself with: bags of subgraphs, many replicas at once."""
