"""How fast `Stream` is on AMLSim: transfers are added, a few per call, and the features of both accounts are read."""

import time
from typing import Any

from egonet import Stream, TemporalEncoder
from research.events.amlsim import read_amlsim
from research.events.event_speed import resident

#: A transfer: the two accounts and the day.
Transfer = tuple[int, int, int]
#: The bytes of a megabyte, as in the output.
MEGABYTE = 1e6


def measure_stream(spec: dict[str, Any]) -> dict[str, Any]:
    """Return transfers per second for every radius, number of transfers per call and way to use the stream.

    The window is full before the clock starts. Seconds are those of the processor, since the stream has one thread:
    they are the seconds of the clock where nothing else runs. Every case is measured in turn,
    `repeats` times; the fastest counts. The memory is that of a whole run.
    """
    table, _ = read_amlsim()
    transfers = list(
        zip(table.source.tolist(), table.target.tolist(), table.time.tolist(), strict=True)
    )  # plain numbers, as they come from a queue
    learned = TemporalEncoder(table[["source", "target", "time"]], 1, spec["window"]).fit(
        [(source, day) for source, _, day in transfers[: spec["warm_up"]]]
    )
    cases = [
        (radius, per_call, way)
        for radius in spec["radius"]
        for per_call in spec["per_call"]
        for way in (WAYS if per_call == 1 and radius == 1 else list(WAYS)[:1])
    ]
    best = dict.fromkeys(cases, 0.0)
    for _ in range(spec["repeats"]):
        for radius, per_call, way in cases:
            columns = learned.vocabulary_ if "model" in way else None
            settings = radius if columns is None else None
            stream = Stream(settings, window=spec["window"], vocabulary=columns, threads=1)
            feed(stream, transfers[: spec["warm_up"]], spec["warm_up"])
            timed = transfers[spec["warm_up"] : spec["warm_up"] + spec["most"]]
            began = time.process_time()
            WAYS[way](stream, timed, per_call)
            seconds = time.process_time() - began
            best[radius, per_call, way] = max(best[radius, per_call, way], len(timed) / seconds)
    speed = [
        {"radius": radius, "per_call": per_call, "way": way, "transfers_per_second": round(rate)}
        for (radius, per_call, way), rate in best.items()
    ]
    return {"speed": speed, "memory": measure_memory(transfers, spec)}


def feed(stream: Stream, transfers: list[Transfer], per_call: int) -> None:
    """Add transfers, `per_call` at a time, and ask for the features of both accounts of each after every call."""
    for start in range(0, len(transfers), per_call):
        now = transfers[start : start + per_call]
        stream.add(now)
        stream.features([account for transfer in now for account in transfer[:2]])


def ask_then_add(stream: Stream, transfers: list[Transfer], _: int) -> None:
    """Ask for the features of both accounts as of the day of a transfer, which do not know that day, then add it."""
    for transfer in transfers:
        stream.features(transfer[:2], time=transfer[2])
        stream.add([transfer])


def ask_then_add_rows(stream: Stream, transfers: list[Transfer], _: int) -> None:
    """Do the same, and read the counts of both accounts."""
    for transfer in transfers:
        found = stream.features(transfer[:2], time=transfer[2])
        for account in transfer[:2]:
            found[account]
        stream.add([transfer])


def ask_then_add_columns(stream: Stream, transfers: list[Transfer], _: int) -> None:
    """Do the same, and read the array that a model with known columns takes."""
    for transfer in transfers:
        stream.features(transfer[:2], time=transfer[2]).to_dense()
        stream.add([transfer])


def ask_then_add_matrix(stream: Stream, transfers: list[Transfer], _: int) -> None:
    """Do the same, and read the sparse matrix."""
    for transfer in transfers:
        found = stream.features(transfer[:2], time=transfer[2])
        found.matrix  # noqa: B018
        stream.add([transfer])


#: What is timed: name to function; all but the first are for one transfer per call.
WAYS = {
    "add, features": feed,
    "features, add": ask_then_add,
    "features, read the counts, add": ask_then_add_rows,
    "features, read the columns of a model, add": ask_then_add_columns,
    "features, read the sparse matrix, add": ask_then_add_matrix,
}


def measure_memory(transfers: list[Transfer], spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Return how much a stream keeps, and the memory of the process, while all transfers go through it twice.

    The second time is that many days later, so that the stream sees twice as many transfers in the same window.
    """
    days = transfers[-1][2] + 1
    stream = Stream(spec["radius"][0], window=spec["window"], threads=1)
    found = []
    for shift in (0, days):
        part = [(source, target, day + shift) for source, target, day in transfers]
        for rows in (part[: len(part) // 2], part[len(part) // 2 :]):
            feed(stream, rows, 1000)
            added, kept = stream.num_added, stream.num_events
            found.append({"added": added, "kept": kept, "process_megabytes": round(resident() / MEGABYTE)})
    return found
