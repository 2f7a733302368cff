"""What users rely on: public names, documented commands, one version, a short README."""

import doctest
import inspect
import re
from pathlib import Path

import pytest

import egonet

ROOT = Path(__file__).parent.parent


def test_every_exported_name_exists_and_is_sorted():
    assert sorted(egonet.__all__) == egonet.__all__
    assert all(hasattr(egonet, name) for name in egonet.__all__)


@pytest.mark.parametrize("name", [name for name in egonet.__all__ if not name.endswith("Error")])
def test_every_public_thing_has_an_example_that_runs(name):
    thing = getattr(egonet, name)
    for part in public_parts(thing):
        examples = doctest.DocTestFinder(recurse=False).find(part, part.__name__)
        assert any(example.examples for example in examples), f"{part.__name__} has no example"


def public_parts(thing):
    """Return a public thing itself, or the public functions of a module."""
    if not inspect.ismodule(thing):
        return [thing]
    functions = inspect.getmembers(thing, inspect.isfunction)
    return [
        part for name, part in functions if not name.startswith("_") and part.__module__ == thing.__name__
    ]


@pytest.mark.parametrize("name", egonet.__all__)
def test_every_entry_under_parameters_is_a_name(name):
    for part in public_parts(getattr(egonet, name)):
        rest = (inspect.getdoc(part) or "").partition("\nParameters\n----------\n")[2]
        entries = re.split(r"\n[A-Z][a-z]+\n-+\n", rest)[0].splitlines()
        for entry in entries:
            assert not entry or entry[0] == " " or re.fullmatch(r"\w+(, \w+)*,?", entry), f"{name}: {entry}"


def test_links_of_the_readme_lead_somewhere():
    text = (ROOT / "README.md").read_text()

    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert target.startswith("http") or (ROOT / target).exists(), target


def test_every_command_is_in_the_documents(need):
    typer = need("typer")
    from egonet.cli.commands import app

    pages = "\n".join(page.read_text() for page in [ROOT / "README.md", *ROOT.glob("docs/*.md")])
    for name, command in typer.main.get_command(app).commands.items():
        assert command.hidden or f"egonet {name}" in pages, f"no page mentions `egonet {name}`"


def test_no_machine_paths_in_the_wheel_settings():
    build = (ROOT / "CMakeLists.txt").read_text()

    assert "-march=native" not in re.sub(r"#.*", "", build)
