"""Columns as text: degrees, labels and edge types as they appear in names and explanations."""

from collections.abc import Hashable
from typing import TYPE_CHECKING

from egonet.encoding.histogram_columns import histogram_text
from egonet.encoding.labels import label_name
from egonet.encoding.settings import Settings

if TYPE_CHECKING:
    from egonet.encoding.vocabulary import Vocabulary

_HOPS = ("own", "neighbors", "nodes two hops away", "nodes three hops away")


def degree_name(value: int, settings: Settings) -> str:
    """Return a degree as it appears in a column name: "4", "4to7" if binned, "10plus" at the limit.

    >>> degree_name(4, Settings((1,))), degree_name(4, Settings((1,), degree_bins="log"))
    ('4', '4to7')
    >>> degree_name(10, Settings((1,), max_degree=10))
    '10plus'
    """
    last = 2 * value - 1 if settings.degree_bins == "log" and value > 1 else value
    if settings.max_degree is not None and last >= settings.max_degree:
        return f"{value}plus"
    return f"{value}" if last == value else f"{value}to{last}"


def label_of(settings: Settings, distance: int, number: int) -> Hashable | None:
    """Return the name of a label, or its number if the vocabulary has no name for it.

    With edge types a node at an odd distance is an edge. None for nodes without labels.

    >>> settings = Settings(1, edge_labels=("double", "single"))
    >>> label_of(settings, 1, 0), label_of(settings, 2, 0)
    ('double', None)
    """
    is_edge = settings.edge_labels is not None and distance % 2 == 1
    names = settings.edge_labels if is_edge else settings.labels
    if names is None:
        return None
    return names[number] if number < len(names) else number


def column_texts(vocabulary: "Vocabulary") -> list[str]:
    """Return every column as text; the radius is named if there are several.

    >>> import egonet
    >>> column_texts(egonet.encode([("a", "b"), ("b", "c")], radius=1).vocabulary)
    ['distance 0, degree 1', 'distance 0, degree 2', 'distance 1, degree 1']
    >>> column_texts(egonet.encode([("a", "b")], radius=(0, 1), labels=["C", "N"]).vocabulary)[-1]
    'radius 1, distance 1, degree 1, label N'
    """
    settings = vocabulary.settings
    several = len(settings.radius) > 1
    texts = []
    for radius, *key in vocabulary.keys.tolist():
        distances, fields = key[: settings.num_distances], key[settings.num_distances :]
        start = [f"radius {radius}"] if several else []
        where = f"distance {key[0]}" if len(distances) == 1 else f"distances {key[0]} and {key[1]}"
        texts.append(", ".join([*start, where, fields_text(fields, settings, min(distances))]))
    nested = range(len(texts), len(vocabulary))
    return texts + [histogram_text(vocabulary.column(index), settings) for index in nested]


def who_text(distances: list[int], settings: Settings, radius: int) -> str:
    """Return a description of the nodes at a distance from the root, or at two distances from the ends of a pair.

    With edge types distances count half steps, and an odd distance is that of an edge.

    >>> [who_text([distance], Settings(2), 2) for distance in (0, 1, 2)]
    ['own', 'neighbors', 'nodes two hops away']
    >>> who_text([2], Settings(1, edge_labels=("x",)), 1), who_text([1], Settings(1, edge_labels=("x",)), 1)
    ('neighbors', 'own edges')
    >>> who_text([1, 2], Settings(1), 1), who_text([1, 1], Settings(1), 1)
    ('neighbors of one end (more than 1 hops from the other)', 'common neighbors')
    """
    steps, nearest = settings.steps, min(distances)
    is_edge = nearest % steps == 1
    if len(distances) == 1:
        hops = nearest // steps
        if is_edge:
            return (
                "own edges" if hops == 0 else "edges of neighbors" if hops == 1 else f"edges {hops} hops away"
            )
        return _HOPS[hops] if hops < len(_HOPS) else f"nodes {hops} hops away"
    if not is_edge and distances == [steps, steps]:
        return "common neighbors"
    hops, farther = nearest // steps, max(distances)
    other = f"more than {radius}" if farther > radius * steps else f"{farther // steps}"
    if nearest == 0:
        return f"ends of the pair ({other} hops apart)"
    near = {True: f"edges {hops} hops from one end", False: f"nodes {hops} hops from one end"}[is_edge]
    if hops == (0 if is_edge else 1):
        near = "edges of one end" if is_edge else "neighbors of one end"
    return f"{near} ({other} hops from the other)"


def fields_text(fields: list[int], settings: Settings, distance: int = 0) -> str:
    """Return what follows the distances in a key: "degree 4", "closer 1, same 0, farther 2", with the label.

    With edge types, a key at an odd distance is of an edge: its text begins with the type.

    >>> fields_text([1, 2], Settings((1,), degrees="layered"))
    'same 1, farther 2'
    >>> fields_text([4], Settings((1,), degree_bins="log")), fields_text([9], Settings((1,), max_degree=9))
    ('degree 4 to 7', 'degree 9 or more')
    """
    parts: list[str] = []
    for name, value in zip(settings.field_names[settings.num_distances :], fields, strict=True):
        if name == "label":
            label = label_of(settings, distance, value)
            is_edge = settings.edge_labels is not None and distance % 2 == 1
            if label is not None:
                parts.insert(
                    0 if is_edge else len(parts), f"{'edge' if is_edge else 'label'} {label_name(label)}"
                )
        else:
            number = degree_name(value, settings).replace("to", " to ").replace("plus", " or more")
            parts.append(f"degree {number}" if name == "deg" else f"{name} {number}")
    return ", ".join(parts)
