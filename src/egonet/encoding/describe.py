"""Columns as text: "distance 1, degree 4 to 7, label C"."""

from egonet.encoding.histogram_columns import histogram_text
from egonet.encoding.labels import label_name
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import Vocabulary, degree_name


def column_texts(vocabulary: Vocabulary) -> list[str]:
    """Return every column as text; the radius is named if there are several.

    Examples
    --------
    >>> import egonet
    >>> column_texts(egonet.encode([("a", "b"), ("b", "c")], radius=1).vocabulary)
    ['distance 0, degree 1', 'distance 0, degree 2', 'distance 1, degree 1']
    >>> column_texts(egonet.encode([("a", "b")], radius=(0, 1), labels=["C", "N"]).vocabulary)[-1]
    'radius 1, distance 1, degree 1, label N'
    """
    settings = vocabulary.settings
    several = len(settings.radius) > 1
    texts = []
    for radius, distance, *fields in vocabulary.keys.tolist():
        start = [f"radius {radius}"] if several else []
        texts.append(", ".join([*start, f"distance {distance}", fields_text(fields, settings)]))
    nested = range(len(texts), len(vocabulary))
    return texts + [histogram_text(vocabulary.column(index), settings) for index in nested]


def fields_text(fields: list[int], settings: Settings) -> str:
    """Return what follows the distance in a key: "degree 4", "closer 1, same 0, farther 2", with the label.

    Examples
    --------
    >>> fields_text([1, 2], Settings((1,), degrees="layered"))
    'same 1, farther 2'
    >>> fields_text([4], Settings((1,), degree_bins="log")), fields_text([9], Settings((1,), max_degree=9))
    ('degree 4 to 7', 'degree 9 or more')
    """
    parts = []
    for name, value in zip(settings.field_names[1:], fields, strict=True):
        if name == "label":
            parts.append(
                f"label {label_name(settings.labels[value] if settings.labels is not None else value)}"
            )
        else:
            number = degree_name(value, settings).replace("to", " to ").replace("plus", " or more")
            parts.append(f"degree {number}" if name == "deg" else f"{name} {number}")
    return ", ".join(parts)


def nodes(number: int) -> str:
    """Return a number of nodes as text.

    Examples
    --------
    >>> nodes(1), nodes(1200)
    ('1 node', '1,200 nodes')
    """
    return "1 node" if number == 1 else f"{number:,} nodes"
