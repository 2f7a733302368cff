"""`python -m research run peers`: train the paper's peers on this machine, job by job; finished jobs are skipped."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from egonet.errors import InputError

PEERS_FILE, QUICK_FILE = "peers/peers.jsonl", "peers/quick.jsonl"
QUICK_SETS, QUICK_GRAPHS = ("mutag", "sr25"), 40


@dataclass(frozen=True)
class PeersChoice:
    """What is run: sets and methods (none: all), a quick run, the device, the folder of the results, seconds.

    A quick run takes two sets if none is named, 40 graphs of each, two folds and two epochs; its scores mean nothing.
    """

    sets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    quick: bool = False
    device: str = "cpu"
    folder: Path = Path("results")
    seconds: float | None = None

    def __post_init__(self) -> None:
        """Check the names of sets and methods."""
        from research.nets.peers.methods import METHODS, SEARCH
        from research.nets.peers.spec import peer_spec

        known = {"set": tuple(peer_spec()["sets"]), "method": (*METHODS, *SEARCH)}
        for kind, names in (("set", self.sets), ("method", self.methods)):
            for name in names:
                if name not in known[kind]:
                    raise InputError(
                        f"there is no {kind} {name!r} of peers. There are: {', '.join(known[kind])}."
                    )

    @property
    def output(self) -> Path:
        """Return the file of the lines."""
        return self.folder / (QUICK_FILE if self.quick else PEERS_FILE)

    def jobs(self) -> list[tuple[str, str]]:
        """Return all (set, method), finished or not."""
        from research.nets.peers.spec import jobs_of, peer_spec

        sets = self.sets or (QUICK_SETS if self.quick else tuple(peer_spec()["sets"]))
        return jobs_of(sets, self.methods)


def run_peers(choice: PeersChoice, say: Callable[[str], None]) -> int:
    """Run what is missing and return how many jobs are left."""
    import time

    import torch

    from research.nets.peers.jobs import Limits, run_job
    from research.nets.peers.prepare import prepare
    from research.nets.peers.queue_runner import append, finished, summary
    from research.nets.peers.spec import set_plan
    from research.paper.nodes.fit import as_device
    from research.paper.results import current_commit

    as_device(choice.device)
    torch.set_float32_matmul_precision("high")
    choice.output.parent.mkdir(parents=True, exist_ok=True)
    done = finished(choice.output)
    jobs = [job for job in choice.jobs() if job not in done]
    if len(jobs) < len(choice.jobs()):
        say(f"{len(choice.jobs()) - len(jobs)} of {len(choice.jobs())} jobs are finished, skipped")
    origin = {"date": datetime.now(UTC).strftime("%Y-%m-%d"), "commit": current_commit()}
    limits = Limits(choice.device, quick=choice.quick)
    began, data = time.monotonic(), None
    for number, (name, method) in enumerate(jobs):
        if choice.seconds is not None and time.monotonic() - began > choice.seconds:
            return len(jobs) - number
        if data is None or data.name != name:
            data = prepare(name, QUICK_GRAPHS if choice.quick else None)
        lines = run_job(data, method, set_plan(name), limits)
        append(choice.output, [line | origin for line in lines])
        say(summary(lines))
    return 0
