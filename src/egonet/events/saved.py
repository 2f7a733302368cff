"""An event history in one .npz file: written atomically, validated when it is read."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import numpy as np

from egonet.checks import as_whole
from egonet.encoding.header import check_format, from_json, to_json
from egonet.encoding.saved import read_saved
from egonet.events.history import EventHistory, EventOptions
from egonet.io.files import atomic_path
from egonet.io.paths import npz_path
from egonet.kernel.native_events import EventArrays
from egonet.kernel.reference_events import LARGEST_AMOUNT
from egonet.tables.events import IdKind
from egonet.tables.times import Kind, plain_window

FORMAT = "egonet events 1"
_COUNTS = ("num_events", "num_loops", "num_late", "num_dropped")
_ARRAYS = ("sources", "targets", "times", "amounts", "types")


def write_history(history: EventHistory, columns: dict[str, Any], path: str | Path) -> None:
    """Write a history and the names of its columns to an .npz file, whole or not at all."""
    file = npz_path("an event history", path)
    events, ids = history.log()
    options = asdict(history.options)
    options["windows"] = [plain_window(window) for window in history.options.windows]
    header = {
        "format": FORMAT,
        "options": options,
        "columns": {name: to_json(value) for name, value in columns.items()},
        "kind": history.kind,
        "clock": history.clock,
        "id_kind": history.id_kind,
        "types": [to_json(value) for value in history.types],
        "ids": [to_json(node) for node in ids],
        "counts": {name: getattr(history, name) for name in _COUNTS},
    }
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    arrays: Any = dict(zip(_ARRAYS, events.columns, strict=True))
    with atomic_path(file) as temporary:
        np.savez_compressed(temporary, allow_pickle=False, header=text, **arrays)


def read_history(path: str | Path) -> tuple[EventHistory, dict[str, Any]]:
    """Return a history and the names of its columns; raise for a damaged file."""
    return read_saved(path, "an event history", _unpack)


def _unpack(arrays: dict[str, Any]) -> tuple[EventHistory, dict[str, Any]]:
    header = json.loads(arrays["header"].tobytes())
    check_format(header["format"], FORMAT)
    options = header["options"]
    tuples = {name: tuple(options[name]) for name in ("windows", "groups")}
    history = EventHistory(EventOptions(**(options | tuples)))
    ids = [from_json(node) for node in header["ids"]]
    events = EventArrays(*(arrays[name] for name in _ARRAYS))
    kinds = (np.int32, np.int32, events.times.dtype, np.float64, np.int32)
    types = tuple(from_json(value) for value in header["types"])
    ends = np.concatenate([events.sources, events.targets])
    is_valid = (
        header["kind"] in get_args(Kind)
        and header["id_kind"] in (None, *get_args(IdKind))
        and events.times.dtype in (np.int64, np.float64)
        and all(
            array.dtype == kind and array.shape == events.times.shape and array.ndim == 1
            for array, kind in zip(events.columns, kinds, strict=True)
        )
        and len(set(ids)) == len(ids)
        and bool((ends >= 0).all() and (ends < len(ids)).all())
        and bool((events.times[1:] >= events.times[:-1]).all())
        and bool(np.isfinite(events.times.astype(np.float64)).all())
        and bool((np.abs(events.amounts) <= LARGEST_AMOUNT).all())
        and bool((events.types >= -1).all() and (events.types < max(len(types), 1)).all())
        and (options["has_types"] or bool((events.types == -1).all()))
    )
    if not is_valid:
        raise ValueError("the events are damaged")
    history.begin(header["kind"], types, has_whole_times=events.times.dtype == np.int64)
    history.restore(events, ids, header["id_kind"])
    clock = header["clock"]
    if clock is not None and (type(clock) not in (int, float) or (len(events) and clock < events.times[-1])):
        raise ValueError("the clock is damaged")
    history.clock = clock
    for name in _COUNTS:
        setattr(history, name, as_whole(name, header["counts"][name]))
    return history, {name: from_json(value) for name, value in header["columns"].items()}
