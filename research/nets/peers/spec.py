"""The plans of the peers' data sets, read from `specs/peers.toml`."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from research.nets.peers.jobs import SetPlan


@cache
def peer_spec() -> dict[str, Any]:
    """Return the specification: sets, and what authors report."""
    return tomllib.loads(files("research.nets.peers").joinpath("specs", "peers.toml").read_text("utf-8"))


def set_plan(name: str) -> "SetPlan":
    """Return the plan of a set.

    Examples
    --------
    >>> set_plan("mutag").task
    'folds'
    """
    from research.nets.peers.jobs import SetPlan  # needs torch, which reports do without
    from research.nets.peers.methods import SetShape

    entry = dict(peer_spec()["sets"][name])
    return SetPlan(shape=SetShape(**entry.pop("shape")), **entry)


def jobs_of(sets: tuple[str, ...], methods: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """Return (set, method) of all jobs, set by set, without those that are left out.

    Examples
    --------
    >>> jobs_of(("proteins",), ("gin", "ppgn"))
    [('proteins', 'gin')]
    """
    from research.nets.peers.methods import METHODS, SEARCH

    return [
        (name, method)
        for name in sets
        for method in methods
        or (*METHODS, *(SEARCH if peer_spec()["sets"][name].get("task") != "equal" else ()))
        if method not in (set_plan(name).leave_out or {})
    ]
