"""A Sphinx extension: attributes in the docstring of a class become entries of the reference, with a link each."""

from functools import cached_property
from typing import Any

SECTION = "Attributes"


def split_attributes(lines: list[str]) -> tuple[list[str], list[tuple[list[str], list[str]]]]:
    """Return a numpydoc docstring without its attributes, and these as (names, description).

    >>> split_attributes(["A class.", "", "Attributes", "----------", "a, b", "    Two.", "", "Notes", "-----"])
    (['A class.', '', 'Notes', '-----'], [(['a', 'b'], ['    Two.'])])
    """
    start = next(
        (row for row, line in enumerate(lines[:-1]) if line == SECTION and lines[row + 1][:3] == "---"), None
    )
    if start is None:
        return lines, []
    rows = range(start + 2, len(lines) - 1)
    end = next((row for row in rows if lines[row][:1].strip() and lines[row + 1][:3] == "---"), len(lines))
    entries: list[tuple[list[str], list[str]]] = []
    for line in lines[start + 2 : end]:
        if line[:1].strip():
            names = line.partition(" : ")[0].split(",")
            entries.append(([name.strip() for name in names], []))
        elif entries:
            entries[-1][1].append(line)
    for _, text in entries:
        while text and not text[-1].strip():
            text.pop()
    return lines[:start] + lines[end:], entries


def take_attributes(app: Any, what: str, name: str, thing: Any, _: Any, lines: list[str]) -> None:
    """Take the attributes out of a class docstring before numpydoc reads it."""
    if what == "class":
        lines[:], entries = split_attributes(lines)
        named = [([each for each in names if not is_code(thing, each)], text) for names, text in entries]
        app.env.egonet_attributes[name] = [(names, text) for names, text in named if names]


def is_code(thing: Any, name: str) -> bool:
    """Return whether a class has a property or method of this name: it has an entry with its own docstring."""
    value = next((vars(kind)[name] for kind in thing.__mro__ if name in vars(kind)), None)
    return isinstance(value, property | cached_property) or callable(value)


def give_attributes(app: Any, what: str, name: str, _: Any, __: Any, lines: list[str]) -> None:
    """Append the attributes as directives after numpydoc has read the rest."""
    for names, text in app.env.egonet_attributes.pop(name, []) if what == "class" else []:
        first, *others = names
        lines += [
            "",
            f".. attribute:: {first}",
            *(f"               {other}" for other in others),
            "",
            *text,
            "",
        ]


def setup(app: Any) -> dict[str, bool]:
    """Run before and after numpydoc, whose priority is 500."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("builder-inited", lambda app: setattr(app.env, "egonet_attributes", {}))
    app.connect("autodoc-process-docstring", take_attributes, priority=400)
    app.connect("autodoc-process-docstring", give_attributes, priority=600)
    return {"parallel_read_safe": False}
