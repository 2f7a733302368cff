"""Checks that the built reference has every public name and method: python docs/check_reference.py build/docs."""

import importlib
import inspect
import re
import sys
import zlib
from functools import cached_property
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent / "api.md"
#: Methods of scikit-learn and torch, which document them.
LEFT_OUT = {"set_params", "set_extra_state", "get_extra_state", "extra_repr", "load_state_dict"}


def public_names() -> list[str]:
    """Return the names that the page lists, as "egonet.links.predict"."""
    return [f"egonet.{name}" for name in re.findall(r"^   ([A-Za-z_.]+)$", PAGE.read_text("utf-8"), re.M)]


def find(name: str) -> Any:
    """Return the object of a name."""
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def members(thing: Any) -> list[str]:
    """Return the public methods and properties that a class of egonet or its bases in egonet define."""
    named: dict[str, None] = {}
    for kind in inspect.getmro(thing):
        if kind.__module__.partition(".")[0] != "egonet":
            continue
        for name, value in vars(kind).items():
            code = isinstance(
                value, property | cached_property | classmethod | staticmethod
            ) or inspect.isfunction(value)
            if code and not name.startswith("_") and name not in LEFT_OUT:
                named[name] = None
    return list(named)


def listed_names(folder: Path) -> set[str]:
    """Return the Python names in objects.inv of a built documentation."""
    content = (folder / "objects.inv").read_bytes().split(b"\n", 4)[4]
    lines = zlib.decompress(content).decode().splitlines()
    return {line.split(" ", 1)[0] for line in lines if " py:" in line}


def main(folder: str) -> str | None:
    """Return what the reference lacks as text, or None if it has everything."""
    wanted = public_names()
    wanted += [
        f"{name}.{member}" for name in wanted if inspect.isclass(find(name)) for member in members(find(name))
    ]
    missing = sorted(set(wanted) - listed_names(Path(folder)))
    return "\n".join(f"objects.inv has no {name}" for name in missing) or None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
