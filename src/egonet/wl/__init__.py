"""Tests of equality: color refinement, encodings and exact isomorphism, by name or made by `Criterion`."""

from egonet.kernel.search_tree import as_lists, search_classes
from egonet.wl.isomorphism import isomorphic
from egonet.wl.neighborhoods import EgoNetworks, ego_networks
from egonet.wl.refine import UnionLabels, graph_classes, refine_colors
from egonet.wl.tests import Criterion, named_criterion, weisfeiler_leman

__all__ = [
    "Criterion",
    "EgoNetworks",
    "UnionLabels",
    "as_lists",
    "ego_networks",
    "graph_classes",
    "isomorphic",
    "named_criterion",
    "refine_colors",
    "search_classes",
    "weisfeiler_leman",
]
