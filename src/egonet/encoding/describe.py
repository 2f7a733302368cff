"""Columns in words: "distance 1, degree 4 to 7, label C"."""

from egonet.encoding.histogram_columns import histogram_words
from egonet.encoding.labels import label_name
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import Vocabulary, degree_name


def column_words(vocabulary: Vocabulary) -> list[str]:
    """Return every column in words; the radius is named if there are several.

    Examples
    --------
    >>> import egonet
    >>> column_words(egonet.encode([("a", "b"), ("b", "c")], radius=1).vocabulary)
    ['distance 0, degree 1', 'distance 0, degree 2', 'distance 1, degree 1']
    >>> column_words(egonet.encode([("a", "b")], radius=(0, 1), labels=["C", "N"]).vocabulary)[-1]
    'radius 1, distance 1, degree 1, label N'
    """
    settings = vocabulary.settings
    several = len(settings.radius) > 1
    words = []
    for radius, distance, *fields in vocabulary.keys.tolist():
        start = [f"radius {radius}"] if several else []
        words.append(", ".join([*start, f"distance {distance}", fields_words(fields, settings)]))
    nested = range(len(words), len(vocabulary))
    return words + [histogram_words(vocabulary.column(index), settings) for index in nested]


def fields_words(fields: list[int], settings: Settings) -> str:
    """Return what follows the distance in a key: "degree 4", "closer 1, same 0, farther 2", with the label.

    Examples
    --------
    >>> fields_words([1, 2], Settings((1,), degrees="layered"))
    'same 1, farther 2'
    >>> fields_words([4], Settings((1,), degree_bins="log")), fields_words([9], Settings((1,), max_degree=9))
    ('degree 4 to 7', 'degree 9 or more')
    """
    said = []
    for name, value in zip(settings.field_names[1:], fields, strict=True):
        if name == "label":
            said.append(
                f"label {label_name(settings.labels[value] if settings.labels is not None else value)}"
            )
        else:
            number = degree_name(value, settings).replace("to", " to ").replace("plus", " or more")
            said.append(f"degree {number}" if name == "deg" else f"{name} {number}")
    return ", ".join(said)


def nodes(number: int) -> str:
    """Return a number of nodes in words.

    Examples
    --------
    >>> nodes(1), nodes(1200)
    ('1 node', '1,200 nodes')
    """
    return "1 node" if number == 1 else f"{number:,} nodes"
