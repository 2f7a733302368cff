"""Embeddings: one learned vector per column of the encoding, from which every node of any graph gets a vector."""
