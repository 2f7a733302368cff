"""Signatures that list every keyword of `**options`, as `help` and the reference show them."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar, get_args

from egonet.encoding.settings import PairSettings

Function = TypeVar("Function", bound=Callable[..., Any])

#: The defaults of the settings, with the radius as a caller writes it.
DEFAULTS: dict[str, Any] = {each.name: each.default for each in fields(PairSettings)} | {"radius": 2}
#: Keywords of `**options` that are no settings; all others are None if they are not given.
DEFAULTS |= {"labels": None, "edge_labels": None, "unseen": "clip"}


def list_options(function: Function, **defaults: Any) -> Function:
    """Return the function with the keywords of its `**options` in its signature; calls do not change.

    The annotation of `**options` is `Unpack` of a `TypedDict`. Its keywords come first after those by position.
    Their defaults are those of the settings, unless `defaults` has others.

    >>> from typing import Unpack
    >>> from egonet.encoding.settings import SettingsOptions
    >>> @list_options
    ... def count(graph, *, threads=1, **options: Unpack[SettingsOptions]): ...
    >>> list(inspect.signature(count).parameters)[:4], "threads" in inspect.signature(count).parameters
    (['graph', 'radius', 'degrees', 'frontier_edges'], True)
    """
    signature = inspect.signature(function)
    last = list(signature.parameters.values())[-1]
    (keywords,) = get_args(last.annotation)
    function.__signature__ = replace_options(signature, keywords.__annotations__, defaults)  # type: ignore[attr-defined]
    return function


def replace_options(
    signature: inspect.Signature, keywords: Mapping[str, Any], defaults: Mapping[str, Any] | None = None
) -> inspect.Signature:
    """Return a signature with keywords, by name and type, instead of its last parameter, `**options`."""
    *parameters, last = signature.parameters.values()
    by_position = [each for each in parameters if each.kind is not last.KEYWORD_ONLY]
    values = DEFAULTS | dict(defaults or {})
    listed = [
        inspect.Parameter(name, last.KEYWORD_ONLY, default=values.get(name), annotation=kind)
        for name, kind in keywords.items()
        if name not in signature.parameters
    ]
    return signature.replace(parameters=[*by_position, *listed, *parameters[len(by_position) :]])
