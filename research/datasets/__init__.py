"""The data sets of the experiments: what they are, how they are fetched, and how they are read."""
