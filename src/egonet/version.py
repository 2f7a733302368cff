"""The version of the package, and what it says about files of other versions."""

import re

__version__ = "0.1.0"


def other_format(found: object, known: str) -> str:
    """Return why a file in the format `found` cannot be read by a version that reads `known`.

    Formats are named "egonet encoding 3": what it is, and a number that increases.

    >>> other_format("egonet encoding 9", "egonet encoding 3")
    "has the format 'egonet encoding 9' of a newer egonet than 0.1.0, which reads 'egonet encoding 3'. Update egonet."
    >>> other_format("egonet encoding 1", "egonet encoding 3")
    "has the format 'egonet encoding 1' of an earlier development version. Encode again."
    >>> other_format("something", "egonet encoding 3")
    "has the format 'something', not 'egonet encoding 3'."
    """
    kind, _, number = known.rpartition(" ")
    same = re.fullmatch(re.escape(kind) + r" ([0-9]{1,9})", found) if isinstance(found, str) else None
    if same is None:
        shown = repr(found)
        return f"has the format {shown if len(shown) <= 60 else shown[:57] + '...'}, not {known!r}."
    if int(same[1]) > int(number):
        newer = f"of a newer egonet than {__version__}, which reads {known!r}"
        return f"has the format {found!r} {newer}. Update egonet."
    return f"has the format {found!r} of an earlier development version. Encode again."
