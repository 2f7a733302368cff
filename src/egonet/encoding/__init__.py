"""Encodings: from a graph to counts of (distance, degree), with names for rows and columns."""
