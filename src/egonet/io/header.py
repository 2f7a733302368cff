"""The first row of an edge list in text: column names or an edge. A row that may be either is an error."""

import re
from typing import Any

from egonet.errors import FileError, InputError
from egonet.graph.dataframes import choose_columns, known_pairs, listing, refuse_same
from egonet.graph.ids import show

_WORD = re.compile(r"[^\W\d]")
_WHOLE = re.compile(r"[0-9]+")


def find_columns(
    name: str, rows: list[list[str]], ends: tuple[Any, Any], header: bool | None
) -> tuple[int, int, int]:
    """Return the positions of the two columns, and 1 if the first row is a header, else 0.

    Examples
    --------
    >>> find_columns("a.csv", [["when", "src", "dst"], ["9", "ann", "bob"]], (None, None), None)
    (1, 2, 1)
    >>> find_columns("a.txt", [["1", "2"], ["2", "3"]], (None, None), None)
    (0, 1, 0)
    """
    if (ends[0] is None) != (ends[1] is None):
        raise InputError("give both source and target, or neither.")
    if header not in (None, True, False):
        raise InputError(f"header must be True, False or None, got {show(header)}.")
    refuse_same(*ends)
    if any(isinstance(end, str) for end in ends):
        return by_name(name, rows, ends, header)
    first = rows[0] if rows else []
    if ends != (None, None):
        source, target = as_positions(*ends)
    elif len(first) < 2:
        return 0, 1, 0  # the parser says which line has too few fields
    elif header or (header is None and known_pairs(first)):
        source, target = in_header(name, first, ends)
    elif len(first) > 2 and not has_attributes(first):
        raise FileError(
            f"{name}: which columns hold the edges? Say source= and target=; the columns are {listing(first)}."
            " By position the first two are source=0, target=1."
        )
    else:
        source, target = 0, 1
    if header is None and max(source, target) < len(first):
        header = is_header(name, rows, (source, target))
    return source, target, int(bool(header))


def has_attributes(first: list[str]) -> bool:
    """Return whether a row is an edge as networkx writes it: two ids and a dictionary.

    Examples
    --------
    >>> has_attributes(["0", "1", "{'weight':", "3}"])
    True
    """
    return len(first) > 2 and first[2].startswith("{")


def by_name(
    name: str, rows: list[list[str]], ends: tuple[Any, Any], header: bool | None
) -> tuple[int, int, int]:
    """Return the positions of columns given by name, which must be in the first row."""
    if header is False:
        raise InputError(
            "source and target are names, so header must not be False. Give positions: source=0."
        )
    if not all(isinstance(end, str) for end in ends):
        raise InputError(f"source and target must both be column names or both be positions, got {ends}.")
    return *in_header(name, rows[0] if rows else [], ends), 1


def in_header(name: str, first: list[str], ends: tuple[Any, Any]) -> tuple[int, int]:
    """Return the positions of the two columns in a header."""
    try:
        source, target = choose_columns(first, *ends, only_two=True)
    except InputError as error:
        raise FileError(f"{name}: {error}") from error
    return first.index(source), first.index(target)


def as_positions(source: Any, target: Any) -> tuple[int, int]:
    """Return two column positions, counted from 0."""
    for position in (source, target):
        if not isinstance(position, int) or isinstance(position, bool) or position < 0:
            raise InputError(
                f"source and target must both be column names or both be positions >= 0, got {show(position)}."
            )
    return source, target


def is_header(name: str, rows: list[list[str]], ends: tuple[int, int]) -> bool:
    """Return whether the first row names columns; raise if it may also be an edge."""
    if any(len(row) <= max(ends) for row in rows):
        return False  # the parser says which line has too few fields
    first = [rows[0][end] for end in ends]
    below = {row[end] for row in rows[1:] for end in ends}
    if known_pairs(first):
        # Without rows below, with the same ids below, or with single letters below u and v, it may be an edge.
        letters = len(first[0]) == 1 and any(len(value) == 1 and value.isalpha() for value in below)
        if below and below.isdisjoint(first) and not letters:
            return True
    elif not could_be_header(first, below):
        return False
    raise FileError(
        f"{name}: the first row ({', '.join(map(show, first))}) may name columns or be an edge."
        " Say header=True or header=False."
    )


def could_be_header(first: list[str], below: set[str]) -> bool:
    """Return whether a row of unknown names may be a header: they are not ids below and look different.

    Names without digits always may. Names with digits look like ids if an id below has the same shape.

    Examples
    --------
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


def is_number(text: str) -> bool:
    """Return whether a field is a number or empty, and so cannot be a column name."""
    try:
        float(text)
    except ValueError:
        return text == ""
    return True


def shape(text: str) -> str:
    """Return a text with every run of letters replaced by "a" and every run of digits by "0".

    Examples
    --------
    >>> shape("acct_17"), shape("B3")
    ('a_0', 'a0')
    """
    return re.sub(r"[0-9]+", "0", re.sub(r"[^\W\d_]+", "a", text))
