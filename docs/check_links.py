"""Checks every link of the built documentation that stays within it: python docs/check_links.py build/docs."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Links(HTMLParser):
    """The ids of a page and what it links to."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.targets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect ids, links and the addresses of images, scripts and stylesheets."""
        for name, value in attrs:
            if name == "id" or (tag == "a" and name == "name"):
                self.ids.add(value or "")
            elif name in ("href", "src") and value:
                self.targets.append(value)


def read(page: Path) -> Links:
    """Return the ids and targets of a page."""
    links = Links()
    links.feed(page.read_text("utf-8"))
    return links


def broken_links(root: Path) -> list[str]:
    """Return the links without a file or id as "page: link"; links to other sites are not followed."""
    root = root.resolve()
    pages = {page: read(page) for page in sorted(root.rglob("*.html")) if "_static" not in page.parts}
    broken = []
    for page, links in pages.items():
        for target in links.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            path = (page.parent / unquote(parts.path)).resolve() if parts.path else page.resolve()
            path = path / "index.html" if path.is_dir() else path
            known = pages.get(path)
            lost = parts.fragment and known and unquote(parts.fragment) not in known.ids
            if lost or not path.exists():
                broken.append(f"{page.relative_to(root)}: {target}")
    return broken


def main(folder: str) -> str | None:
    """Return the broken links as text, or None if there are none."""
    return "\n".join(sorted(set(broken_links(Path(folder))))) or None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
