"""Runs the command line: `python -m egonet`."""

from egonet.cli.main import main

main()
