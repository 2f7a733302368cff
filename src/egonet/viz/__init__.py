"""Pictures with matplotlib (the extra "plot")."""

from egonet.viz.plot import draw_classes, draw_histogram, draw_rings

__all__ = ["draw_classes", "draw_histogram", "draw_rings"]
