"""A stream in one .npz file: written atomically, validated when it is read."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args

import numpy as np

from egonet.checks import as_whole
from egonet.encoding.header import check_format, from_json, pack_schema, to_json
from egonet.encoding.saved import read_saved, unpack_vocabulary, write_saved
from egonet.encoding.schema import Schema
from egonet.encoding.settings import Settings
from egonet.encoding.vocabulary import Vocabulary
from egonet.io.paths import npz_path
from egonet.tables.times import Kind, as_times

FORMAT = "egonet stream 1"
Made = TypeVar("Made")
_EVENTS = ("sources", "targets", "times", "amounts")
_OPTIONS = ("window", "closed", "late", "unseen", "directed", "columns")


@dataclass(frozen=True, eq=False)
class SavedStream:
    """Everything that a stream consists of.

    `options` are those of `Stream`: window, closed, late, unseen, directed and the columns of types. `kind` and `clock`
    are None before the first event. `events` are the sources, targets and times that are kept, and their amounts if
    weights are counted, `kinds` their types or None, and `counts` the attributes `num_added`, ...
    """

    settings: Settings
    vocabulary: Vocabulary | None
    options: dict[str, Any]
    kind: Kind | None
    clock: int | float | None
    nodes: list[Any]
    events: tuple[np.ndarray[Any, Any], ...]
    kinds: list[Any] | None
    counts: dict[str, int]


def write_stream(saved: SavedStream, path: str | Path) -> None:
    file = npz_path("a stream", path)
    vocabulary = saved.vocabulary or Vocabulary(
        Schema(saved.settings), np.empty((0, 1 + len(saved.settings.field_names)), dtype=np.int64)
    )
    header = {
        "format": FORMAT,
        "settings": pack_schema(vocabulary.schema),
        "has_vocabulary": saved.vocabulary is not None,
        "kind": saved.kind,
        "clock": saved.clock,
        "nodes": [to_json(node) for node in saved.nodes],
        "counts": saved.counts,
        "kinds": None if saved.kinds is None else [to_json(kind) for kind in saved.kinds],
    } | saved.options
    write_saved(file, header, vocabulary, dict(zip(_EVENTS, saved.events, strict=False)))


def read_stream(path: str | Path, make: Callable[[SavedStream], Made]) -> Made:
    """Return what `make` makes of the stream in a file; raise for a damaged file."""
    return read_saved(path, "a stream", lambda arrays: make(_unpack(arrays)))


def _unpack(arrays: dict[str, np.ndarray[Any, Any]]) -> SavedStream:
    """Return the stream in the arrays of a file, validated."""
    header = json.loads(arrays["header"].tobytes())
    check_format(header["format"], FORMAT)
    if header["kind"] not in (None, *get_args(Kind)):
        raise ValueError("not a stream")
    vocabulary = unpack_vocabulary(header["settings"], arrays)
    nodes = [from_json(node) for node in header["nodes"]]
    sources, targets, times = (arrays[name] for name in ("sources", "targets", "times"))
    ends = np.stack([sources, targets]).astype(np.int32, casting="safe")
    is_consistent = len(set(nodes)) == len(nodes) and len(times) == ends.shape[1] and times.dtype.kind in "if"
    if (
        not is_consistent
        or (ends < 0).any()
        or (ends >= len(nodes)).any()
        or not (times[1:] >= times[:-1]).all()
    ):
        raise ValueError("the events are damaged")
    events = [ends[0], ends[1], times]
    if (header.get("columns") or {}).get("weights") is not None:
        amounts = arrays["amounts"]
        if amounts.dtype != np.float64 or amounts.shape != times.shape or not np.isfinite(amounts).all():
            raise ValueError("the amounts of the events are damaged")
        events.append(amounts)
    kinds = header.get("kinds")
    if kinds is not None and len(kinds) != len(times):
        raise ValueError("the types of the events are damaged")
    clock = None
    if header["kind"] is not None:
        clock = as_times([header["clock"]], "the clock").values[0].item()
    return SavedStream(
        vocabulary.settings,
        vocabulary if header["has_vocabulary"] else None,
        {name: header.get(name) for name in _OPTIONS},
        header["kind"],
        clock,
        nodes,
        tuple(events),
        None if kinds is None else [from_json(kind) for kind in kinds],
        {name: as_whole(name, count) for name, count in header["counts"].items()},
    )
