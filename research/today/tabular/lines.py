"""Results as lines of JSON: a line per fit while a run goes on, and one line for many fits afterwards."""

import json
from pathlib import Path
from typing import Any

#: The field of a line for many fits: what differs between them, a list each.
RUNS = "runs"


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a results file, one per fit, or none without the file."""
    if not path.is_file():
        return []
    found = []
    for text in path.read_text("utf-8").splitlines():
        found += spread_out(json.loads(text))
    return found


def spread_out(line: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the fits of one line.

    Examples
    --------
    >>> spread_out({"set": "mutag", "runs": {"seed": [0, 1], "test": [0.5, 0.75]}})
    [{'set': 'mutag', 'seed': 0, 'test': 0.5}, {'set': 'mutag', 'seed': 1, 'test': 0.75}]
    """
    if RUNS not in line:
        return [line]
    same = {name: value for name, value in line.items() if name != RUNS}
    lists = line[RUNS]
    return [same | dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True)]


def joined(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return lines that differ only in numbers as one, numbers rounded to six digits; of equal fits the last counts.

    Examples
    --------
    >>> joined([{"set": "mutag", "seed": 0, "test": 0.5}, {"set": "mutag", "seed": 1, "test": 0.75}])
    [{'set': 'mutag', 'runs': {'seed': [0, 1], 'test': [0.5, 0.75]}}]
    """
    groups: dict[str, dict[str, dict[str, Any]]] = {}
    for line in lines:
        texts = {name: value for name, value in line.items() if not isinstance(value, (int, float))}
        texts.pop("chosen", None)
        kind = json.dumps([texts, sorted(line)], sort_keys=True)
        unit = json.dumps([line.get("seed"), line.get("fold")])
        groups.setdefault(kind, {})[unit] = line
    found = []
    for group in groups.values():
        own = list(group.values())
        columns = {name: [_rounded(line[name]) for line in own] for name in own[0]}
        same = {
            name: values[0] for name, values in columns.items() if all(each == values[0] for each in values)
        }
        if len(own) == 1:
            found.append(same)
            continue
        same = {name: value for name, value in same.items() if name not in ("seed", "fold")}
        found.append(same | {RUNS: {name: values for name, values in columns.items() if name not in same}})
    return found


def _rounded(value: Any) -> Any:
    """Return a number with six digits after the point."""
    return round(value, 6) if isinstance(value, float) else value


def join_file(path: Path) -> None:
    """Rewrite a results file with as few lines as possible; the old file stays if the new one cannot be written."""
    if not path.is_file():
        return
    new = path.with_name(path.name + ".new")
    new.write_text(
        "".join(json.dumps(line, sort_keys=True) + "\n" for line in joined(read_lines(path))), "utf-8"
    )
    new.replace(path)
