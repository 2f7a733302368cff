"""Tables with a row per node: where the ids of the nodes are, and what the other columns are."""

from collections.abc import Hashable, Mapping
from typing import Any, TypeAlias

import numpy as np

from egonet.errors import InputError, show_value
from egonet.graph.columns import is_from
from egonet.graph.index import as_listed, reject_inexact_ids
from egonet.tables.frames import index_labels
from egonet.tables.schemas import is_id_column
from egonet.tables.table import as_table

#: The ids of nodes, and columns of values in the same order.
NodeTable: TypeAlias = tuple[list[Any], dict[str, list[Any]]]


def as_node_table(values: Any, what: str) -> NodeTable | None:
    """Return the ids and the other columns of a table of nodes, or None if it is not a table.

    The ids are in a column "node" or "id"; without one, in the index of a pandas table. A pandas Series is one column
    with its ids in the index. `what` is the argument in messages.

    Raises
    ------
    InputError
        If there are no ids, an id repeats, or both the index and a column may be the ids.

    Examples
    --------
    >>> import pandas as pd
    >>> as_node_table(pd.DataFrame({"node": ["b", "a"], "age": [20, 10]}), "values")
    (['b', 'a'], {'age': [20, 10]})
    >>> as_node_table(pd.Series([20, 10], index=["b", "a"], name="age"), "values")
    (['b', 'a'], {'age': [20, 10]})
    """
    if isinstance(values, Mapping | list | tuple | str | bytes | np.ndarray):
        return None
    if is_from("pandas", values) and hasattr(values, "index") and getattr(values, "ndim", 2) == 1:
        name = "" if values.name is None else str(values.name)
        return _once(index_labels(values.index), what), {name: values.to_list()}
    table = as_table(values)
    if table is None:
        return None
    names, index = table.names, table.index
    keys = [] if index is not None and len(names) == 1 else [each for each in names if is_id_column(each)]
    if len(keys) > 1 or (index is None and not keys):
        raise InputError(
            f"a table of {what} must have a column 'node' or 'id', got the columns "
            f"{', '.join(map(show_value, names[:9]))}. Rename a column, or give a mapping, as in dict(zip(ids, "
            "values))."
        )
    columns = {str(name): table.fields(name) for name in names if name not in keys}
    if not keys:
        return _once(index_labels(index), what), columns
    ids = as_listed(table.flat_ids(keys[0]))
    if index is not None and not _is_counter(index) and index.to_list() != ids:
        raise InputError(
            f"the ids of {what} may be in the index or in the column {show_value(keys[0])}. Give "
            f"table.reset_index(drop=True) for the column, or table.drop(columns={keys[0]!r}) for the index."
        )
    return _once(ids, what), columns


def _is_counter(index: Any) -> bool:
    """Return whether an index only numbers the rows, perhaps before some were sorted or dropped."""
    return index.name is None and index.nlevels == 1 and getattr(index.dtype, "kind", "O") in "iu"


def _once(ids: list[Any], what: str) -> list[Any]:
    """Return ids; raise if one repeats."""
    reject_inexact_ids(ids, what)
    seen: set[Any] = set()
    for node in ids:
        if not isinstance(node, Hashable):
            raise InputError(f"the ids of {what} must be numbers or strings, got {show_value(node)}.")
        if node in seen:
            raise InputError(f"{what} must name every node once, got {show_value(node)} twice.")
        seen.add(node)
    return ids
