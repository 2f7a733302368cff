"""Current benchmarks: encodings compared with the baselines people use now."""
