"""The options of reading a graph: their checks, the choice of two columns, and warnings about unused input."""

import re
import sys
import warnings
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, TypedDict

from egonet.checks import as_argument, as_flag
from egonet.errors import (
    IgnoredInputWarning,
    InputError,
    OptionError,
    did_you_mean,
    in_python,
    option,
    show_value,
)
from egonet.graph.graph import Graph, GraphInfo
from egonet.graph.index import is_missing
from egonet.typing import Directed, Direction

ARCS = (
    f"Arcs are read as undirected edges. Set {option('directed', 'out')} or {option('directed', 'in')} to follow them,"
    f" {option('directed', False)} if undirected is intended."
)
WEIGHTS = (
    f"Edge weights are ignored. Count them with {option('weights')} and {option('weight_bins')}, or drop them "
    f"if this is intended, or set {option('simplify', True)}."
)
COLUMNS = (
    "Columns other than the two ends of an edge (weights, times) are ignored."
    f" Set {option('simplify', True)} if this is intended."
)
#: What `missing=` and `ids=` may be.
Missing: TypeAlias = Literal["drop"] | None
Ids: TypeAlias = Literal["text"] | None

#: Well-known names of the two columns, in lower case.
COLUMN_PAIRS = (("source", "target"), ("src", "dst"), ("from", "to"), ("u", "v"))
#: Numbered names of the two columns, in lower case. They count only if there is no pair of COLUMN_PAIRS.
NUMBERED_PAIRS = (("id_1", "id_2"), ("id1", "id2"), ("node_1", "node_2"), ("node1", "node2"))

_WORD = re.compile(r"[^\W\d]")
_WHOLE = re.compile(r"[0-9]+")


class ReadOptions(TypedDict, total=False):
    """How the graph is read: options of `as_graph` that functions which take a graph accept too."""

    directed: Directed
    source: str | int | None
    target: str | int | None
    num_nodes: int | None
    nodes: Iterable[Hashable] | None
    missing: Missing
    ids: Ids
    simplify: bool | None


@dataclass(frozen=True)
class InputOptions:
    """The options that `as_graph` and `read_graph` share.

    Attributes
    ----------
    source, target
        The two columns of a table, by name or (in a file) by position.
    num_nodes
        If given, ids are the whole numbers 0 ... num_nodes - 1.
    nodes
        If given, these ids come first, in this order.
    directed
        "out" or "in" follows arcs that way; None reads them as undirected edges.
    keep
        The edge attributes to keep in `Graph.edge_table`; None for no table.
    missing
        "drop" leaves out rows with a missing id or attribute; None raises.
    ids
        "text" reads all ids as text; None keeps their types.
    node_attribute
        The node attribute of a file that becomes the labels; None for none.
    """

    source: str | int | None = None
    target: str | int | None = None
    num_nodes: int | None = None
    nodes: Iterable[Hashable] | None = None
    directed: Direction | None = None
    keep: tuple[str, ...] | None = None
    missing: Missing = None
    ids: Ids = None
    node_attribute: str | None = None

    def __post_init__(self) -> None:
        """Check that the options do not contradict each other."""
        if self.num_nodes is not None and self.nodes is not None:
            raise InputError("give num_nodes or nodes, not both.")
        check_read_options(self.missing, self.ids)
        if self.ids is not None and self.num_nodes is not None:
            raise InputError("with num_nodes the ids are whole numbers. Leave num_nodes or ids out.")

    def allow(self, kind: str, names: tuple[str, ...] = ()) -> None:
        """Raise for an option that does not apply to this kind of input; `directed` and `keep` always apply."""
        if self.source is None and self.target is None and self.num_nodes is None and self.nodes is None:
            return
        allowed = (*names, "directed", "keep", "missing", "ids", "node_attribute")
        reject_unused(kind, {name: value for name, value in vars(self).items() if name not in allowed})


def check_read_options(missing: Any, ids: Any) -> None:
    """Raise if `missing` or `ids` is neither None nor what it may be.

    >>> check_read_options("drop", "number")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: ids must be None or "text", got 'number'.
    """
    for name, value, word in (("missing", missing, "drop"), ("ids", ids, "text")):
        if value is not None and not (isinstance(value, str) and value == word):
            raise InputError(f'{name} must be None or "{word}", got {show_value(value)}.')


def check_simplify(simplify: Any) -> bool | None:
    """Return the option `simplify`; raise unless it is True, False or None.

    >>> check_simplify("yes")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: simplify must be True or False, got 'yes'.
    """
    return None if simplify is None else as_flag("simplify", simplify)


#: Kinds of input whose nodes are numbers.
NUMBERED = ("a sparse matrix", "a sparse tensor", "a square matrix", "a tensor", "an edge_index")


def reject_unused(kind: str, options: dict[str, Any]) -> None:
    """Raise for the first option that is given; none of them applies to this kind of input.

    >>> reject_unused("a Graph", {"source": None, "num_nodes": 3})
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: num_nodes has no meaning for a Graph, got 3. Leave it out.
    """
    for name, value in options.items():
        if value is not None:
            got = in_python(f", got {show_value(value)}")
            way_out = "Leave it out."
            if name == "nodes" and kind in NUMBERED:
                way_out = "To name the nodes give pairs: zip(names[rows], names[columns])."
            raise InputError(f"{as_argument(name)} has no meaning for {kind}{got}. {way_out}")


def reject_unknown(function: str, names: Iterable[str], allowed: Iterable[str]) -> None:
    """Raise for the first keyword that a function does not have.

    >>> reject_unknown("read_graph", {"direct": "out"}, ["directed"])
    Traceback (most recent call last):
        ...
    egonet.errors.OptionError: read_graph has no option 'direct'. Did you mean 'directed'?
    """
    options = list(allowed)
    for name in names:
        if name not in options:
            hint = did_you_mean(name, options) or f" The options are {', '.join(options)}."
            raise OptionError(f"{function} has no option {name!r}.{hint}")


def delimiter_hint(columns: Sequence[Hashable]) -> str:
    """Return a hint for a table whose only column has another delimiter in its name, or "".

    >>> delimiter_hint(["payer;payee"])[:33], delimiter_hint(["payer", "payee"])
    (" Are its fields separated by ';'?", '')
    """
    names = str(columns[0]) if len(columns) == 1 else ""
    used = next((each for each in ";\t|" if each in names), None)
    return f" Are its fields separated by {used!r}? Read it with {option('delimiter', used)}." if used else ""


def as_direction(directed: Any) -> Direction | None:
    """Return which way arcs are followed: "out", "in", or None for undirected (given as None or False).

    >>> as_direction("out"), as_direction(False)
    ('out', None)
    """
    if directed is None or directed is False:
        return None
    directions: tuple[Direction, ...] = ("out", "in")
    if isinstance(directed, str) and directed in directions:
        return directions[directions.index(directed)]
    raise InputError(f'directed must be None, False, "out" or "in", got {show_value(directed)}.')


def reject_arcs(was: Direction | None) -> None:
    """Raise if a graph was read with arcs, where undirected edges are asked for."""
    if was is not None:
        raise InputError(
            f"the graph was read as {option('directed', was)}, got {option('directed', False)}. Give "
            f"{option('directed')} where it is read."
        )


def choose_columns(
    columns: list[Any], source: Any, target: Any, *, only_two: bool = False
) -> tuple[Any, Any]:
    """Return the names of the two columns to read: the given ones, or a pair of well-known names.

    With `only_two`, two columns of any name are accepted if there are no others. So are unnamed columns (0 and 1).

    >>> choose_columns(["when", "src", "dst"], None, None)
    ('src', 'dst')
    >>> choose_columns(["sender", "target"], "sendr", "target")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: there is no column 'sendr'. Did you mean 'sender'? The columns are ...
    """
    reject_one_end(source, target)
    if source is not None:
        ends = require_column(columns, source), require_column(columns, target)
        reject_same(*ends)
        return ends
    pairs = known_pairs(columns, numbered=True)
    if len(pairs) == 1:
        lowered = [str(name).strip().lower() for name in columns]
        source, target = (columns[lowered.index(require_single(lowered, name))] for name in pairs[0])
        return source, target
    for name in columns[:2]:
        require_single(columns, name)
    if len(columns) == 2 and (only_two or columns == [0, 1]):
        return columns[0], columns[1]
    raise InputError(
        f"which two columns have the node ids? Set {option('source')} and {option('target')}; the columns are "
        f"{list_columns(columns)}."
    )


def require_column(columns: list[Any], name: Any, keyword: str | None = None) -> Any:
    """Return a column's name; raise if no column has it, or several do. `keyword` is an option that sets another name.

    >>> require_column(["payer", "amount"], "amout", "amount")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: there is no column 'amout'. Did you mean 'amount'? Set amount=; the columns are 'payer', \
'amount'.
    """
    if not isinstance(name, Hashable) or is_missing(name):
        what = "a column" if keyword is None else option(keyword)
        raise InputError(f"{what} must be given by its name, got {show_value(name)}.")
    if name not in columns:
        the = "The" if keyword is None else f"Set {option(keyword)}; the"
        raise InputError(
            f"there is no column {show_value(name)}.{did_you_mean(name, columns)} {the} columns are "
            f"{list_columns(columns)}.{delimiter_hint(columns)}"
        )
    return require_single(columns, name)


def list_columns(columns: list[Any]) -> str:
    """Return the first twenty column names for a message."""
    return ", ".join(map(show_value, columns[:20])) + (", ..." if len(columns) > 20 else "") or "none"


def reject_one_end(source: Any, target: Any) -> None:
    """Raise if the column of one end of every edge is named, and that of the other is not."""
    if (source is None) != (target is None):
        raise InputError(f"give both {option('source')} and {option('target')}, or neither.")


def reject_same(source: Any, target: Any) -> None:
    """Raise if both ends of every edge would come from one column."""
    if source is not None and source == target:
        raise InputError(
            f"the two ends must be two columns, got {option('source', source)} and {option('target', target)}."
        )


def named_ends(columns: list[str], *ends: str | int | None) -> list[str | int | None]:
    """Return columns given by name or by position as names.

    >>> named_ends(["when", "payer", "payee"], 1, "payee")
    ['payer', 'payee']
    """
    named: list[str | int | None] = []
    for end in ends:
        if not isinstance(end, int) or isinstance(end, bool):
            named.append(end)
            continue
        if not 0 <= end < len(columns):
            raise InputError(f"a column position must be from 0 to {len(columns) - 1}, got {end}.")
        if str(end + 1) in columns and columns[end] != str(end + 1):  # the command line counts columns from 1
            raise InputError(f"{end + 1} may be a column's name or its position. Rename the column.")
        named.append(columns[end])
    return named


def known_pairs(columns: list[Any], *, numbered: bool = False) -> list[tuple[str, str]]:
    """Return the pairs of well-known names among some column names.

    `numbered` adds pairs that count only in names of columns: in the first row of a text, node1 and node2 may be ids.

    >>> known_pairs(["When", "From", "To"]), known_pairs(["id_1", "id_2"])
    ([('from', 'to')], [])
    >>> known_pairs(["id_1", "id_2"], numbered=True), known_pairs(["u", "v", "id_1", "id_2"], numbered=True)
    ([('id_1', 'id_2')], [('u', 'v')])
    """
    lowered = {str(name).strip().lower() for name in columns}
    named = [(a, b) for a, b in COLUMN_PAIRS if a in lowered and b in lowered]
    return named or [(a, b) for a, b in NUMBERED_PAIRS if numbered and a in lowered and b in lowered]


def could_be_header(first: list[str], below: set[str]) -> bool:
    """Return whether a row of unknown names may be a header: they are not ids of the rows below and look different.

    Names without digits may always be a header. Names with digits look like ids if an id below has the same shape.

    >>> could_be_header(["payer", "payee"], {"c17", "c20"}), could_be_header(["c4", "c9"], {"c17", "c20"})
    (True, False)
    >>> could_be_header(["ann", "bob"], {"bob", "cid"})
    False
    """
    if not below or not below.isdisjoint(first) or any(is_number(value) for value in first):
        return False
    if all(map(_WHOLE.fullmatch, below)):
        return True
    if not all(map(_WORD.match, first)):
        return False
    plain = not any(map(str.isdigit, "".join(first)))
    return plain or set(map(shape, first)).isdisjoint(map(shape, below))


def has_attributes(first: list[str]) -> bool:
    """Return whether a row is an edge as networkx writes it: two ids and a dictionary.

    >>> has_attributes(["0", "1", "{'weight':", "3}"])
    True
    """
    return len(first) > 2 and first[2].startswith("{")


def is_number(text: str) -> bool:
    """Return whether a field is a number or empty, and so cannot be a column name."""
    try:
        float(text)
    except ValueError:
        return text == ""
    return True


def shape(text: str) -> str:
    """Return a text with every run of letters replaced by "a" and every run of digits by "0".

    >>> shape("acct_17"), shape("B3")
    ('a_0', 'a0')
    """
    return re.sub(r"[0-9]+", "0", re.sub(r"[^\W\d_]+", "a", text))


def require_single(names: list[Any], name: Any) -> Any:
    """Return a column's name; raise if several columns have it.

    >>> require_single(["u", "v", "u"], "u")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: 2 columns are named 'u'. Rename all but one.
    """
    if names.count(name) > 1:
        raise InputError(f"{names.count(name)} columns are named {show_value(name)}. Rename all but one.")
    return name


def note_attributes(graph: Graph, attributes: Collection[str], keep: Collection[str] | None) -> Graph:
    """Return a graph whose `info` says whether an attribute of edges that is not kept says more than the edges.

    That is one called weight, or any if edges that may differ in it were merged or dropped.

    >>> note_attributes(Graph.from_edges([(0, 1), (1, 0)]), ["amount"], None).info.weights_ignored
    True
    >>> note_attributes(Graph.from_edges([(0, 1)]), ["amount"], None).info.weights_ignored
    False
    """
    unused = [name for name in attributes if name not in (keep or ())]
    changed = graph.info.loops_dropped + graph.info.duplicates_merged > 0
    if not any(changed or str(name).lower() == "weight" for name in unused):
        return graph
    info = replace(graph.info, weights_ignored=True)
    return Graph.from_checked(graph.indptr, graph.indices, graph.nodes, graph.directed, info)


def warn_ignored(
    info: GraphInfo,
    *,
    directed: Any,
    source: Any = None,
    simplify: bool | None = None,
    is_table: bool = False,
) -> None:
    """Warn once about what is not used, dropped or merged, with counts, unless an option says that it is intended.

    `directed` is about arcs, `simplify` about everything else. Who names the two columns (`source`) does not use the
    others; that edges which may differ in them are merged is still said. Loops and repeats of edges that have nothing
    else are merged without a word.

    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_ignored(GraphInfo(read_as_undirected=True), directed=None)
    ...     warn_ignored(GraphInfo(read_as_undirected=True), directed=False)
    ...     warn_ignored(GraphInfo(2, 1, weights_ignored=True), directed=None, source="u", is_table=True)
    >>> [str(warning.message)[:39] for warning in caught]
    ['Arcs are read as undirected edges. Set ', '2 self-loops dropped, 1 repeated edge m']
    """
    sentences = [ARCS] if info.read_as_undirected and directed is None else []
    if info.weights_ignored and not simplify:
        counts = (
            ("self-loop", "dropped", info.loops_dropped),
            ("repeated edge", "merged", info.duplicates_merged),
        )
        changes = [f"{count:,} {noun}{'s' * (count > 1)} {verb}" for noun, verb, count in counts if count]
        sentences += [f"{', '.join(changes)}."] if changes else []
        if changes or source is None:
            sentences.append(COLUMNS if is_table else WEIGHTS)
    if info.missing_dropped:
        sentences.append(_describe_dropped(info.missing_dropped))
    if sentences:
        warn(" ".join(sentences))


def warn_dropped(count: int) -> None:
    """Warn that rows with a missing value are left out, at the line outside egonet that made the call."""
    warn(_describe_dropped(count))


def _describe_dropped(count: int) -> str:
    return f"{count:,} {'row' if count == 1 else 'rows'} with a missing value {'is' if count == 1 else 'are'} left out."


#: Packages that call egonet for a user: pipelines and transforms. A warning names the line that called them.
_CALLERS = frozenset({"egonet", "sklearn", "joblib", "torch_geometric"})


def warn(sentence: str, category: type[Warning] = IgnoredInputWarning) -> None:
    """Warn at the line that made the call, outside egonet and the frameworks that call it."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _CALLERS:
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, category, stacklevel=level)


def reading_of(directed: Directed, degrees: Any) -> Directed:
    """Return how arcs are read: as `directed` says, and always with their direction if degrees are "in_out".

    >>> reading_of(None, "in_out"), reading_of(None, "total")
    ('out', None)
    """
    as_direction(directed)
    keeps_arcs = isinstance(degrees, str) and degrees == "in_out"
    if keeps_arcs and directed is False:
        raise InputError(f"{option('degrees', 'in_out')} counts arcs. Leave {option('directed', False)} out.")
    return "out" if keeps_arcs and directed is None else directed
