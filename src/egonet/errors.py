"""The exceptions of egonet, and helpers for their messages: marked options, missing extras, near matches and flags."""

import json
import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

#: Characters of no writing system: `show_value` escapes them, so that no value in a message contains them.
_OPEN, _CLOSE, _BETWEEN = "\ue000", "\ue001", "\ue002"
_MARK = re.compile(f"{_OPEN}([a-z_]*){_BETWEEN}(\\[[^{_OPEN}{_CLOSE}{_BETWEEN}]*\\]){_CLOSE}")
#: How a marked option is written: its name, and its value in a tuple or an empty tuple.
Style: TypeAlias = Callable[[str, tuple[Any, ...]], str]


def option(name: str, *value: Any) -> str:
    """Return an option for a message, marked so that Python and the command line write it each in their way.

    The value, if there is one, is text, a number, True, False, None, or a list of these.

    >>> error = InputError(f"Set {option('source', 0)} or {option('header', True)}; {option('directed', 'out')} too.")
    >>> print(error)
    Set source=0 or header=True; directed="out" too.
    """
    try:
        text = json.dumps(value, default=show_value)
    except (ValueError, RecursionError):  # numbers and lists that have no repr either
        text = json.dumps([show_value(each) for each in value])
    return f"{_OPEN}{name}{_BETWEEN}{text}{_CLOSE}"


def in_python(text: str, command_line: str = "") -> str:
    """Return a part of a message that reads differently, or is left out, on the command line.

    >>> message = "Use fewer roots or " + in_python("egonet.store.encode", "--output folder/") + "."
    >>> render(message), render(message, lambda name, value: "")
    ('Use fewer roots or egonet.store.encode.', 'Use fewer roots or --output folder/.')
    """
    return f"{_OPEN}{_BETWEEN}{json.dumps([text, command_line])}{_CLOSE}"


def as_keyword(name: str, value: tuple[Any, ...]) -> str:
    """Return an option as a keyword of Python.

    >>> as_keyword("source", (0,)), as_keyword("directed", ("out",)), as_keyword("labels", ())
    ('source=0', 'directed="out"', 'labels=')
    """
    if not value:
        return f"{name}="
    if isinstance(value[0], str) and len(value[0]) > 60:
        return f"{name}={show_value(value[0])}"
    plain = isinstance(value[0], str) and value[0].isprintable() and not set(value[0]) & set('"\\')
    return f'{name}="{value[0]}"' if plain else f"{name}={value[0]!r}"


def render(text: str, style: Style = as_keyword) -> str:
    """Return a message with its marked options written in a style: keywords of Python by default."""

    def write(mark: re.Match[str]) -> str:
        name, value = mark[1], json.loads(mark[2])
        if name:
            return style(name, tuple(value))
        return render(value[int(style is not as_keyword)], style)

    return _MARK.sub(write, text) if _OPEN in text else text


def rename_options(text: str, names: dict[str, str]) -> str:
    """Return a message with other names for some of its marked options.

    >>> render(rename_options(f"Set {option('source')} and {option('header', True)}.", {"source": "first"}))
    'Set first= and header=True.'
    """
    return _MARK.sub(lambda mark: f"{_OPEN}{names.get(mark[1], mark[1])}{_BETWEEN}{mark[2]}{_CLOSE}", text)


class _Message:
    """A message whose options are marked; as text it is one line that has them as keywords of Python."""

    args: tuple[Any, ...]

    def __str__(self) -> str:
        return printable(render(self.marked))  # the name of a file may contain anything

    @property
    def marked(self) -> str:
        """Return the message with its options marked, for a longer message or the command line."""
        return str(self.args[0]) if self.args else ""


class EgonetError(_Message, Exception):
    """Base class of all errors of egonet; each is also a subclass of the built-in a caller would expect."""


class IgnoredInputWarning(_Message, UserWarning):
    """Part of the input is not used; the message names the option that uses it or silences the warning."""


class UnseenWarning(_Message, UserWarning):
    """Many nodes or keys are unknown, or columns meet a graph with very different degrees: the rows say little."""


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


def show_value(value: Any) -> str:
    """Return the repr of a value for a message: one line of at most 60 characters, numpy scalars as Python values.

    Python has no repr of whole numbers with more than 4,300 digits, nor of lists that are nested a thousand times.

    >>> show_value(np.int64(3)), show_value("x" * 100)
    ('3', "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...")
    >>> show_value(10**5000), show_value(float("nan"))
    ('an int without a repr', 'nan')
    """
    try:
        shown = repr(value.item() if isinstance(value, np.generic) else value)
    except (ValueError, RecursionError):
        name = type(value).__name__
        return f"{'an' if name[0] in 'aeiou' else 'a'} {name} without a repr"
    text = printable(" ".join(line.strip() for line in shown.splitlines()))
    return text if len(text) <= 60 else f"{text[:57]}..."


def printable(text: str) -> str:
    """Return text with unprintable characters replaced by escapes.

    >>> print(printable("a" + chr(27) + "[31mb"))
    a\\x1b[31mb
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


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
    texts, name = list(map(str, candidates)), name if isinstance(name, str) else show_value(name)
    close = get_close_matches(name, texts, n=1, cutoff=cutoff)
    if not close:  # "Yoda" for "YODA"
        by_case = {text.casefold(): text for text in reversed(texts)}
        close = [by_case[text] for text in get_close_matches(name.casefold(), by_case, n=1, cutoff=cutoff)]
    return close[0] if close else None


def did_you_mean(name: object, candidates: Iterable[object], *, cutoff: float = 0.6) -> str:
    """Return a hint for a message, such as " Did you mean 'sender'?", or "" if no candidate is similar."""
    near = closest_match(name, candidates, cutoff=cutoff)
    return f" Did you mean {near!r}?" if near else ""
