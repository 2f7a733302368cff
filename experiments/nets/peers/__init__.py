"""The networks that the paper compares itself with, on one record: graphs, bags of their subgraphs, many replicas at once."""
