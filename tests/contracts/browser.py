"""What the tests of the explorer page share: a graph, and actions in its tab."""

import numpy as np

from egonet import Graph


def random_graph(num_nodes, num_edges, seed, **options):
    rng = np.random.default_rng(seed)
    return Graph.from_edges(rng.integers(0, num_nodes, (num_edges, 2)), num_nodes=num_nodes, **options)


def shown_groups(tab):
    """Return the class or group that every node is colored by."""
    return tab.locator(".node").evaluate_all("all => all.map(node => Number(node.dataset.group))")


def find(tab, text):
    tab.fill("#search", text)
    tab.press("#search", "Enter")


def set_slider(tab, name, value):
    tab.locator(f"#{name}").fill(str(value))


def same_partition(left, right):
    return len(set(left)) == len(set(right)) == len(set(zip(left, right, strict=True)))
