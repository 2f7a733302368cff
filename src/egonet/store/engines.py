"""The other engines behind `encode`: a folder on this machine, or a Spark cluster."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from egonet.encoding.encoding import Encoding
from egonet.errors import InputError
from egonet.graph.convert import as_graph
from egonet.graph.graph import Graph
from egonet.store.encode_store import check_words, encode_to_store


def encode_by_engine(
    engine: str,
    graph: Any,
    radius: int | Sequence[int] | None,
    *,
    store: str | PathLike[str] | None,
    master: str | None,
    refused: dict[str, Any],
    chosen: dict[str, Any],
    words: dict[str, Any],
) -> Encoding:
    """Return the encoding that an engine counted into a folder.

    `refused` no engine takes; `chosen` are the words that only "disk" takes.

    Examples
    --------
    >>> import tempfile, egonet
    >>> folder = Path(tempfile.mkdtemp()) / "out"
    >>> egonet.encode([("a", "b"), ("b", "c")], radius=1, engine="disk", store=folder)["b"]
    {(0, 2): 1, (1, 1): 2}
    """
    if engine not in ("disk", "spark"):
        raise InputError(
            f"engine must be 'memory', 'disk' or 'spark', got {engine!r}; store and master need the last two."
        )
    if store is None:
        raise InputError(f"engine={engine!r} counts into a folder. Give store=.")
    check_words(**refused if engine == "disk" else refused | chosen)
    ends = {name: words.pop(name) for name in ("source", "target", "directed")}
    given: str | Path | Graph
    if isinstance(graph, str | PathLike):
        given = Path(graph)
        words |= ends
    else:
        given = as_graph(graph, **ends)
        words["directed"] = given.directed
    hops = 2 if radius is None else radius
    if engine == "disk":
        return encode_to_store(given, Path(store), hops, **chosen, **words)
    from egonet.store.spark import encode_with_spark

    found = encode_with_spark(given, Path(store), hops, master=master, **words)
    assert isinstance(found, Encoding)
    return found
