"""Current benchmarks: encodings beside the baselines people use now."""
