"""Labels and edge types of a graph as numbers that keys end with, and their names in columns."""

from collections.abc import Collection, Hashable
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

import numpy as np

from egonet.checks import as_argument
from egonet.encoding.schema import Schema
from egonet.encoding.settings import Settings, check_direction
from egonet.errors import InputError, option
from egonet.graph.align import as_categories
from egonet.graph.columns import EDGE_ROLES, ROLES, Categories, Names
from egonet.graph.edge_types import bin_weights, quantile_limits
from egonet.graph.graph import Graph
from egonet.typing import Floats, Int32s


@dataclass(frozen=True, eq=False)
class NumberedColumns:
    """The columns of a graph as numbers.

    Attributes
    ----------
    labels
        int32 (num_nodes,): the label of every node; None without labels.
    types
        int32 (num_edges_as_given,): the type of every edge of `Graph.given_edges()`; None without types.
    schema
        The settings, with the names of the labels and types, the limits of bins and the direction of the graph.
    """

    labels: Int32s | None
    types: Int32s | None
    schema: Schema


def number_columns(graph: Graph, schema: Schema) -> NumberedColumns:
    """Return the labels and edge types of a graph as numbers; the schema may be that of a vocabulary.

    Labels that a vocabulary does not have get numbers after its last; they have no column. The schema of the result
    names them too, for messages.

    >>> from egonet.graph.adapters import as_graph
    >>> path = as_graph([("a", "b"), ("b", "c")], labels=dict(zip("abc", "NCC")), weights=[1, 20])
    >>> columns = number_columns(path, Schema(Settings(1, weight_bins=[10])))
    >>> columns.labels.tolist(), columns.types.tolist(), columns.schema.edge_labels
    ([1, 0, 0], [1, 0], ('10plus', 'below10'))
    """
    is_binned = typed_role(schema.settings) != "edge_labels"
    if schema.directed != graph.directed:
        schema = replace(schema, directed=graph.directed)
    if not (graph.node_columns or graph.edge_columns or schema.has_labels or is_binned):
        return NumberedColumns(None, None, schema)
    labels, types = graph.labels, None
    if graph.edge_columns or is_binned:
        types, schema = _as_types(graph, schema)
    numbers, kinds = None, None
    if labels is not None:
        numbers, schema = add_labels(labels, schema)
    if types is not None:
        kinds, schema = add_types(types, schema)
    return NumberedColumns(numbers, kinds, schema)


def add_labels(column: Categories, schema: Schema) -> tuple[Int32s, Schema]:
    """Return labels as numbers of a schema, and the schema with the names that it did not have."""
    names = column.join_names(schema.labels or (), "label")
    return column.numbers_in(names), replace(schema, labels=names)


def add_types(column: Categories, schema: Schema) -> tuple[Int32s, Schema]:
    """Return edge types as numbers of a schema, and the schema with the names that it did not have."""
    names = column.join_names(schema.edge_labels or (), "edge label")
    return column.numbers_in(names), replace(schema, edge_labels=names)


def check_learned(columns: Collection[str], schema: Schema) -> None:
    """Raise if data with these columns has labels or types that a vocabulary was learned without, or none that it has.

    `schema` is that of the vocabulary.
    """
    for name, role in ROLES.items():
        learned = schema.labels if role.item == "node" else schema.edge_labels
        if learned is None and name in columns:
            raise InputError(
                f"the vocabulary was learned without {name}. Leave {name} out, or learn it again."
            )
    if schema.labels is not None and "labels" not in columns:
        raise InputError(f"the vocabulary was learned with node labels. Give {option('labels')} here too.")
    name = typed_role(schema.settings)
    if schema.edge_labels is not None and name not in columns:
        was = name.replace("_", " ")
        raise InputError(f"the vocabulary was learned with {was}. Give {option(name)} here too.")


def check_same_kind(learned: Schema, seen: Schema) -> None:
    """Raise if rows were counted with other columns or another direction than those learned, or with types that differ.

    >>> check_same_kind(Schema(Settings(1), labels=(1, 2)), Schema(Settings(1), labels=("1",)))
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: label '1' is str here, but the vocabulary has 1. Give both with one type.
    """
    if seen.directed != "any":
        check_direction(learned.directed, seen.directed, learned.settings)
    typed = typed_role(seen.settings)
    own = {"labels": seen.labels, typed: seen.edge_labels}
    check_learned([name for name, names in own.items() if names is not None], learned)
    for what, names, known in (
        ("label", seen.labels, learned.labels),
        ("edge label", seen.edge_labels, learned.edge_labels),
    ):
        if names:
            Categories(np.zeros(0, dtype=np.int32), names).join_names(known or (), what)


def typed_role(settings: Settings) -> str:
    """Return the keyword of what becomes types of edges: numbers if the settings have bins for them, else labels.

    >>> typed_role(Settings(1)), typed_role(Settings(1, weight_bins="log"))
    ('edge_labels', 'weights')
    """
    binned = [
        name for name, role in EDGE_ROLES.items() if role.bins and getattr(settings, role.bins) is not None
    ]
    if len(binned) > 1:
        raise InputError(f"give bins for {' or '.join(binned)}, not both. Edges have one type.")
    return binned[0] if binned else "edge_labels"


def find_edge_role(columns: Collection[str], item: str = "edge") -> str | None:
    """Return the column of types or numbers of edges or events; None if there is none, an error if there are two.

    >>> find_edge_role({"labels", "weights"}), find_edge_role({"labels"})
    ('weights', None)
    """
    roles = [name for name in EDGE_ROLES if name in columns]
    if len(roles) > 1:
        raise InputError(
            f"give {' or '.join(map(as_argument, roles))}, not both. Join them to one label per {item}."
        )
    return roles[0] if roles else None


def reject_bins(settings: Settings, learner: str) -> None:
    """Raise if settings have bins of numbers: their limits are part of a vocabulary, which `learner` makes.

    >>> reject_bins(Settings(1, weight_bins=4), "AddEgoEncoding.from_dataset(dataset, ...)")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: the limits of weights are part of a vocabulary. Use \
AddEgoEncoding.from_dataset(dataset, weights=..., weight_bins=...).
    """
    name = typed_role(settings)
    if name != "edge_labels":
        example = learner.replace("...", f"{name}=..., {EDGE_ROLES[name].bins}=...")
        raise InputError(f"the limits of {name} are part of a vocabulary. Use {example}.")


def find_types(columns: Collection[str], settings: Settings) -> str | None:
    """Return which of the columns of edges become types; None if there is none.

    Raises if there are two, if numbers have no bins, or if bins have no numbers.

    >>> find_types({"labels", "weights"}, Settings(1, weight_bins="log"))
    'weights'
    """
    role, name = find_edge_role(columns), typed_role(settings)
    if name == role:
        return name
    if name != "edge_labels":
        raise InputError(
            f"{as_argument(str(EDGE_ROLES[name].bins))} is for {as_argument(name)}. Give {option(name)} too."
        )
    if role is not None:
        bins = str(EDGE_ROLES[role].bins)
        raise InputError(
            f"{as_argument(role)} become edge types by bins. Give {option(bins, 'log')}, a number or limits."
        )
    return None


def _as_types(graph: Graph, schema: Schema) -> tuple[Categories, Schema]:
    """Return the types of the edges as given, and the schema with the limits of bins."""
    name = find_types(graph.edge_columns, schema.settings)
    assert name is not None  # the graph has a column, or the settings have bins
    column = graph.edge_columns[name]
    if isinstance(column, Categories):
        return column, schema
    bins = getattr(schema.settings, str(EDGE_ROLES[name].bins))
    if isinstance(bins, int) and schema.limits is None:
        schema = replace(schema, limits=quantile_limits(column, bins))
    return name_bins(column, name, schema), schema


def name_bins(numbers: Floats, role: str, schema: Schema) -> Categories:
    """Return numbers of edges as types: the names of their bins.

    >>> import numpy as np
    >>> name_bins(np.array([1.0, 20.0]), "weights", Schema(Settings(1, weight_bins=[10]))).values()
    ['below10', '10plus']
    """
    field = str(EDGE_ROLES[role].bins)
    return as_categories(bin_weights(numbers, getattr(ask_limits(schema), field), field), role)


def ask_limits(schema: Schema) -> Settings:
    """Return settings that ask for the limits of bins that were learned, for columns without a vocabulary.

    >>> ask_limits(Schema(Settings(1, weight_bins=2), limits=(5.0,)))
    Settings(radius=1, weight_bins=(5.0,))
    """
    if schema.limits is None:
        return schema.settings
    bins: Any = {str(EDGE_ROLES[typed_role(schema.settings)].bins): schema.limits}
    return replace(schema.settings, **bins)


def label_name(label: Hashable, names: Names) -> str:
    """Return a label as it appears in a column name; text is quoted where a number or boolean of `names` reads alike.

    >>> label_name("1", ("1", "7A")), label_name("1", (1, "1")), label_name(1, (1, "1"))
    ('1', "'1'", '1')
    """
    text = str(label)
    if not isinstance(label, str):
        return text
    is_unclear = text.startswith(("'", '"')) or any(
        text == str(name) for name in takewhile(lambda name: not isinstance(name, str), names)
    )
    return repr(label) if is_unclear else text
