"""Embeddings: a learned vector per column of the encoding, so that any node of any graph has one."""
