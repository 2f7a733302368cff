"""Forests, boosting and ridge regression on prepared columns; nothing here needs egonet or RDKit."""
