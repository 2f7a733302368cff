"""What sets two nodes, two graphs, or the classes of a linear model apart: by column, as text."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Unpack

import numpy as np

from egonet.encoding.encode import EncodeOptions, as_vocabulary, encode
from egonet.encoding.encoding import Encoding
from egonet.encoding.labels import Labels
from egonet.encoding.settings import Radius, Settings, SettingsOptions
from egonet.encoding.vocabulary import Vocabulary, column_texts
from egonet.errors import InputError
from egonet.graph.convert import as_graph
from egonet.graph.ids import show
from egonet.typing import Floats

SHOWN = 20


@dataclass(frozen=True)
class ColumnPair:
    """One column of two encodings.

    Attributes
    ----------
    text
        The column as text.
    key
        The column itself, as in `Encoding.columns`.
    first, second
        The count on either side.
    """

    text: str
    key: tuple[Any, ...]
    first: int
    second: int


@dataclass(frozen=True)
class Difference:
    """What sets two nodes or two graphs apart; prints as text and shows as HTML in a notebook.

    Attributes
    ----------
    first, second
        What is compared, as text.
    radius
        The radius, or several.
    columns
        The columns whose counts differ, in column order: radius, distance, degree.
    num_columns
        How many columns either side has.
    remark
        For graphs: how many nodes look alike.
    """

    first: str
    second: str
    radius: int | Sequence[int]
    columns: tuple[ColumnPair, ...]
    num_columns: int
    remark: str = ""

    def __str__(self) -> str:
        """Return a line per column that differs, at most `SHOWN`."""
        who = f"{self.first} and {self.second}"
        if not self.columns:
            text = f"{who}: no column differs at radius {self.radius}"
            return f"{text}; {self.remark}" if self.remark else text
        lines = [f"{who} differ in {len(self.columns)} of {self.num_columns} columns at radius {self.radius}"]
        lines += [self.remark] if self.remark else []
        width = max(len(column.text) for column in self.columns[:SHOWN])
        digits = len(str(max(max(column.first, column.second) for column in self.columns)))
        for column in self.columns[:SHOWN]:
            ahead = self.first if column.first > column.second else self.second
            more = abs(column.first - column.second)
            counts = f"{column.first:>{digits}} | {column.second:>{digits}}"
            lines.append(f"  {column.text:<{width}}  {counts}  {ahead} has {more} more")
        if len(self.columns) > SHOWN:
            lines.append(f"  ... and {len(self.columns) - SHOWN:,} more columns")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the text for a notebook, with every id escaped."""
        return f"<pre>{escape(str(self))}</pre>"


@dataclass(frozen=True)
class ModelExplanation:
    """The strongest columns of a linear model; prints as text and shows as HTML in a notebook.

    Attributes
    ----------
    parts
        For every output of the model: what it is, and its strongest (text, weight), strongest first.
    """

    parts: tuple[tuple[str, tuple[tuple[str, float], ...]], ...]

    def __str__(self) -> str:
        """Return a line per column under the output it speaks for or against."""
        lines = []
        for title, terms in self.parts:
            lines.append(title)
            lines += [f"  {weight:+.3f}  {text}" for text, weight in terms]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the text for a notebook, with every label escaped."""
        return f"<pre>{escape(str(self))}</pre>"


def explain_difference(
    graph: Any,
    first: Hashable,
    second: Hashable,
    settings: Settings | Radius | None = None,
    *,
    labels: Labels | None = None,
    **options: Unpack[EncodeOptions],
) -> Difference:
    """Return what sets two nodes of a graph apart: every column whose counts differ.

    Parameters
    ----------
    graph
        Anything `as_graph` accepts.
    first, second
        The ids of the two nodes.
    settings, labels, **options
        As for `encode`; a column of `common` or `rooted` is what an edge or a pair looks like.

    Examples
    --------
    >>> edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
    >>> print(explain_difference(edges, "a", "c", radius=1))
    'a' and 'c' differ in 3 of 4 columns at radius 1
      distance 0, degree 2  1 | 0  'a' has 1 more
      distance 0, degree 3  0 | 1  'c' has 1 more
      distance 1, degree 1  0 | 1  'c' has 1 more
    >>> print(explain_difference(edges, "a", "b", radius=1))
    'a' and 'b': no column differs at radius 1
    >>> print(explain_difference(edges, "a", "c", radius=1, rooted="edge"))
    'a' and 'c' differ in 1 of 2 columns at radius 1
      with a neighbor: 2 nodes and 1 edges near both, 0 adjacent to both  0 | 1  'c' has 1 more
    """
    encoding = encode(graph, settings, labels=labels, roots=[first, second], **options)
    return _difference(show(first), show(second), encoding.vocabulary, encoding.matrix.toarray())


def explain_graphs(
    first: Any,
    second: Any,
    settings: Settings | Radius | None = None,
    *,
    labels: Sequence[Labels] | None = None,
    **options: Unpack[SettingsOptions],
) -> Difference:
    """Return what sets two graphs apart: every column whose total over the nodes differs.

    Totals can agree although the nodes differ; the remark says how many nodes of one graph have a
    counterpart in the other with the same encoding.

    Parameters
    ----------
    first, second
        Anything `as_graph` accepts.
    settings, **options
        As for `encode`; a column of `common` or `rooted` is what an edge or a pair looks like.
    labels
        The node labels of both graphs, as a pair.

    Examples
    --------
    >>> import egonet
    >>> print(explain_graphs(egonet.named.cycle(6), egonet.named.path(range(6)), radius=1))
    the first graph and the second graph differ in 3 of 3 columns at radius 1
    4 of 6 nodes of the first graph look like one of the second (which has 6)
      distance 0, degree 1   0 |  2  the second graph has 2 more
      distance 0, degree 2   6 |  4  the first graph has 2 more
      distance 1, degree 1  12 | 10  the first graph has 2 more

    Two graphs that plain degrees cannot tell apart, by the common neighbors of their edges:

    >>> rook, torus = egonet.named.rook_4x4(), egonet.named.shrikhande()
    >>> print(explain_graphs(rook, torus, radius=1, common=True))
    the first graph and the second graph differ in 2 of 4 columns at radius 1
    0 of 16 nodes of the first graph look like one of the second (which has 16)
      2 common neighbors: 2 with 0 links among them   0 | 96  the second graph has 96 more
      2 common neighbors: 2 with 1 links among them  96 |  0  the first graph has 96 more
    """
    both = encode([as_graph(first), as_graph(second)], settings, labels=labels, **options)
    middle = int(both.graph_ptr[1])
    totals = np.stack(
        [np.asarray(both.matrix[rows].sum(axis=0)).ravel() for rows in (slice(middle), slice(middle, None))]
    )
    remark = _alike(both, middle)
    return _difference("the first graph", "the second graph", both.vocabulary, totals, remark)


def explain_model(
    model: Any, vocabulary: Vocabulary | Encoding | None = None, *, top: int = 10
) -> ModelExplanation:
    """Return the strongest columns of a fitted linear model, as text.

    Parameters
    ----------
    model
        A fitted model with `coef_`, or a pipeline (or search) that ends in one and has an encoder of
        `egonet.sklearn` in it. Steps between that reduce columns linearly (`components_`) are undone; other
        steps must keep the columns.
    vocabulary
        The columns the model was fitted on, if the model is not a pipeline.
    top
        How many columns for each output of the model.

    Examples
    --------
    >>> import egonet
    >>> from sklearn.linear_model import LogisticRegression
    >>> encoding = egonet.encode(egonet.named.star(3), radius=1)
    >>> model = LogisticRegression().fit(encoding.matrix, ["hub", "leaf", "leaf", "leaf"])
    >>> print(explain_model(model, encoding.vocabulary, top=1))  # doctest: +ELLIPSIS
    for 'leaf' (+) or 'hub' (-)
      -0.7...  distance 1, degree 1
    """
    coefficients, texts, classes = _linear(model, as_vocabulary(vocabulary))
    if coefficients.shape[1] != len(texts):
        raise InputError(
            f"the model has {coefficients.shape[1]:,} coefficients, but there are {len(texts):,} columns. "
            "Give the vocabulary it was fitted on."
        )
    parts = []
    for number, row in enumerate(coefficients):
        strongest = np.argsort(-np.abs(row), kind="stable")[:top]
        terms = tuple((texts[column], float(row[column])) for column in strongest if row[column])
        parts.append((_title(classes, number), terms))
    return ModelExplanation(tuple(parts))


def _difference(
    first: str,
    second: str,
    vocabulary: Vocabulary,
    counts: np.ndarray[Any, Any],
    remark: str = "",
) -> Difference:
    """Return the columns in which two rows of counts differ."""
    texts, keys = column_texts(vocabulary), vocabulary.columns
    pairs = tuple(
        ColumnPair(texts[column], keys[column], int(counts[0, column]), int(counts[1, column]))
        for column in np.flatnonzero(counts[0] != counts[1]).tolist()
    )
    radii = vocabulary.settings.radius
    return Difference(first, second, radii[0] if len(radii) == 1 else radii, pairs, len(vocabulary), remark)


def _alike(both: Encoding, middle: int) -> str:
    """Return how many nodes of two graphs can be paired off with equal encodings."""
    ours, theirs = Counter(both.classes[:middle].tolist()), Counter(both.classes[middle:].tolist())
    shared = (ours & theirs).total()
    size, other = middle, len(both) - middle
    if shared == size == other:
        return "every node of one looks like one of the other"
    nodes = "node" if size == 1 else "nodes"
    return (
        f"{shared:,} of {size:,} {nodes} of the first graph look like one of the second (which has {other:,})"
    )


def _linear(model: Any, vocabulary: Vocabulary | None) -> tuple[Floats, list[str], Sequence[Any] | None]:
    """Return the coefficients on encoding columns (a row per output), the columns as text, and the classes."""
    model = getattr(model, "best_estimator_", model)
    steps = [step for _, step in model.steps] if hasattr(model, "steps") else [model]
    last = steps[-1]
    if not hasattr(last, "coef_"):
        raise InputError(f"explain_model takes a fitted linear model with coef_, got {type(last).__name__}.")
    coefficients = np.atleast_2d(np.asarray(last.coef_, dtype=np.float64))
    where = next((index for index, step in enumerate(steps) if hasattr(step, "vocabulary_")), None)
    for step in reversed(steps[0 if where is None else where + 1 : -1]):
        if hasattr(step, "components_"):
            coefficients = coefficients @ step.components_
    if vocabulary is not None:
        texts = column_texts(vocabulary)
    elif where is not None:
        texts = _encoder_texts(steps[where])
    else:
        raise InputError(
            "which columns was the model fitted on? Give vocabulary=, or a pipeline with an encoder."
        )
    return coefficients, texts, getattr(last, "classes_", None)


def _encoder_texts(encoder: Any) -> list[str]:
    """Return the columns of a fitted encoder as text; a class is the counts of its nodes."""
    columns = column_texts(encoder.vocabulary_)
    rows = getattr(encoder, "class_rows_", None)
    if rows is None or encoder.aggregate != "classes":
        return columns
    texts = []
    for row in range(rows.shape[0]):
        part = slice(rows.indptr[row], rows.indptr[row + 1])
        entries = zip(rows.indices[part].tolist(), rows.data[part].tolist(), strict=True)
        texts.append("nodes with " + "; ".join(f"{count} at {columns[column]}" for column, count in entries))
    return texts


def _title(classes: Sequence[Any] | None, number: int) -> str:
    """Return what one row of coefficients speaks for."""
    if classes is None:
        return "raises (+) or lowers (-) the prediction"
    names = [show(name) for name in np.asarray(classes).tolist()]
    if len(names) == 2:
        return f"for {names[1]} (+) or {names[0]} (-)"
    return f"for (+) or against (-) {names[number]}"
