"""The tables of the paper: their specifications, the tasks, and the runs that fill results files."""
