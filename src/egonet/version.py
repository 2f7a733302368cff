"""The version of the package, and what it says about files of other versions."""

import re

__version__ = "0.1.0"


def other_format(format_read: object, expected: str) -> str:
    """Return why a file in the format `format_read` cannot be read by a version that reads `expected`.

    Formats are named "egonet encoding 3": what it is, and a number that increases.

    >>> other_format("egonet encoding 9", "egonet encoding 3")
    "has the format 'egonet encoding 9' of a newer egonet than 0.1.0, which reads 'egonet encoding 3'. Update egonet."
    >>> other_format("egonet encoding 1", "egonet encoding 3")
    "has the format 'egonet encoding 1' of an earlier development version. Encode again."
    >>> other_format("something", "egonet encoding 3")
    "has the format 'something', not 'egonet encoding 3'."
    """
    kind, _, number = expected.rpartition(" ")
    same = (
        re.fullmatch(re.escape(kind) + r" ([0-9]{1,9})", format_read)
        if isinstance(format_read, str)
        else None
    )
    if same is None:
        shown = repr(format_read)
        return f"has the format {shown if len(shown) <= 60 else shown[:57] + '...'}, not {expected!r}."
    if int(same[1]) > int(number):
        newer = f"of a newer egonet than {__version__}, which reads {expected!r}"
        return f"has the format {format_read!r} {newer}. Update egonet."
    return f"has the format {format_read!r} of an earlier development version. Encode again."
