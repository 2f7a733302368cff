"""Tests of equality: colour refinement, encodings and exact isomorphism, compared as partitions."""
