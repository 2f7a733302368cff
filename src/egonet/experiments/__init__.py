"""The experiments of the paper: data sets, specs, runs and the report."""
