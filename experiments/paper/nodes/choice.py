"""What link prediction and node classification share: which part of a task is run, and how its lines are kept."""

import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from egonet.errors import InputError
from experiments.paper.results import Line, append_lines, read_lines, results_path

NODE_TASKS = ("linkprediction", "nodeclassification")
#: What --quick makes of long runs: one pass of short walks.
_QUICK_WALKS = {"per_node": 1, "length": 20, "window": 4}
_QUICK_TRAINING = {"negatives": 2, "epochs": 1, "batch_pairs": 50_000}
_QUICK_DIM = 16


@dataclass(frozen=True)
class NodeChoice:
    """Which part of a task is run, and how; everything where a name is left empty.

    Attributes
    ----------
    data, methods, seeds
        What is kept of the task.
    protocol, device, quick
        "paper" or "honest"; "cpu" or "cuda"; a small piece whose scores mean nothing.
    folder, seconds
        Where lines are kept; no seed starts after so many seconds.
    words
        Words of `egonet.encode` other than the task's own, as {"degrees": "full"}.
    """

    data: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    protocol: str = "honest"
    device: str = "cpu"
    quick: bool = False
    folder: Path = Path("results")
    seconds: float | None = None
    words: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the protocol."""
        if self.protocol not in ("paper", "honest"):
            raise InputError(f"protocol must be paper or honest, got {self.protocol!r}.")


@cache
def node_spec(task: str) -> dict[str, Any]:
    """Return the spec of a task: settings, published numbers, and what the paper leaves open."""
    text = files("egonet.experiments").joinpath("specs", f"{task}.toml").read_text("utf-8")
    return tomllib.loads(text)


def fit_words(spec: dict[str, Any], choice: NodeChoice) -> dict[str, Any]:
    """Return a spec's arguments of `fit_embeddings`: radius, dim, walks, training; small if quick."""
    from egonet.embeddings.training import Training
    from egonet.embeddings.walks import Walks

    walks = spec["walks"] | (_QUICK_WALKS if choice.quick else {})
    training = spec["training"] | (_QUICK_TRAINING if choice.quick else {})
    return {
        "dim": _QUICK_DIM if choice.quick else spec["dim"],
        "walks": Walks(**walks),
        "training": Training(**training),
    }


def blank_line(task: str, data: str, method: str, seed: int, choice: NodeChoice, radius: int = 0) -> Line:
    """Return a line that still has no score; radius 0 stands for methods that read no encoding."""
    form = ",".join(f"{key}={value}" for key, value in choice.words.items()) or "total"
    return Line(
        table=task,
        data=data,
        model=method,
        target="",
        form=form if radius else "none",
        radius=int(choice.words.get("radius", radius)) if radius else 0,
        seed=seed,
        protocol=choice.protocol,
        quick=choice.quick,
        score=float("nan"),
        details={},
        seconds=0.0,
        environment={},
    )


def check_names(words: Iterable[str], known: Iterable[str], what: str) -> None:
    """Refuse names that a task does not have.

    Examples
    --------
    >>> check_names(["degre"], ["degree", "node2vec"], "link prediction has no method")
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: link prediction has no method 'degre'. There are: degree, node2vec.
    """
    names = list(dict.fromkeys(known))
    for word in words:
        if word not in names:
            raise InputError(f"{what} {word!r}. There are: {', '.join(names)}.")


def plan_words(plan: list[list[Line]]) -> list[str]:
    """Return what a plan holds, a sentence per data set; each part of it is about one seed."""
    parts: dict[str, list[list[Line]]] = {}
    for blanks in plan:
        parts.setdefault(blanks[0].data, []).append(blanks)
    return [
        f"{name}: {', '.join(line.model for line in seeds[0])}, {sum(map(len, seeds))} lines"
        for name, seeds in parts.items()
    ]


def keep_lines(
    task: str,
    blanks: list[Line],
    choice: NodeChoice,
    say: Callable[[str], None],
    fill: Callable[[list[Line]], Iterator[Line]],
) -> list[Line]:
    """Fill the lines that are not in the results folder yet, append each as it comes, and return the new ones."""
    path = results_path(choice.folder, task, choice.protocol)
    done = {line.key for line in read_lines(path)}
    missing = [line for line in blanks if line.key not in done]
    if len(missing) < len(blanks):
        say(f"{blanks[0].data}: {len(blanks) - len(missing)} of {len(blanks)} lines are there, skipped")
    fresh = []
    for line in fill(missing) if missing else ():
        append_lines(path, [line])
        fresh.append(line)
        say(f"{line.data}, seed {line.seed}, {line.model}: {line.score:.4f} in {line.seconds:.1f} s")
    return fresh


def parse_words(text: str) -> dict[str, Any]:
    """Return an encoding such as "full@2" or "common@2" as words of `egonet.encode`.

    Examples
    --------
    >>> parse_words("full@1"), parse_words("common@2")
    ({'radius': 1, 'degrees': 'full'}, {'radius': 2, 'degrees': 'full', 'common': True})
    """
    form, _, radius = text.partition("@")
    if not radius.isdecimal() or form not in ("total", "layered", "full", "common"):
        raise InputError(f"an encoding is written as full@2, total@1, layered@2 or common@2, got {text!r}.")
    if form == "common":
        return {"radius": int(radius), "degrees": "full", "common": True}
    return {"radius": int(radius), "degrees": form}
