"""Hostile values for every option and argument of every public entry point and method: python -m fuzz values."""

import datetime
import decimal
import fractions
import io
import os
import re
import signal
import tempfile
import traceback
import warnings
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import MagicMock

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import torch
from scipy import sparse

import egonet
from contracts.entry_points import ENTRY_POINTS, PYG_ENTRY_POINTS
from contracts.methods import METHODS, call_with_option, options_of
from egonet.errors import EgonetError

CPU_SECONDS = 20


class OwnError(Exception):
    """What the methods of a hostile object raise; a caller may see it."""


def _raise(*_: object, **__: object) -> Any:
    raise OwnError


def hostile(**methods: Any) -> Any:
    """Return an object with these special methods."""
    return type("Hostile", (), {f"__{name}__": method for name, method in methods.items()})()


def nested_list() -> list[Any]:
    """Return a list that contains itself."""
    found: list[Any] = []
    found.append(found)
    return found


def nested_dict() -> dict[Any, Any]:
    """Return a mapping that contains itself."""
    found: dict[Any, Any] = {}
    found["a"] = found
    return found


def deep_list() -> list[Any]:
    """Return 100,000 nested lists."""
    found: list[Any] = []
    for _ in range(100_000):
        found = [found]
    return found


def object_array(*items: Any) -> Any:
    """Return an array of objects."""
    made = np.empty(len(items), dtype=object)
    made[:] = items
    return made


class Whole(IntEnum):
    """A member that is a whole number."""

    ONE = 1


class Word(StrEnum):
    """A member that is text."""

    A = "a"


class Text(str):
    """Text of another type."""

    __slots__ = ()


class Number(int):
    """A whole number of another type."""


UTC = datetime.UTC
NUMPY_TYPES = ("b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "g", "c8", "c16")
#: Functions, since generators and files are used up by a call.
VALUES: dict[str, Callable[[], Any]] = {
    **{f"numpy {kind}": (lambda kind=kind: np.dtype(kind).type(1)) for kind in NUMPY_TYPES},
    **{f"0-d {kind}": (lambda kind=kind: np.array(1, dtype=kind)) for kind in ("i8", "f8", "b1", "U1", "O")},
    "None": lambda: None,
    "no text": lambda: "",
    "blank": lambda: " ",
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-inf": lambda: float("-inf"),
    "-0.0": lambda: -0.0,
    "1.0": lambda: 1.0,
    "0.5": lambda: 0.5,
    "1e300": lambda: 1e300,
    "5e-324": lambda: 5e-324,
    "0": lambda: 0,
    "-1": lambda: -1,
    "2**31": lambda: 2**31,
    "2**53+1": lambda: 2**53 + 1,
    "2**63": lambda: 2**63,
    "-2**63-1": lambda: -(2**63) - 1,
    "2**64": lambda: 2**64,
    "10**400": lambda: 10**400,
    "10**5000": lambda: 10**5000,
    "True": lambda: True,
    "False": lambda: False,
    "Ellipsis": lambda: ...,
    "NotImplemented": lambda: NotImplemented,
    "a type": lambda: int,
    "a module": lambda: os,
    "an exception": lambda: ValueError("x"),
    "a slice": lambda: slice(1),
    "range(0)": lambda: range(0),
    "range(3)": lambda: range(3),
    "[]": list,
    "()": lambda: (),
    "{}": dict,
    "[[]]": lambda: [[]],
    "[None]": lambda: [None],
    "[nan]": lambda: [float("nan")],
    "[True]": lambda: [True],
    "[1.5]": lambda: [1.5],
    "[10**30]": lambda: [10**30],
    "['a', 1]": lambda: ["a", 1],
    "[-1]": lambda: [-1],
    "[0]": lambda: [0],
    "a set": lambda: {1, 2},
    "a frozenset": lambda: frozenset("ab"),
    "a deque": lambda: deque([1]),
    "a dict": lambda: {"a": 1},
    "a dict of None": lambda: {None: None},
    "a defaultdict": lambda: defaultdict(int, a=1),
    "an OrderedDict": lambda: OrderedDict(a="x", b="x", c="x", d="x"),
    "a view of keys": lambda: {"a": 1}.keys(),
    "a generator": lambda: (n for n in (1, 2)),
    "an empty generator": lambda: iter(()),
    "a generator that raises": lambda: (_raise() for _ in range(2)),
    "a map": lambda: map(str, [1, 2]),
    "bytes": lambda: b"a",
    "a bytearray": lambda: bytearray(b"a"),
    "a memoryview": lambda: memoryview(b"ab"),
    "NUL": lambda: "a\0b",
    "a surrogate": lambda: "\ud800",
    "RTL": lambda: "\u202eabc\u202c",
    "ANSI": lambda: "\x1b[31mred\x1b[0m\x07",
    "lines": lambda: "a\nb\r\nc\u2028d",
    "markup": lambda: "[red]<script>alert(1)</script>{0}%s",
    "long text": lambda: "x" * 100_000,
    "'1'": lambda: "1",
    "'True'": lambda: "True",
    "'nan'": lambda: "nan",
    "400 digits": lambda: "9" * 400,
    "digits of another script": lambda: "١٢",
    "combining": lambda: "e\u0301",
    "text of another type": lambda: Text("a"),
    "a number of another type": lambda: Number(1),
    "IntEnum": lambda: Whole.ONE,
    "StrEnum": lambda: Word.A,
    "a masked array": lambda: np.ma.array([1, 2, 3, 4], mask=[0, 1, 0, 0]),
    "masked": lambda: np.ma.masked,
    "an array of objects": lambda: object_array("a", None, 1, [2]),
    "an array in an array": lambda: object_array(np.array([1]), np.array([2, 3])),
    "a record array": lambda: np.array([(1, "a"), (2, "b")], dtype=[("source", "i8"), ("target", "U1")]),
    "a record": lambda: np.array([(1, 2)], dtype=[("source", "i8"), ("target", "i8")])[0],
    "an empty array": lambda: np.empty((0, 2)),
    "a cube": lambda: np.zeros((2, 2, 2)),
    "a big-endian array": lambda: np.array([1, 2, 3, 4], dtype=">i4"),
    "a reversed array": lambda: np.arange(8)[::-2],
    "a read-only array": lambda: np.broadcast_to(np.int64(1), 4),
    "strings of numpy": lambda: np.array(["a", "b"], dtype=np.dtypes.StringDType()),
    "bytes of numpy": lambda: np.array([b"a", b"b"]),
    "void": lambda: np.void(b"ab"),
    "NaT": lambda: np.datetime64("NaT"),
    "datetime64": lambda: np.datetime64("2020-01-01T00:00:00.000000001"),
    "timedelta64": lambda: np.timedelta64(1, "M"),
    "pd.NA": lambda: pd.NA,
    "pd.NaT": lambda: pd.NaT,
    "a Timestamp": lambda: pd.Timestamp("2020-01-01", tz="Europe/Berlin"),
    "a Period": lambda: pd.Period("2020-01"),
    "an Interval": lambda: pd.Interval(0, 1),
    "a Series": lambda: pd.Series([1, 2, 3, 4]),
    "a Series of NA": lambda: pd.Series([1, None, 3, 4], dtype="Int64"),
    "a Series with an index": lambda: pd.Series([1, 2, 3, 4], index=list("dcba")),
    "a Series with repeats": lambda: pd.Series([1, 2, 3, 4], index=list("aacd")),
    "categories": lambda: pd.Series(pd.Categorical(list("abab"), categories=list("zyxab"))),
    "a Categorical": lambda: pd.Categorical(["a", None]),
    "a MultiIndex": lambda: pd.MultiIndex.from_tuples([("a", 1), ("b", 2)]),
    "a Series of a MultiIndex": lambda: pd.Series([1, 2], index=pd.MultiIndex.from_tuples([(1, 2), (3, 4)])),
    "an empty DataFrame": pd.DataFrame,
    "a DataFrame": lambda: pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"]}),
    "a DataFrame with repeats": lambda: pd.DataFrame([[1, 2, 3]], columns=["source", "target", "source"]),
    "a DataFrame of a MultiIndex": lambda: pd.DataFrame(
        [[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])
    ),
    "a sparse Series": lambda: pd.Series(pd.arrays.SparseArray([0, 0, 1, 0])),
    "a polars Series": lambda: pl.Series([1, None, 3, 4]),
    "a polars frame": lambda: pl.DataFrame({"source": ["a", None], "target": ["b", "c"]}),
    "a lazy frame": lambda: pl.LazyFrame({"source": ["a", "b"], "target": ["b", "c"]}),
    "a polars list": lambda: pl.Series([[1, 2], [3]]),
    "an Arrow array": lambda: pa.array([1, None, 3, 4]),
    "an Arrow dictionary": lambda: pa.array(["a", "b", "a", "b"]).dictionary_encode(),
    "an Arrow chunked array": lambda: pa.chunked_array([[1, 2], [], [3, 4]]),
    "an Arrow struct": lambda: pa.array([{"a": 1}, {"a": 2}]),
    "an Arrow list": lambda: pa.array([[1], [2, 3]]),
    "an Arrow table": lambda: pa.table({"source": ["a", "b"], "target": ["b", "c"]}),
    "an Arrow scalar": lambda: pa.scalar(1),
    "Arrow nulls": lambda: pa.nulls(4),
    "a tensor": lambda: torch.tensor([[0, 1], [1, 2]]),
    "a tensor with grad": lambda: torch.ones(4, requires_grad=True),
    "a meta tensor": lambda: torch.ones(4, device="meta"),
    "a sparse tensor": lambda: torch.eye(4).to_sparse(),
    "a bfloat16 tensor": lambda: torch.ones(4, dtype=torch.bfloat16),
    "a 0-d tensor": lambda: torch.tensor(1),
    "a quantized tensor": lambda: torch.quantize_per_tensor(torch.ones(4), 0.1, 0, torch.quint8),
    "a torch device": lambda: torch.device("cpu"),
    "a sparse matrix": lambda: sparse.csr_array(np.eye(2)),
    "a matrix": lambda: np.matrix([[1, 2], [3, 4]]),
    "a networkx graph": lambda: nx.path_graph(3),
    "a Graph": lambda: egonet.named.path("abc"),
    "an Encoding": lambda: egonet.encode([("a", "b")], 1),
    "Settings": lambda: egonet.Settings(1),
    "a date": lambda: datetime.date(2020, 1, 1),
    "a datetime": lambda: datetime.datetime(2020, 1, 1),
    "a datetime with a zone": lambda: datetime.datetime(2020, 1, 1, tzinfo=UTC),
    "a time": lambda: datetime.time(1),
    "a timedelta": lambda: datetime.timedelta(days=-1),
    "the longest timedelta": lambda: datetime.timedelta.max,
    "Decimal": lambda: decimal.Decimal("1.5"),
    "Decimal 1": lambda: decimal.Decimal(1),
    "Decimal NaN": lambda: decimal.Decimal("NaN"),
    "Decimal sNaN": lambda: decimal.Decimal("sNaN"),
    "Decimal E": lambda: decimal.Decimal("1E+999999"),
    "Fraction": lambda: fractions.Fraction(1, 3),
    "Fraction 1": lambda: fractions.Fraction(1),
    "complex": lambda: 1j,
    "a path": lambda: Path("no/such/file"),
    "the root folder": lambda: Path("/"),
    "/dev/null": lambda: "/dev/null",
    "/dev/full": lambda: Path("/dev/full"),
    "a file": lambda: io.BytesIO(b"a,b\n"),
    "a text file": lambda: io.StringIO("a,b\n"),
    "a list in itself": nested_list,
    "a dict in itself": nested_dict,
    "a deep list": deep_list,
    "a list of lists in itself": lambda: [nested_list(), nested_list()],
    "a function": lambda: _raise,
    "a mock": MagicMock,
    "hostile ==": lambda: hostile(eq=_raise, hash=lambda _: 1),
    "hostile hash": lambda: hostile(hash=_raise),
    "hostile len": lambda: hostile(len=_raise, iter=lambda _: iter([1])),
    "negative len": lambda: hostile(len=lambda _: -1, iter=lambda _: iter([1])),
    "huge len": lambda: hostile(len=lambda _: 2**62, getitem=lambda *_: 1),
    "hostile bool": lambda: hostile(bool=_raise),
    "hostile iter": lambda: hostile(iter=_raise),
    "iter of no iterator": lambda: hostile(iter=lambda _: 7),
    "hostile array": lambda: hostile(array=_raise),
    "array of nothing": lambda: hostile(array=lambda *_, **__: None),
    "array of text": lambda: hostile(array=lambda *_, **__: np.array("x")),
    "array of another length": lambda: hostile(
        array=lambda *_, **__: np.arange(3), len=lambda _: 4, iter=lambda _: iter(range(4))
    ),
    "an array interface": lambda: hostile(array_interface={"shape": (4,), "typestr": "<i8", "version": 3}),
    "an Arrow stream": lambda: hostile(arrow_c_stream=lambda *_, **__: 7),
    "hostile Arrow stream": lambda: hostile(arrow_c_stream=_raise),
    "hostile dlpack": lambda: hostile(dlpack=_raise, dlpack_device=_raise),
    "index of text": lambda: hostile(index=lambda _: "x"),
    "index": lambda: hostile(index=lambda _: 1),
    "float": lambda: hostile(float=lambda _: 1.0, int=lambda _: 1),
    "hostile fspath": lambda: hostile(fspath=_raise),
    "fspath of a number": lambda: hostile(fspath=lambda _: 7),
    "hostile getattr": lambda: hostile(getattr=_raise),
    "long repr": lambda: hostile(repr=lambda _: "x" * 10**6),
    "repr of lines": lambda: hostile(repr=lambda _: "a\n\x1b[31mb"),
    "str of lines": lambda: hostile(str=lambda _: "a\n\x1b[31mb"),
}
#: Objects whose methods break the rules of Python: it raises what it likes.
BROKEN = frozenset(
    {
        "huge len",
        "negative len",
        "iter of no iterator",
        "an Arrow stream",
        "fspath of a number",
        "index of text",
    }
)


class TooSlowError(Exception):
    """A call took more than CPU_SECONDS of the processor."""


@dataclass
class Report:
    """What a run of the matrix found: numbers of calls by outcome, failures, and what was accepted."""

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    accepted: defaultdict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))


def slow(*_: object) -> None:
    """End a call."""
    raise TooSlowError


def is_own(error: BaseException | None) -> bool:
    """Return whether an exception is, or follows from, the one that a hostile object raises."""
    while error is not None:
        if isinstance(error, OwnError):
            return True
        error = error.__cause__ or error.__context__
    return False


def try_value(name: str, option: str, kind: str, call: Callable[[Any], Any], report: Report) -> None:
    """Call with one value; anything but a result or one sentence of an EgonetError is a failure."""
    where = f"{name}({option}: {kind})"
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call(VALUES[kind]())
    except EgonetError as error:
        said = str(error)
        is_sentence = said.isprintable() and said.rstrip().endswith((".", "?", ")")) and len(said) < 3000
        report.counts["rejected" if is_sentence else "failed"] += 1
        if not is_sentence:
            report.failures.append(f"{where}: not one sentence: {len(said)} characters, {said[:300]!r}")
    except Exception as error:  # noqa: BLE001 - any other exception is a finding
        if "multiple values for" in str(error) and "argument" in str(error):
            report.counts["not called"] += 1
        elif is_own(error) or kind in BROKEN:
            report.counts["own error"] += 1
        else:
            report.counts["failed"] += 1
            lines = [line.strip() for line in traceback.format_exc().splitlines() if "egonet/" in line]
            report.failures.append(f"{where}: {type(error).__name__}: {error!s:.200} at {lines[-1:]}")
    else:
        report.counts["accepted"] += 1
        report.accepted[option, kind].append(name)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def all_calls() -> Iterator[tuple[str, str, Callable[[Any], Any]]]:
    """Return every entry point with each of its options and its data, and every method."""
    for entry in (*ENTRY_POINTS, *PYG_ENTRY_POINTS):
        if entry.name == "cli.encode":
            continue  # the command line has text only
        for option in options_of(entry):
            yield (
                entry.name,
                option,
                lambda value, entry=entry, option=option: call_with_option(entry, **{option: value}),
            )
        # A call that writes a file of its data, or adds times to it, has rules of its own.
        if not getattr(entry, "reads_files", False) and not getattr(entry, "has_times", False):
            yield entry.name, "data", lambda value, entry=entry: entry.call(value)
    for name, method in METHODS.items():
        yield name, "value", method


def run(seed: int, calls: int, only: str, say: Callable[[str], None]) -> Report:
    """Return the report of a number of calls, drawn without repetition from every call with every value."""
    signal.signal(signal.SIGPROF, slow)
    report, seen = Report(), set[str]()
    chosen = [
        (*each, kind) for each in all_calls() if re.search(only, f"{each[0]}.{each[1]}") for kind in VALUES
    ]
    Random(seed).shuffle(chosen)
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, option, call, kind in chosen[:calls]:
            first = len(report.failures)
            try_value(name, option, kind, call, report)
            for failure in report.failures[first:]:
                signature = re.sub(r"^.*?\): ", "", failure)[:60] + failure[-60:]
                if signature not in seen:
                    seen.add(signature)
                    say(failure)
        os.chdir(before)
    return report
