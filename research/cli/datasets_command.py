"""The commands `datasets ...`: what the data sets are, where their files are, and how to get them."""

import json
from os.path import commonpath
from pathlib import Path
from typing import Annotated

import typer

from egonet.errors import FileError
from research.datasets.fetch import fetch as fetch_files
from research.datasets.fetch import find_file, folders
from research.datasets.fetch import verify as verify_files
from research.datasets.registry import data_set, registry

app = typer.Typer(name="datasets", help="The data sets of the experiments.", no_args_is_help=True)

Name = Annotated[
    str, typer.Argument(help="A data set, as in `python -m research datasets list`.", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command("list")
def list_datasets(*, as_json: AsJson = False) -> None:
    """List every data set and whether its files are present."""
    states = {name: _state(name) for name in registry()}
    if as_json:
        typer.echo(json.dumps(states, default=str))
        return
    for name, entry in registry().items():
        typer.echo(
            f"{name:<13}{entry.num_graphs:>7,} graphs {entry.num_nodes:>8,} nodes  {states[name]:<9}{entry.title}"
        )


@app.command()
def info(name: Name, *, as_json: AsJson = False) -> None:
    """Show what a data set contains and where it comes from."""
    entry = data_set(name)
    facts = {
        "name": entry.name,
        "title": entry.title,
        "task": entry.task,
        "graphs": entry.num_graphs,
        "nodes": entry.num_nodes,
        "edges": entry.num_edges,
        "files": len(entry.files),
        "bytes": entry.num_bytes,
        "note": entry.note,
        "sources": [*entry.bases, *([entry.archive] if entry.archive else [])],
    }
    if as_json:
        typer.echo(json.dumps(facts, default=str))
        return
    for key, value in facts.items():
        shown = "\n".join(f"{'':<10}{line}" for line in value).strip() if isinstance(value, list) else value
        typer.echo(f"{key:<10}{shown}")


@app.command()
def fetch(
    names: Annotated[list[str], typer.Argument(help="Data sets, or `all`.", show_default=False)],
    folder: Annotated[Path | None, typer.Option(help="Where to put them; the default is the cache.")] = None,
) -> None:
    """Fetch data sets from their public addresses, checking every file's sha256."""
    chosen = list(registry()) if names == ["all"] else names
    for name in chosen:
        paths = fetch_files(data_set(name), folder, lambda text: typer.echo(text, err=True))
        where = commonpath([path.parent for path in paths])
        typer.echo(f"{name}: {len(paths)} {'file' if len(paths) == 1 else 'files'} in {where}.")


@app.command()
def verify(
    names: Annotated[list[str] | None, typer.Argument(help="Data sets; the default is all.")] = None,
) -> None:
    """Check the sha256 of every file that is present; exit 1 if one is damaged."""
    damaged = 0
    for name in names or list(registry()):
        states = [state for _, state in verify_files(data_set(name))]
        damaged += states.count("damaged")
        counts = ", ".join(
            f"{states.count(state)} {state}" for state in ("good", "missing", "damaged") if state in states
        )
        typer.echo(f"{name:<13}{counts}")
    if damaged:
        raise typer.Exit(1)


@app.command()
def path(name: Name) -> None:
    """Print the paths of a data set's files; a missing file is an error."""
    files = [find_file(file) for file in data_set(name).files]
    found = [file for file in files if file is not None]
    for file in found:
        typer.echo(str(file))
    if len(found) < len(files):
        raise FileError(
            f"{len(files) - len(found)} of the {len(files)} files of {name!r} are not in "
            f"{' or '.join(map(str, folders()))}. Run: python -m research datasets fetch {name}"
        )


def _state(name: str) -> str:
    """Return whether all, some or none of a data set's files are present."""
    found = [find_file(file) is not None for file in data_set(name).files]
    return "present" if all(found) else "partial" if any(found) else "missing"
