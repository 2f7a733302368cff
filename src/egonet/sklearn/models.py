"""Fitted models with encoders inside: the same model for another graph, or without its data."""

from collections.abc import Callable
from copy import copy
from typing import Any, TypeVar

from sklearn.base import BaseEstimator

from egonet.errors import InputError, show_value
from egonet.sklearn.base import GraphTransformer

Model = TypeVar("Model")


def with_graph(model: Model, graph: Any) -> Model:
    """Return a fitted model whose encoders read their ids in another graph; columns and model stay.

    The encoders may be anywhere inside: in a `Pipeline`, a `ColumnTransformer`, a `FeatureUnion`, a grid search. The
    model given does not change. Every encoder with a graph gets the new one.

    Parameters
    ----------
    model
        A fitted model of scikit-learn.
    graph
        Anything `as_graph` accepts.

    Examples
    --------
    >>> import egonet
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> today, tomorrow = egonet.named.star(4), egonet.named.star(6)
    >>> model = make_pipeline(egonet.NodeEncoder(today, radius=1), LogisticRegression())
    >>> model = model.fit(range(5), ["hub", "leaf", "leaf", "leaf", "leaf"])
    >>> with_graph(model, tomorrow).predict([0, 6]).tolist()
    ['hub', 'leaf']
    """

    def change(encoder: Any) -> Any:
        if not hasattr(encoder, "graph"):
            return encoder
        is_fitted = hasattr(encoder, "vocabulary_") and hasattr(encoder, "with_graph")
        return encoder.with_graph(graph) if is_fitted else encoder._with({"graph": graph})

    changed: Model = change_encoders(model, change, "with a graph")
    return changed


def without_data(model: Model) -> Model:
    """Return a fitted model whose encoders have no graph, events or labels, to be saved for serving.

    Examples
    --------
    >>> import egonet
    >>> encoder = egonet.NodeEncoder(egonet.named.star(4), radius=1).fit(range(5))
    >>> served = without_data(encoder)
    >>> served.graph is None, with_graph(served, egonet.named.star(2)).transform([2])
    (True, array([[1., 0., 1.]]))
    """
    changed: Model = change_encoders(model, lambda encoder: encoder.without_data(), "")
    return changed


def change_encoders(model: Any, change: Callable[[Any], Any], what: str) -> Any:
    """Return a model with every encoder inside changed; raise if there is none. What is not changed is shared."""
    done: dict[int, Any] = {}
    changed = _change_encoders(model, change, done)
    if changed is model:
        raise InputError(f"the model has no encoder {what}".rstrip() + f", got {show_value(model)}.")
    return changed


def _change_encoders(value: Any, change: Callable[[Any], Any], done: dict[int, Any]) -> Any:
    """Return a value with the encoders inside changed; itself if there are none."""
    if id(value) in done:
        return done[id(value)]
    result = value
    if isinstance(value, GraphTransformer):
        result = change(value)
    elif isinstance(value, BaseEstimator):
        inside = {name: _change_encoders(part, change, done) for name, part in vars(value).items()}
        if any(part is not vars(value)[name] for name, part in inside.items()):
            result = copy(value)
            result.__dict__.update(inside)
    elif type(value) in (list, tuple):
        parts = [_change_encoders(part, change, done) for part in value]
        if any(new is not old for new, old in zip(parts, value, strict=True)):
            result = type(value)(parts)
    elif isinstance(value, dict):
        pairs = {name: _change_encoders(part, change, done) for name, part in value.items()}
        if any(part is not value[name] for name, part in pairs.items()):
            result = copy(value)
            result.update(pairs)
    done[id(value)] = result
    return result
