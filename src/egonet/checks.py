"""Validation of scalars: whole numbers, numbers of threads, flags, and choices."""

from collections.abc import Iterable
from typing import Any, TypeGuard

import numpy as np

from egonet.errors import InputError, did_you_mean, in_python, show_value

#: The most threads that a call uses.
MAX_THREADS = 4096


def as_threads(threads: int | None) -> int:
    """Return a number of threads: 0 stands for one per core, and `MAX_THREADS` is the most.

    >>> as_threads(None), as_threads(2), as_threads(10**12)
    (0, 2, 4096)
    """
    if threads is None:
        return 0
    if is_whole(threads) and threads == 0:
        raise InputError(
            f"{as_argument('threads')} must be at least 1, got 0. Leave it out for one per core."
        )
    return min(as_whole("threads", threads, 1), MAX_THREADS)


def as_whole(name: str, value: Any, least: int = 0, most: int | None = None) -> int:
    """Return a whole number >= `least` and at most `most`, or raise an error that names the argument.

    >>> as_whole("dim", 2**40, most=2**31 - 1)
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: dim must be at most 2,147,483,647, got 1099511627776.
    """
    if not is_whole(value) or value < least:
        raise InputError(f"{as_argument(name)} must be a whole number >= {least}, got {show_value(value)}.")
    if most is not None and value > most:
        raise InputError(f"{as_argument(name)} must be at most {most:,}, got {show_value(value)}.")
    return int(value)


def is_whole(value: Any) -> TypeGuard[int]:
    """Return whether a value is a whole number: no boolean, and no duration, which numpy counts among the integers.

    >>> is_whole(1), is_whole(np.uint8(1)), is_whole(True), is_whole(np.timedelta64(1)), is_whole(1.0)
    (True, True, False, False, False)
    """
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)


def as_argument(name: str) -> str:
    """Return the name of an argument for a message: as it is in Python, and as an option on the command line.

    >>> from egonet.errors import render
    >>> name = as_argument("max_degree")
    >>> render(name), render(name, lambda option, value: "")
    ('max_degree', '--max-degree')
    """
    switch = f"{'-' if len(name) == 1 else '--'}{name.replace('_', '-')}"
    return in_python(name, switch) if name.isidentifier() else name


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> format_count(1, "row"), format_count(1_200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def is_iterable(value: Any) -> TypeGuard[Iterable[Any]]:
    """Return whether a value has items: no text, and no array or tensor without dimensions.

    >>> is_iterable([1]), is_iterable(range(0)), is_iterable("ab"), is_iterable(np.array(1))
    (True, True, False, False)
    """
    return (
        isinstance(value, Iterable)
        and not isinstance(value, str | bytes)
        and getattr(value, "shape", None) != ()
    )


def as_flag(name: str, value: Any) -> bool:
    """Return an option that is True or False; raise for anything else, such as "no", which Python counts as True.

    >>> as_flag("dense", False)
    False
    >>> as_flag("dense", "no")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: dense must be True or False, got 'no'.
    """
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be True or False, got {show_value(value)}.")
    return bool(value)


def one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raise if a value is not allowed, with the nearest one that is."""
    if isinstance(value, str) and value in allowed:
        return
    hint = did_you_mean(value, allowed)
    raise InputError(
        f"{as_argument(name)} must be one of {', '.join(map(repr, allowed))}, got {show_value(value)}.{hint}"
    )


def names_of(name: str, value: Any, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """Return one name, or several, as a tuple; raise if one of them is not allowed.

    >>> names_of("groups", "pairs", ("pairs", "walks")), names_of("groups", ["walks"], ("pairs", "walks"))
    (('pairs',), ('walks',))
    >>> names_of("groups", 7, ("pairs", "walks"))
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: groups must be one of 'pairs', 'walks', or several, got 7.
    """
    if isinstance(value, str):
        value = (value,)
    if not is_iterable(value):
        raise InputError(
            f"{as_argument(name)} must be one of {', '.join(map(repr, allowed))}, or several, got {show_value(value)}."
        )
    names = tuple(value)
    for each in names:
        one_of(name, each, allowed)
    return names
