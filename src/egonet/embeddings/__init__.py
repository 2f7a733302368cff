"""Embeddings: a learned vector per column of the encoding, so that any vertex of any graph has one."""
