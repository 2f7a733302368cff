"""Which columns of a table mean what: the ends of edges, events with a time, queries, values of nodes."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from egonet.checks import as_argument
from egonet.errors import InputError, option, show_value
from egonet.graph.index import is_missing
from egonet.graph.input_options import choose_columns, list_columns, require_column

#: The names that the id column of a table of nodes or of queries may have, in any case.
ID_COLUMNS = ("node", "id")
#: The columns of a table of events, in the order of tuples.
EVENT_ROLES = ("source", "target", "time", "amount", "types", "keep")


@dataclass(frozen=True)
class EventColumns:
    """The names of the columns of tables of events and queries.

    None stands for the well-known names of ends and nodes, and for no column of amounts or types. `time_format` is that
    of times in text; None for ISO 8601. `node` is for queries; it has two names if these are about pairs. `keyword` is
    the one that names the column of types, in messages.
    """

    source: Any = None
    target: Any = None
    time: Any = "time"
    amount: Any = None
    types: Any = None
    time_format: str | None = None
    node: Any = None
    keyword: str = "types"
    keep: Any = None

    def __post_init__(self) -> None:
        for role in EVENT_ROLES:
            name = getattr(self, role)
            if name is not None and not _is_name(name):
                shown = option(self.keyword if role == "types" else role)
                raise InputError(f"{shown} must be the name of a column, got {show_value(name)}.")
        names = self.node if isinstance(self.node, tuple | list) else (self.node,)
        is_pair = len(names) == 2 and all(map(_is_name, names)) and names[0] != names[1]
        if self.node is not None and not is_pair and not (names == (self.node,) and _is_name(self.node)):
            raise InputError(
                f"{as_argument('node')} must be a column, or the two columns of pairs of nodes, got "
                f"{show_value(self.node)}."
            )

    def roles(self) -> list[str]:
        """Return the roles of tuples of events: two ends, a time, and what else has a name.

        >>> EventColumns(amount="sum").roles()
        ['source', 'target', 'time', 'amount']
        """
        return ["source", "target", "time"] + [
            role for role in EVENT_ROLES[3:] if getattr(self, role) is not None
        ]


def _is_name(value: Any) -> bool:
    """Return whether a value may be the name of a column: text, or whatever else a data frame has.

    >>> _is_name("payer"), _is_name(0), _is_name(["payer"]), _is_name("")
    (True, True, False, False)
    """
    return isinstance(value, Hashable) and not is_missing(value)


def find_column(names: list[Any], name: Any, keyword: str) -> Any:
    """Return a column's name, as `require_column` does; "time" is found in capitals too.

    >>> find_column(["src", "Time"], "time", "time")
    'Time'
    """
    if isinstance(name, str) and name == "time" and name not in names:
        same = [each for each in names if str(each).lower() == "time"]
        if len(same) == 1:
            return same[0]
    return require_column(names, name, keyword)


def find_event_columns(names: list[Any], columns: EventColumns) -> dict[str, Any]:
    """Return the name of the column of every role of events.

    >>> find_event_columns(["when", "from", "to", "sum"], EventColumns(time="when", amount="sum"))
    {'time': 'when', 'amount': 'sum', 'source': 'from', 'target': 'to'}
    """
    if columns.time is None:
        raise InputError(f"{option('time')} must be given by its name, got None.")
    chosen: dict[str, Any] = {}
    for role in EVENT_ROLES[2:]:
        name = getattr(columns, role)
        if name is not None:
            chosen[role] = find_column(names, name, columns.keyword if role == "types" else role)
    others = [name for name in names if name not in chosen.values()]
    chosen["source"], chosen["target"] = choose_columns(others, columns.source, columns.target)
    return chosen


def find_query_columns(names: list[Any], columns: EventColumns) -> tuple[tuple[Any, ...], Any]:
    """Return the columns of the node of queries, or of both nodes of pairs, and that of their times.

    >>> find_query_columns(["id", "time"], EventColumns())
    (('id',), 'time')
    """
    time = find_column(names, columns.time, "time")
    if isinstance(columns.node, tuple | list):
        return tuple(find_column(names, name, "node") for name in columns.node), time
    id_names = [name for name in names if is_id_column(name)]
    if columns.node is None and len(id_names) != 1:
        raise InputError(
            f"which column has the nodes? Set {option('node')}; the columns are {list_columns(names)}."
        )
    return (id_names[0] if columns.node is None else find_column(names, columns.node, "node"),), time


def is_id_column(name: Any) -> bool:
    """Return whether a column of a table has the ids of nodes, by its name in any case.

    >>> is_id_column("Node"), is_id_column("label")
    (True, False)
    """
    return str(name).lower() in ID_COLUMNS
