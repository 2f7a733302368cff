"""Networks trained on whole sets at once: replicas have folds and encodings of their own and share the graphs."""
