"""Link prediction: split a graph, make columns of pairs, predict links with and without training, and measure ranks."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from egonet.links.columns import link_columns
from egonet.links.metrics import hits_at, mean_reciprocal_rank
from egonet.links.split import LabeledPairs, LinkSplit, split
from egonet.links.zero_shot import zero_shot_columns

if TYPE_CHECKING:
    from egonet.links.predictor import LinkPredictor, predict, recommend

__all__ = [
    "LabeledPairs",
    "LinkPredictor",
    "LinkSplit",
    "hits_at",
    "link_columns",
    "mean_reciprocal_rank",
    "predict",
    "recommend",
    "split",
    "zero_shot_columns",
]


def __getattr__(name: str) -> Any:
    """Return what is imported on first use, because it needs scikit-learn."""
    if name not in ("LinkPredictor", "predict", "recommend"):
        raise AttributeError(f"module 'egonet.links' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module("egonet.links.predictor"), name)
    return value
