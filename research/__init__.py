"""The experiments of the paper: data sets, networks, runs and the report; not part of the installed package."""
