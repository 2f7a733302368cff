"""Signatures and docstrings that list every keyword of `**options`, as `help` and the reference show them."""

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import fields
from functools import wraps
from typing import Any, TypeVar, cast, get_args

from egonet.encoding.settings import PairSettings
from egonet.graph.columns import ROLES
from egonet.graph.input_options import reject_unknown

Function = TypeVar("Function", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)

#: The defaults of the settings, with the radius as a caller writes it.
DEFAULTS: dict[str, Any] = {each.name: each.default for each in fields(PairSettings)} | {"radius": 2}
#: Keywords of `**options` that are no settings; all others are None if they are not given.
DEFAULTS |= {"labels": None, "edge_labels": None, "unseen": "clip"}


def list_options(function: Function, **defaults: Any) -> Function:
    """Return the function with the keywords of its `**options` in signature and docstring.

    The annotation of `**options` is `Unpack` of a `TypedDict`. Its keywords come first after those by position.
    Their defaults are those of the settings, unless `defaults` has others. Another keyword raises an error that names
    the function; `as_settings` raises it where the options include all settings.

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
    listed = replace_options(signature, keywords.__annotations__, defaults)
    if "frontier_edges" not in keywords.__annotations__:
        function = _check_keywords(function, listed)
    function.__signature__ = listed  # type: ignore[attr-defined]
    function.__doc__ = describe_options(function.__doc__, keywords.__annotations__)
    return function


def _check_keywords(function: Function, listed: inspect.Signature) -> Function:
    """Return the function, raising for a keyword that its signature does not have."""
    names = [name for name, each in listed.parameters.items() if each.default is not each.empty]
    every_name = set(listed.parameters)
    title = function.__qualname__.removesuffix(".__init__")

    @wraps(function)
    def checked(*values: Any, **keywords: Any) -> Any:
        if not keywords.keys() <= every_name:
            reject_unknown(title, keywords.keys() - every_name, names)
        return function(*values, **keywords)

    return cast("Function", checked)


def list_keywords(
    source: Callable[..., Any], leave_out: Collection[str] = (), **defaults: Any
) -> Callable[[Function], Function]:
    """Return a decorator that lists the keywords of another function instead of `**options`, which go there.

    >>> def read(path, *, header=None, delimiter=","): ...
    >>> @list_keywords(read, leave_out=["header"])
    ... def count(path, **options): ...
    >>> str(inspect.signature(count))
    "(path, *, delimiter=',')"
    """
    parameters = inspect.signature(source).parameters
    keywords = {
        name: each.annotation
        for name, each in parameters.items()
        if each.default is not each.empty and name not in leave_out
    }
    values = {name: parameters[name].default for name in keywords} | defaults

    def decorate(function: Function) -> Function:
        listed = replace_options(inspect.signature(function), keywords, values)
        function.__signature__ = listed  # type: ignore[attr-defined]
        return function

    return decorate


def list_class_options(cls: Class) -> Class:
    """Return a class whose docstring lists the keywords in the signature of its `__init__`."""
    cls.__doc__ = describe_options(cls.__doc__, inspect.signature(cls).parameters)
    return cls


def describe_options(doc: str | None, names: Iterable[str]) -> str | None:
    """Return a docstring with columns and settings that its list of parameters does not name at the end of the list.

    >>> print(describe_options("Parameters\\n----------\\ngraph\\n    Edges.", ["graph", "weights", "weight_bins"]))
    Parameters
    ----------
    graph
        Edges.
    weights
        As for `egonet.as_graph`.
    weight_bins
        As in `egonet.Settings`.
    """
    section = re.search(
        r"^( *)Parameters\n\1-+\n(.*?)(?=\n\s*\n\1\S[^\n]*\n|\n\s*\Z|\Z)", doc or "", re.MULTILINE | re.DOTALL
    )
    if doc is None or section is None:
        return doc
    indent, listed = section.groups()
    headings = re.findall(rf"^{indent}(\S.*)$", listed, re.MULTILINE)
    described = {name.strip() for line in headings for name in line.partition(" : ")[0].split(",")}
    texts = dict.fromkeys(ROLES, "As for `egonet.as_graph`.")
    texts |= {each.name: "As in `egonet.Settings`." for each in fields(PairSettings)}
    added = "".join(
        f"\n{indent}{name}\n{indent}    {texts[name]}"
        for name in names
        if name in texts and name not in described
    )
    return doc[: section.end()] + added + doc[section.end() :]


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
