"""The command line: turns options into calls of the library, and prints the results."""
