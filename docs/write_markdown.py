"""Writes a Markdown copy of every page and llms.txt, for tools that read: python docs/write_markdown.py build/docs."""

import inspect
import re
import sys
from pathlib import Path, PurePosixPath

from check_reference import find, members, public_names

DOCS = Path(__file__).parent
EXAMPLES = DOCS.parent / "examples"
TOCTREE = re.compile(r"```\{toctree\}\n(.*?)```\n?", re.S)
SENTENCE = (
    "A Python library that turns connections into columns: exact counts of what surrounds a node, an edge, a pair, an "
    "event or a graph, as rows for scikit-learn, gradient boosting and PyTorch."
)


def children(page: str) -> list[str]:
    """Return the pages in the table of contents of a page, in order."""
    entries = [line for block in TOCTREE.findall(source(page)) for line in block.splitlines()]
    named = [re.sub(r".*<(.*)>", r"\1", line.strip()) for line in entries if line.strip() and line[0] != ":"]
    folder = PurePosixPath(page).parent
    paths = [str(PurePosixPath(*_normal((folder / name).parts))) for name in named]
    globbed = [[match.relative_to(DOCS) for match in sorted(DOCS.glob(f"{path}.md"))] for path in paths]
    return [
        name
        for path, matches in zip(paths, globbed, strict=True)
        for name in ([str(match.with_suffix("")) for match in matches] if "*" in path else [path])
        if name != page
    ]


def _normal(parts: tuple[str, ...]) -> list[str]:
    """Return the parts of a path without "..".

    >>> _normal(("research", "..", "time"))
    ['time']
    """
    kept: list[str] = []
    for part in parts:
        kept = kept[:-1] if part == ".." else [*kept, part]
    return kept


def source(page: str) -> str:
    """Return the Markdown of a page without its settings; nothing for a page that is generated."""
    path = DOCS / f"{page}.md"
    return re.sub(r"\A---\n.*?\n---\n+", "", path.read_text("utf-8"), flags=re.S) if path.exists() else ""


def copy_page(page: str) -> str:
    """Return a page as plain Markdown: no table of contents, no directives."""
    text = source(page)
    include = re.search(
        r"```\{include\} (\S+)\n:start-after: ([^\n]*)\n:end-before: ([^\n]*)\n.*?```", text, re.S
    )
    if include:
        path, start, end = include.groups()
        part = (DOCS / page).parent.joinpath(path).read_text("utf-8").split(start)[1].split(end)[0]
        text = text.replace(include[0], part.replace("](docs/", "]("))
    text = TOCTREE.sub("", text)
    text = re.sub(r"```\{eval-rst\}\n(.*?)```", lambda block: _links(block[1]), text, flags=re.S)
    text = re.sub(r"```\{image\} (\S+)\n:alt: ([^\n]*)\n.*?```", r"![\2](\1)", text, flags=re.S)
    text = re.sub(r'<a href="(\w+)\.html"><b>(.*?)</b><span>(.*?)</span></a>', r"- [\2](\1.md): \3", text)
    text = re.sub(r"</?(div|p)\b[^>]*>", "", text)
    text = re.sub(r"\]\(((\.\./)*)pictures/", r"](\1_images/", text)  # where the pages have them
    return re.sub(r"\]\(([\w/]+)\.rst\)", r"](\1.md)", text).strip() + "\n"


def _links(block: str) -> str:
    """Return the names of an autosummary as links to their pages."""
    names = re.findall(r"^   ([A-Za-z_.]+)$", block, re.M)
    return "\n".join(f"- [{name}](api/egonet.{name}.md)" for name in names)


def describe(name: str) -> str:
    """Return the reference of a public name: signature and docstring, and those of its methods."""
    thing = find(name)
    parts = [f"# {name}", _entry(name, thing)]
    if inspect.isclass(thing):
        parts += [
            f"## {member}\n\n{_entry(member, inspect.getattr_static(thing, member))}"
            for member in members(thing)
        ]
    return "\n\n".join(parts) + "\n"


def _entry(name: str, thing: object) -> str:
    """Return the signature and the docstring of an object, in fences."""
    code = getattr(thing, "__func__", None) or getattr(thing, "func", None) or thing
    signature = (
        ""
        if isinstance(code, property) or not callable(code)
        else f"{name.rpartition('.')[2]}{_signature(code)}\n\n"
    )
    return f"```text\n{signature}{inspect.getdoc(code) or ''}\n```"


def _signature(code: object) -> str:
    """Return the parameters of a function or class with their defaults, without types."""
    given = inspect.signature(code)  # type: ignore[arg-type]
    plain = [
        each.replace(annotation=each.empty)
        for each in given.parameters.values()
        if each.name not in ("self", "cls")
    ]
    return str(given.replace(parameters=plain, return_annotation=given.empty))


def copy_example(path: Path) -> str:
    """Return a tutorial as Markdown: its text, and its code in fences."""
    head, *cells = path.read_text("utf-8").split("\n# %%\n")
    _, title, _, text, *code = re.split(r'"""\n(.*)\n(=+)\n\n(.*?)\n"""', head, maxsplit=1, flags=re.S)
    parts = [f"# {title}", text, *([_fence(code[0])] if code and code[0].strip() else [])]
    for cell in cells:
        lines = cell.splitlines()
        end = next((row for row, line in enumerate(lines) if not line.startswith("#")), len(lines))
        prose = [line.removeprefix("#").strip() for line in lines[:end]]
        if len(prose) > 1 and prose[1] and not prose[1].strip("-="):  # a heading is underlined
            parts += [f"## {prose[0]}"]
            prose = prose[2:]
        parts += ["\n".join(prose), _fence("\n".join(lines[end:]))]
    return "\n\n".join(part for part in parts if part.strip()) + "\n"


def list_tutorials(examples: dict[str, str]) -> str:
    """Return the page of all tutorials."""
    title, _, _, *prose = (EXAMPLES / "README.rst").read_text("utf-8").split("\n")
    links = [
        f"- [{text[2:].splitlines()[0]}]({PurePosixPath(page).name}.md)" for page, text in examples.items()
    ]
    return "\n".join([f"# {title}", "", *prose, *links]) + "\n"


def _fence(code: str) -> str:
    """Return code in a fence, without the settings of the gallery; nothing if there is none."""
    code = "\n".join(line for line in code.strip().splitlines() if "sphinx_gallery" not in line).strip()
    return f"```python\n{code}\n```" if code else ""


def summary(text: str) -> tuple[str, str]:
    """Return the title of a page, and its first sentence.

    >>> summary("# Links\\n\\nWho is *next*? Ask. More.")
    ('Links', 'Who is next?')
    """
    title, _, rest = text.removeprefix("# ").partition("\n")
    if rest.startswith("\n```text\n"):  # a page of the reference: the first line of the docstring
        rest = rest.partition("```text\n")[2]
        rest = (
            rest
            if rest[0].isupper() and ")\n\n" not in rest.partition(".\n")[0]
            else rest.partition("\n\n")[2]
        )
    prose = next((part for part in rest.split("\n\n") if re.match(r"(?!```|\d\.)[\w*`\[]", part.strip())), "")
    plain = re.sub(r"[*`]|\]\([^)]*\)|\[", "", " ".join(prose.split()))
    return title, re.split(r"(?<=[.?!])\s", plain)[0]


def write(folder: Path) -> None:
    """Write all files into a folder of built documentation."""
    examples = {f"gallery/{path.stem}": copy_example(path) for path in sorted(EXAMPLES.glob("*.py"))}
    reference = {f"api/{name}": describe(name) for name in public_names()}
    index = [f"# egonet\n\n> {SENTENCE}"]
    pages = {"index": copy_page("index")}
    for part in children("index"):
        inner = examples if part == "gallery/index" else reference if part == "api" else {}
        inner = inner or {page: copy_page(page) for page in children(part) if source(page)}
        inner |= {deep: copy_page(deep) for page in list(inner) for deep in children(page) if source(deep)}
        own = {part: list_tutorials(examples) if part == "gallery/index" else copy_page(part)}
        pages |= own | inner
        heading = "Reference" if part == "api" else summary(own[part])[0]
        lines = []
        for page, text in (own | inner).items():
            title, sentence = summary(text)
            lines.append(
                f"- [{title}]({page}.md)" + (f": {sentence}" if sentence not in ("", "Status.") else "")
            )
        index.append(f"## {heading}\n\n" + "\n".join(lines))
    for page, text in pages.items():
        path = folder / f"{page}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (folder / "llms.txt").write_text("\n\n".join(index) + "\n", "utf-8")
    (folder / "llms-full.txt").write_text("\n\n".join(pages.values()), "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
