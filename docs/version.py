"""Builds the documentation of this checkout as one version of a site: python docs/version.py NAME [SITE].

SITE (build/site) gets a folder per version, versions.js with the list that the switch in the top bar shows, and an
index.html that leads to the newest release, or to "development" if there is none. Versions built before stay.
"""

import json
import os
import re
import sys
from pathlib import Path

DOCS = Path(__file__).parent
DEVELOPMENT = "development"


def main(name: str, site: Path) -> int:
    """Build one version and list all of them; return the exit code of Sphinx."""
    if name != DEVELOPMENT and not re.fullmatch(r"\d+\.\d+\.\d+\w*", name):
        raise SystemExit(f"The name must be {DEVELOPMENT!r} or a version as in 1.2.0, got {name!r}.")
    from sphinx.cmd.build import build_main

    os.environ["EGONET_DOCS_VERSION"] = name
    code = build_main(["-W", "--keep-going", "-q", "-b", "html", str(DOCS), str(site / name)])
    if code == 0:
        write_versions(site)
    return code


def write_versions(site: Path) -> list[str]:
    """Write versions.js and index.html; return the versions, "development" first, then the newest release."""
    found = [folder.name for folder in site.iterdir() if (folder / "index.html").is_file()]
    releases = sorted((name for name in found if name != DEVELOPMENT), key=release_order, reverse=True)
    names = [name for name in found if name == DEVELOPMENT] + releases
    pages = {
        name: sorted(page.relative_to(site / name).as_posix() for page in (site / name).rglob("*.html"))
        for name in names
    }
    versions = [{"name": name, "pages": pages[name]} for name in names]
    (site / "versions.js").write_text(f"globalThis.EGONET_VERSIONS = {json.dumps(versions)};\n", "utf-8")
    newest = (releases or names)[0]
    (site / "index.html").write_text(
        f'<!doctype html><meta charset="utf-8"><title>egonet</title>'
        f'<meta http-equiv="refresh" content="0; url={newest}/index.html">'
        f'<a href="{newest}/index.html">Documentation of egonet {newest}</a>\n',
        "utf-8",
    )
    return names


def release_order(name: str) -> tuple[int, ...]:
    """Return the numbers of a version, so that 1.10.0 is newer than 1.9.0."""
    return tuple(int(number) for number in re.findall(r"\d+", name)[:3])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2] if len(sys.argv) > 2 else "build/site")))
