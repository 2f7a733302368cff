"""What every engine supports: one table, from which errors are raised and the documentation's matrix is written."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from egonet.encoding.settings import BinOptions, Settings
from egonet.errors import InputError, in_python, option
from egonet.graph.columns import EDGE_ROLES, ROLES
from egonet.graph.graph import Graph
from egonet.typing import Direction

EngineName: TypeAlias = Literal[
    "nodes", "cuda", "pairs", "as_of", "stream", "store", "spark", "wl", "explorer"
]


@dataclass(frozen=True)
class Use:
    """What a request asks of an engine: settings, the columns of the graph by keyword, and its direction."""

    settings: Settings
    columns: frozenset[str] = frozenset()
    directed: Direction | None = None


@dataclass(frozen=True)
class Feature:
    """One row of the table.

    Attributes
    ----------
    title
        The name of the row.
    find
        Returns how a request asks for the feature, as it is written in a message; None if it does not.
    instead
        What to ask for instead, as a sentence; "" if leaving the feature out is all.
    """

    title: str
    find: Callable[[Use], str | None]
    instead: str = ""


def _field(name: str, title: str, default: Any) -> Feature:
    """Return the feature of a field of `Settings` that differs from its default."""

    def find(use: Use) -> str | None:
        value = getattr(use.settings, name, default)  # some are settings of pairs alone
        return None if value == default else option(name, value)

    return Feature(title, find)


def _columns() -> dict[str, Feature]:
    """Return a feature per column that a graph may carry; numbers are asked for by their bins, too."""

    def feature_of(name: str, bins: str | None) -> Feature:
        def find(use: Use) -> str | None:
            asked = None if bins is None else getattr(use.settings, bins)
            if name in use.columns:
                return option(name)
            return None if bins is None or asked is None else option(bins, asked)

        return Feature(f"`{name}`" if bins is None else f"`{name}` in bins", find)

    return {name: feature_of(name, role.bins) for name, role in ROLES.items()}


def _quantiles(use: Use) -> str | None:
    """Return the bins of numbers of edges that are quantiles of the data."""
    for name in BinOptions.__annotations__:
        if isinstance(bins := getattr(use.settings, name), int):
            return option(name, bins)
    return None


def _degrees(*kinds: str) -> Callable[[Use], str | None]:
    def find(use: Use) -> str | None:
        return option("degrees", use.settings.degrees) if use.settings.degrees in kinds else None

    return find


def _count(kind: str) -> Callable[[Use], str | None]:
    return lambda use: option("count", kind) if use.settings.count == kind else None


def _bins(kind: str) -> Callable[[Use], str | None]:
    def find(use: Use) -> str | None:
        return option("degree_bins", kind) if use.settings.degree_bins == kind else None

    return find


def _directed_cap(use: Use) -> str | None:
    cap, directed = use.settings.cap, use.directed
    return (
        None
        if cap is None or directed is None
        else f"{option('cap', cap)} with {option('directed', directed)}"
    )


#: The rows of the table, by name.
FEATURES: dict[str, Feature] = {
    "degrees": Feature('`degrees="layered"` and `"full"`', _degrees("layered", "full")),
    "in_out": Feature('`degrees="in_out"`', _degrees("in_out")),
    "directed": Feature(
        "directed graphs", lambda use: None if use.directed is None else option("directed", use.directed)
    ),
    **_columns(),
    "quantiles": Feature(
        "numbers of edges in quantiles",
        _quantiles,
        f"Give limits, as in {option('weight_bins', [10, 100])}: quantiles of all events would use future events.",
    ),
    "degree_bins": Feature('`degree_bins="log"`', _bins("log")),
    "quantile_bins": Feature('`degree_bins="quantile"`', _bins("quantile")),
    "max_degree": _field("max_degree", "`max_degree`", None),
    "frontier_edges": _field("frontier_edges", "`frontier_edges=False`", True),
    "cap": _field("cap", "`cap`", None),
    "directed_cap": Feature("`cap` of directed graphs", _directed_cap),
    "layout": _field("layout", '`layout="paper"`', "observed"),
    "common": _field("common", "`common`", False),
    "rooted": _field("rooted", "`rooted`", "node"),
    "count_edges": Feature('`count="edges"`', _count("edges")),
    "count_events": Feature('`count="events"`', _count("events")),
    "ends_distance": _field("ends_distance", "`ends_distance`", None),
}


@dataclass(frozen=True)
class Engine:
    """One column of the table.

    Attributes
    ----------
    title
        The name of the column.
    subject
        The engine in messages, with its verb: "a store does".
    unsupported
        The features that it does not support.
    way_out
        What to do instead of leaving the feature out, as the end of a message; "" if there is nothing else.
    """

    title: str
    subject: str
    unsupported: frozenset[str]
    way_out: str = ""


_AS_OF = in_python("TemporalEncoder", "egonet temporal")
_NESTED = ("common", "rooted", "count_edges")
_TYPES = tuple(EDGE_ROLES)
#: The columns of the table, by name.
ENGINES: dict[EngineName, Engine] = {
    "nodes": Engine(
        "nodes", "encode does", frozenset(("ends_distance", "count_events")), f", or use {_AS_OF}"
    ),
    "cuda": Engine(
        "nodes, CUDA",
        "a GPU does",
        frozenset(("in_out", *_NESTED, "count_events", "ends_distance")),
        f", or leave {option('device', 'cuda')} out",
    ),
    "pairs": Engine(
        "pairs, edges",
        in_python("encode_pairs", "egonet pairs") + " does",
        frozenset(
            ("quantile_bins", "frontier_edges", "cap", "directed_cap", "layout", "count_events", *_NESTED)
        ),
    ),
    "as_of": Engine(
        "as of a time",
        "features as of a time do",
        frozenset(("quantile_bins", "quantiles", "cap", "directed_cap", "layout", *_NESTED, "ends_distance")),
        ", or use " + in_python("encode", "egonet encode"),
    ),
    "stream": Engine(
        "streams",
        "a stream does",
        frozenset(
            (
                "quantile_bins",
                "quantiles",
                "labels",
                "cap",
                "directed_cap",
                "layout",
                *_NESTED,
                "ends_distance",
            )
        ),
        f", or use {_AS_OF}",
    ),
    "store": Engine(
        "stores",
        "a store does",
        frozenset(("quantile_bins", "in_out", "directed_cap", *_NESTED, "count_events", "ends_distance")),
        ", or use " + in_python("encode in memory", "--output with a file"),
    ),
    "spark": Engine(
        "Spark",
        "Spark does",
        frozenset(
            (
                "quantile_bins",
                "quantiles",
                "in_out",
                "directed_cap",
                "labels",
                *_TYPES,
                *_NESTED,
                "count_events",
                "ends_distance",
            )
        ),
        ", or use " + in_python("encode in memory", "--output with a file"),
    ),
    "wl": Engine(
        "wl_colors", "wl_colors does", frozenset(set(FEATURES) - {"directed", "labels", *_TYPES, "quantiles"})
    ),
    "explorer": Engine(
        "explorer",
        "the explorer does",
        frozenset(
            ("quantile_bins", "cap", "directed_cap", "layout", "count_edges", "count_events", "ends_distance")
        ),
    ),
}


def check_support(
    engine: EngineName,
    settings: Settings,
    graph: Graph | None = None,
    *,
    columns: Collection[str] = (),
    directed: Direction | None = None,
) -> None:
    """Raise if an engine does not support settings, or what a graph carries.

    `columns` and `directed` are for data that is not a `Graph`.

    >>> check_support("store", Settings(1, degrees="full"))
    >>> check_support("store", Settings(1, degrees="in_out"))
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: a store does not support degrees="in_out". Leave it out, or use encode in memory.
    """
    column = ENGINES[engine]
    if graph is not None:
        columns, directed = {*graph.node_columns, *graph.edge_columns, *columns}, graph.directed
    use = Use(settings, frozenset(columns), directed)
    for name, feature in FEATURES.items():
        asked = feature.find(use) if name in column.unsupported else None
        if asked is not None:
            way_out = feature.instead or f"Leave it out{column.way_out}."
            raise InputError(f"{column.subject} not support {asked}. {way_out}")


def support_matrix() -> str:
    """Return the table as Markdown, a row per feature and a column per engine.

    >>> print(support_matrix().splitlines()[0])
    | | nodes | nodes, CUDA | pairs, edges | as of a time | streams | stores | Spark | wl_colors | explorer |
    """
    engines = list(ENGINES.values())
    lines = [
        "| | " + " | ".join(engine.title for engine in engines) + " |",
        "|---" * (len(engines) + 1) + "|",
    ]
    for name, feature in FEATURES.items():
        cells = ("–" if name in engine.unsupported else "yes" for engine in engines)
        lines.append(f"| {feature.title} | {' | '.join(cells)} |")
    return "\n".join(lines)
