"""Models trained on the nodes of one graph and tested on another."""
