"""The command `python -m experiments.nets.peers`."""

import sys

from experiments.nets.peers.queue_runner import main

if __name__ == "__main__":
    main(sys.argv[1:])
