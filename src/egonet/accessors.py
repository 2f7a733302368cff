"""`df.egonet` on data frames of pandas and polars: importing this module registers it for the installed ones.

Examples
--------
>>> import pandas
>>> import egonet.accessors
>>> edges = pandas.DataFrame({"source": ["a", "b"], "target": ["b", "c"]})
>>> edges.egonet.encode(radius=1)
      r1_d0_deg1  r1_d0_deg2  r1_d1_deg1
node
a              1           0           1
b              0           1           2
c              1           0           1
"""

from typing import Any

from egonet.encoding.encode import encode
from egonet.encoding.encoding import Encoding
from egonet.encoding.matrix import Weighting
from egonet.encoding.settings import Radius, Settings
from egonet.encoding.signature import list_keywords
from egonet.graph.adapters import as_graph
from egonet.graph.columns import is_from
from egonet.graph.graph import Graph


class FrameAccessor:
    """The methods of `df.egonet` on a data frame whose rows are edges.

    Columns named source/target, src/dst, from/to, u/v, id_1/id_2 or node_1/node_2 are the ends; otherwise give
    source= and target=.

    Examples
    --------
    >>> import polars, egonet.accessors
    >>> polars.DataFrame({"u": ["ann", "bob"], "v": ["bob", "cid"]}).egonet.encoding(1)["bob"]
    {(0, 2): 1, (1, 1): 2}
    """

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    @list_keywords(as_graph)
    def graph(self, **options: Any) -> Graph:
        """Return the graph of the edges; the options are those of `egonet.as_graph`.

        Examples
        --------
        >>> import polars
        >>> polars.DataFrame({"u": [1, 2], "v": [2, 3]}).egonet.graph()
        Graph(num_nodes=3, num_edges=2)
        """
        return as_graph(self._frame, **options)

    @list_keywords(encode)
    def encoding(self, settings: Settings | Radius | None = None, **options: Any) -> Encoding:
        """Return the encoding of the graph; the options are those of `egonet.encode`.

        Examples
        --------
        >>> import pandas
        >>> edges = pandas.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "kind": ["x", "y"]})
        >>> edges.egonet.encoding(radius=1, edge_labels="kind")["a"]
        {(0, 1): 1, (1, 2, 'x'): 1, (2, 1): 1}
        """
        return encode(self._frame, settings, **options)

    @list_keywords(encode)
    def encode(
        self, settings: Settings | Radius | None = None, *, weighting: Weighting = "count", **options: Any
    ) -> Any:
        """Return a data frame of the same package with a column per feature; the options are those of `egonet.encode`.

        A pandas frame has "node" as its index, a polars frame as its first column.

        Examples
        --------
        >>> import polars
        >>> polars.DataFrame({"u": [1, 2], "v": [2, 3]}).egonet.encode(radius=0).rows()
        [(1, 1, 0), (2, 0, 1), (3, 1, 0)]
        """
        made = self.encoding(settings, **options)
        return made.to_polars(weighting) if is_from("polars", self._frame) else made.to_pandas(weighting)


def register() -> list[str]:
    """Register `df.egonet` for pandas and polars, and return which of them are installed.

    Examples
    --------
    >>> register()
    ['pandas', 'polars']
    """
    done = []
    try:
        from pandas.api.extensions import register_dataframe_accessor
    except ImportError:
        pass
    else:
        if "egonet" not in _pandas_accessors():
            register_dataframe_accessor("egonet")(FrameAccessor)
        done.append("pandas")
    try:
        from polars import DataFrame, LazyFrame
        from polars.api import register_dataframe_namespace, register_lazyframe_namespace
    except ImportError:
        return done
    if not hasattr(DataFrame, "egonet"):
        register_dataframe_namespace("egonet")(FrameAccessor)
    if not hasattr(LazyFrame, "egonet"):
        register_lazyframe_namespace("egonet")(FrameAccessor)
    return [*done, "polars"]


def _pandas_accessors() -> set[str]:
    """Return the names of the accessors that data frames of pandas have."""
    from pandas import DataFrame

    names: set[str] = DataFrame._accessors
    return names


register()
