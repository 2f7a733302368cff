"""Embeddings: one learned vector per column of the encoding, from which every node of any graph gets a vector.

What other trainers need is here too: walks, initial tables, and losses of pairs with their gradients.
"""

from egonet.embeddings.embedding import Embedding, fit_embeddings
from egonet.embeddings.skipgram import (
    NOWHERE,
    History,
    Start,
    Training,
    Walks,
    first_table,
    random_walks,
    standardize,
)
from egonet.kernel.native import LossAndGradients, add_pairs, add_separate, multiply_sparse

__all__ = [
    "NOWHERE",
    "Embedding",
    "History",
    "LossAndGradients",
    "Start",
    "Training",
    "Walks",
    "add_pairs",
    "add_separate",
    "first_table",
    "fit_embeddings",
    "multiply_sparse",
    "random_walks",
    "standardize",
]
