"""What link prediction and node classification share: which part of a task is run, and how its lines are saved."""

import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from egonet.errors import InputError
from research.paper.results import Line, append_lines, read_lines, results_path

NODE_TASKS = ("linkprediction", "nodeclassification")
#: The settings of --quick: one epoch of short walks.
_QUICK_WALKS = {"per_node": 1, "length": 20, "window": 4}
_QUICK_TRAINING = {"negatives": 2, "epochs": 1, "batch_pairs": 50_000}
_QUICK_DIM = 16


@dataclass(frozen=True)
class NodeChoice:
    """Which part of a node task is run, and how.

    Attributes
    ----------
    data, methods, seeds
        Names and seeds to run; all if empty.
    protocol, device, quick
        "paper" or "honest"; "cpu" or "cuda"; True runs a small part whose scores mean nothing.
    folder, seconds
        The folder with the results files; no seed starts after this many seconds.
    encoding
        Settings of `egonet.encode` that replace the task's settings, such as {"degrees": "full"}.
    """

    data: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    protocol: str = "honest"
    device: str = "cpu"
    quick: bool = False
    folder: Path = Path("results")
    seconds: float | None = None
    encoding: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Validate the protocol."""
        if self.protocol not in ("paper", "honest"):
            raise InputError(f"protocol must be paper or honest, got {self.protocol!r}.")


@cache
def node_spec(task: str) -> dict[str, Any]:
    """Return the spec of a task: settings, published numbers, and what the paper leaves open."""
    text = files("research.paper").joinpath("specs", f"{task}.toml").read_text("utf-8")
    return tomllib.loads(text)


def fit_options(spec: dict[str, Any], choice: NodeChoice) -> dict[str, Any]:
    """Return the arguments dim, walks and training of a fit; small ones if quick."""
    from egonet import Training, Walks
    from research.paper.nodes.batches import SeparateTraining

    walks = spec["walks"] | (_QUICK_WALKS if choice.quick else {})
    training = spec["training"] | (_QUICK_TRAINING if choice.quick else {})
    kind = SeparateTraining if training.pop("separate", False) else Training
    return {
        "dim": _QUICK_DIM if choice.quick else spec["dim"],
        "walks": Walks(**walks),
        "training": kind(**training),
    }


def blank_line(task: str, data: str, method: str, seed: int, choice: NodeChoice, radius: int = 0) -> Line:
    """Return a line without a score; radius 0 marks methods that read no encoding."""
    form = ",".join(f"{key}={value}" for key, value in choice.encoding.items()) or "total"
    return Line(
        table=task,
        data=data,
        model=method,
        target="",
        form=form if radius else "none",
        radius=int(choice.encoding.get("radius", radius)) if radius else 0,
        seed=seed,
        protocol=choice.protocol,
        quick=choice.quick,
        score=float("nan"),
        details={},
        seconds=0.0,
        environment={},
    )


def check_names(names: Iterable[str], known: Iterable[str], what: str) -> None:
    """Raise if a task does not have a name.

    Examples
    --------
    >>> check_names(["degre"], ["degree", "node2vec"], "link prediction has no method")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: link prediction has no method 'degre'. There are: degree, node2vec.
    """
    listed = list(dict.fromkeys(known))
    for name in names:
        if name not in listed:
            raise InputError(f"{what} {name!r}. There are: {', '.join(listed)}.")


def describe_plan(plan: list[list[Line]], path: Path) -> list[str]:
    """Return a sentence for every data set of a plan, with the number of its lines that are finished in a file.

    Each part of a plan is about one seed.
    """
    done = {line.key for line in read_lines(path)}
    parts: dict[str, list[list[Line]]] = {}
    for blanks in plan:
        parts.setdefault(blanks[0].data, []).append(blanks)
    sentences = []
    for name, seeds in parts.items():
        finished = sum(line.key in done for blanks in seeds for line in blanks)
        ending = f", {finished} finished" if finished else ""
        models = ", ".join(line.model for line in seeds[0])
        sentences.append(f"{name}: {models}, {sum(map(len, seeds))} lines{ending}")
    return sentences


def save_lines(
    task: str,
    blanks: list[Line],
    choice: NodeChoice,
    say: Callable[[str], None],
    fill: Callable[[list[Line]], Iterator[Line]],
) -> list[Line]:
    """Fill the lines that are not in the results folder yet, append each at once, and return the new ones."""
    path = results_path(choice.folder, task, choice.protocol)
    done = {line.key for line in read_lines(path)}
    missing = [line for line in blanks if line.key not in done]
    if len(missing) < len(blanks):
        say(f"{blanks[0].data}: {len(blanks) - len(missing)} of {len(blanks)} lines are finished, skipped")
    fresh = []
    for line in fill(missing) if missing else ():
        append_lines(path, [line])
        fresh.append(line)
        say(f"{line.data}, seed {line.seed}, {line.model}: {line.score:.4f} in {line.seconds:.1f} s")
    return fresh


def parse_encoding(text: str) -> dict[str, Any]:
    """Return an encoding such as "full@2" or "common@2" as settings of `egonet.encode`.

    Examples
    --------
    >>> parse_encoding("full@1"), parse_encoding("common@2")
    ({'radius': 1, 'degrees': 'full'}, {'radius': 2, 'degrees': 'full', 'common': True})
    """
    form, _, radius = text.partition("@")
    if not radius.isdecimal() or form not in ("total", "layered", "full", "common"):
        raise InputError(f"an encoding is written as full@2, total@1, layered@2 or common@2, got {text!r}.")
    if form == "common":
        return {"radius": int(radius), "degrees": "full", "common": True}
    return {"radius": int(radius), "degrees": form}
