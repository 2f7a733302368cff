"""Networks on molecules, many trained at once on a GPU; nothing here needs egonet or RDKit."""
