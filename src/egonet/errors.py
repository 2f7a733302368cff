"""The exceptions of egonet, and helpers for their messages: missing extras, near matches, flags and whole numbers."""

from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import numpy as np


class EgonetError(Exception):
    """Base class of all errors of egonet; each is also a subclass of the built-in a caller would expect."""


class IgnoredInputWarning(UserWarning):
    """Part of the input is not used; the message names the option that uses it or silences the warning."""


class InputError(EgonetError, ValueError):
    """An argument or a value in the data breaks a rule."""


class OptionError(InputError, TypeError):
    """A keyword does not exist, or cannot be combined with another one."""


class FileError(InputError):
    """The content of a file is invalid; the message names the file and the position."""


class MissingFileError(FileError, FileNotFoundError):
    """The file does not exist."""


class UnknownNodeError(EgonetError, KeyError):
    """The graph has no node with this id."""

    def __str__(self) -> str:
        """Return the message itself; KeyError would put it in quotes."""
        return str(self.args[0]) if self.args else ""


class MissingExtraError(EgonetError, ImportError):
    """An optional package is needed and not installed; the message has the command that installs it."""


class MemoryLimitError(EgonetError, MemoryError):
    """The predicted result is larger than the memory limit."""


class OutputError(EgonetError, OSError):
    """A result could not be written; the final path is unchanged."""


class DeviceError(EgonetError, RuntimeError):
    """device="cuda" was given and no GPU can be used; the message says why."""


class DeviceMemoryError(DeviceError, MemoryError):
    """The GPU has too little memory, and smaller batches do not help."""


def require_extra(package: str, purpose: str = "this", *, extra: str | None) -> Any:
    """Import and return an optional package or module, such as "pyarrow.parquet".

    The message of the MissingExtraError begins with the `purpose` and names the `extra` of egonet that installs the
    package, or the package itself if `extra` is None.

    >>> require_extra("json", "Reading JSON", extra="io").dumps([1])
    '[1]'
    >>> require_extra("no_such_package", "Reading Parquet", extra="io")
    Traceback (most recent call last):
        ...
    egonet.errors.MissingExtraError: Reading Parquet needs an extra package: pip install "egonet[io]".
    """
    try:
        return import_module(package)
    except ImportError as error:
        install = package if extra is None else f'"egonet[{extra}]"'
        raise MissingExtraError(f"{purpose} needs an extra package: pip install {install}.") from error


def closest_match(name: object, candidates: Iterable[object], *, cutoff: float = 0.6) -> str | None:
    """Return the candidate whose text is most similar to a name, or None if none is similar.

    >>> closest_match("sendr", ["sender", "receiver"]), closest_match("x", ["sender"]), closest_match("Yoda", ["YODA"])
    ('sender', None, 'YODA')
    """
    texts = list(map(str, candidates))
    close = get_close_matches(str(name), texts, n=1, cutoff=cutoff)
    if not close:  # "Yoda" for "YODA"
        by_case = {text.casefold(): text for text in reversed(texts)}
        close = [
            by_case[text] for text in get_close_matches(str(name).casefold(), by_case, n=1, cutoff=cutoff)
        ]
    return close[0] if close else None


def did_you_mean(name: object, candidates: Iterable[object], *, cutoff: float = 0.6) -> str:
    """Return a hint for a message, such as " Did you mean 'sender'?", or "" if no candidate is similar."""
    near = closest_match(name, candidates, cutoff=cutoff)
    return f" Did you mean {near!r}?" if near else ""


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
        raise InputError(f"{name} must be True or False, got {value!r}.")
    return bool(value)
