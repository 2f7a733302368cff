"""The scripts of the documentation: broken links are found, and a switch leads from version to version."""

import importlib.util
import json
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent.parent / "docs"


def script(name):
    """Return a script of the documentation as a module."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(folder, pages):
    for name, text in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def test_a_link_without_a_file_or_an_id_is_broken(tmp_path):
    good = '<h1 id="top">x</h1><a href="b/c.html#here">x</a><a href="#top">x</a><a href="https://none.example">x</a>'
    bad = '<a id="here" href="../a.html#gone">x</a><img src="none.svg"><a href="../b">x</a>'
    write(tmp_path, {"a.html": good, "b/c.html": bad})

    found = script("check_links").broken_links(tmp_path)

    assert found == [
        "b/c.html: ../a.html#gone",
        "b/c.html: none.svg",
        "b/c.html: ../b",
    ]


def test_versions_are_listed_with_the_newest_release_first(tmp_path):
    for name in ("1.9.0", "development", "1.10.0"):
        write(tmp_path / name, {"index.html": "", "more/page.html": ""})
    write(tmp_path, {"notes/readme.txt": "no version"})

    names = script("version").write_versions(tmp_path)

    assert names == ["development", "1.10.0", "1.9.0"]
    text = (tmp_path / "versions.js").read_text("utf-8")
    listed = json.loads(text.removeprefix("globalThis.EGONET_VERSIONS = ").removesuffix(";\n"))
    assert listed[0] == {"name": "development", "pages": ["index.html", "more/page.html"]}
    assert "url=1.10.0/index.html" in (tmp_path / "index.html").read_text("utf-8")


@pytest.mark.parametrize("name", ["latest", "1.2", "../1.2.0"])
def test_a_name_that_is_no_version_is_an_error(tmp_path, name):
    with pytest.raises(SystemExit, match=r"The name must be 'development' or a version as in 1\.2\.0"):
        script("version").main(name, tmp_path)


def test_the_switch_leads_to_the_same_page_or_the_first(browser, tmp_path, need):
    jinja2 = need("jinja2")
    template = jinja2.Template((DOCS / "templates" / "version-switch.html").read_text("utf-8"))
    for version, pages in {"1.0.0": ["index", "guide/new"], "0.9.0": ["index"]}.items():
        for page in pages:
            root = "../" if "/" in page else "./"
            shown = template.render(
                content_root=root,
                docs_version=version,
                pagename=page,
                pathto=lambda _, __, root=root: f"{root}version.js",
            )
            write(tmp_path / version, {f"{page}.html": f"<!doctype html><meta charset=utf-8>{shown}"})
        write(tmp_path / version, {"version.js": (DOCS / "static" / "version.js").read_text("utf-8")})
    script("version").write_versions(tmp_path)
    tab = browser.new_page()
    tab.goto((tmp_path / "1.0.0" / "guide" / "new.html").as_uri())
    menu = tab.get_by_label("Version of the documentation")

    assert menu.locator("option").all_text_contents() == ["1.0.0", "0.9.0"]
    assert menu.input_value() == "1.0.0"
    menu.select_option("0.9.0")
    tab.wait_for_url("**/0.9.0/index.html")
    menu.select_option("1.0.0")
    tab.wait_for_url("**/1.0.0/index.html")
    tab.close()
