"""Tests of equality: color refinement, encodings and exact isomorphism."""
