"""Options that commands share, as records in panels of the help, and the parsing of their text."""

import inspect
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

import egonet
from egonet import Settings
from egonet.checks import as_threads, one_of
from egonet.encoding.export import Form
from egonet.encoding.matrix import Weighting
from egonet.encoding.settings import DegreeBins, Layout
from egonet.encoding.vocabulary import UnseenPolicy
from egonet.errors import IgnoredInputWarning, InputError, UnknownNodeError, UnseenWarning
from egonet.errors import option as marked
from egonet.graph.columns import EDGE_ROLES, ROLES, CountedColumn, exact_number
from egonet.graph.graph import Graph
from egonet.io.paths import FORMATS
from egonet.tables.table import number_in
from egonet.typing import Degrees, Follow, Rooted

INPUT, FEATURES, OUTPUT, SCALE = "Input", "Features", "Output", "Scale"
#: The file that "-" means as an input.
STDIN = Path("/dev/stdin")
#: The help of --time-format.
TIME_FORMAT = "The form of times in text, such as %d.%m.%Y; without it dates such as 2024-01-31T12:00."
#: Options of `Features` that name data.
DATA = tuple(ROLES)
#: Options that say how numbers of edges become types.
BINS = tuple(role.bins for role in EDGE_ROLES.values() if role.bins is not None)
#: Options that take a character.
DELIMITERS = ("delimiter", "nodes_delimiter", "pairs_delimiter", "queries_delimiter", "other_delimiter")
#: Options that name files to write.
OUTPUTS = ("output", "save", "save_vocabulary")


def option(panel: str, text: str, *names: str, **more: Any) -> Any:
    """Return an option in a panel of the help."""
    return typer.Option(*names, help=text, rich_help_panel=panel, **more)


def switch(name: str) -> str:
    """Return the option of a keyword.

    >>> switch("edge_labels")
    '--edge-labels'
    """
    return f"--{name.replace('_', '-')}"


def choice(panel: str, name: str, values: tuple[str, ...], text: str) -> Any:
    """Return an option that takes one of some values: they are shown, completed and checked."""

    def check(value: str | None) -> str | None:
        if value is not None:
            one_of(name, value, values)
        return value

    def complete(incomplete: str) -> list[str]:
        return [value for value in values if value.startswith(incomplete)]

    shown = f"[{'|'.join(values)}]"
    return option(panel, text, name, metavar=shown, callback=check, autocompletion=complete)


def check_threads(value: int | None) -> int | None:
    """Return a number of threads; raise if it is below 1."""
    as_threads(value)
    return value


def output_option(endings: str, shown: str) -> Any:
    """Return the option `--output` of a command that shows the first of some rows without it."""
    text = f"A file ({endings}), or - for CSV on stdout. Without it the first {shown} are shown."
    return option(OUTPUT, text, "--output", "-o")


GraphPath = Annotated[
    Path,
    typer.Argument(
        help="A graph file: csv, tsv, txt (also .gz), parquet, arrow, mtx, graphml, gml, g6 or npz; - for stdin,"
        " whose first line gives the format; or a folder that encode wrote.",
        show_default=False,
    ),
]
Radius = Annotated[
    str | None,
    option(FEATURES, "Hops around each node, or several: 1,2.", "--radius", "-r", show_default="2"),
]
MaxDegree = Annotated[int | None, option(FEATURES, "Count higher degrees as this one.")]
Threads = Annotated[
    int | None, option(SCALE, "Threads; one per core by default.", "--threads", callback=check_threads)
]
AsJson = Annotated[bool, option(OUTPUT, "Print one JSON object.", "--json")]
Kind = Annotated[str, choice(FEATURES, "--degrees", get_args(Degrees), "How degrees are counted.")]
Quiet = Annotated[bool, option(OUTPUT, "Print results and errors only.", "--quiet", "-q")]


Bins = Annotated[
    str | None,
    choice(
        FEATURES,
        "--degree-bins",
        get_args(DegreeBins),
        "Merge degrees into 0, 1, 2-3, 4-7, ..., or into quarters of the graph's own degrees.",
    ),
]


LogBins = Annotated[
    str | None, choice(FEATURES, "--degree-bins", ("log",), "Merge degrees into 0, 1, 2-3, 4-7, ...")
]


EdgeTypes = Annotated[str | None, option(FEATURES, "The column with the type of every edge.")]
EdgeWeights = Annotated[
    str | None, option(FEATURES, "The column with the weight of every edge, for --weight-bins.")
]
WeightBins = Annotated[
    str | None, option(FEATURES, "Weights as edge types: log, a number of quantiles, or limits: 10,100.")
]
NodeLabels = Annotated[
    Path | None,
    option(FEATURES, "A table with a column node (or id) and a column of labels: csv, tsv or parquet."),
]
BothLabels = Annotated[
    list[Path] | None,
    option(
        FEATURES,
        "A table with a column node (or id) and a column of labels: csv, tsv or parquet. "
        "With two graphs, one for both or one for each.",
    ),
]


@dataclass(frozen=True)
class EdgeColumns:
    """The columns of edges that are counted, by keyword, and how numbers become types; shown after other options."""

    edge_labels: EdgeTypes = None
    weights: EdgeWeights = None
    weight_bins: WeightBins = None

    def edges(self) -> dict[str, Any]:
        """Return which columns of the edges are used, as keywords of `egonet.encode`."""
        return {name: getattr(self, name) for name in EDGE_ROLES}

    def bins(self) -> dict[str, Any]:
        """Return how numbers become types, as keywords of `egonet.Settings`."""
        return {name: parse_bins(getattr(self, name)) for name in BINS}


@dataclass(frozen=True)
class NodeColumns:
    """How tables with a row per node are read."""

    node_column: Annotated[
        str | None,
        option(
            INPUT,
            "The column of the ids in a table of nodes: its name, or its position from 1; node or id otherwise.",
        ),
    ] = None
    nodes_header: Annotated[
        bool | None,
        option(
            INPUT,
            "Whether the first line of a table of nodes has column names.",
            "--nodes-header/--no-nodes-header",
        ),
    ] = None
    nodes_delimiter: Annotated[
        str | None,
        option(INPUT, "The character between the fields of a table of nodes; by its ending otherwise."),
    ] = None

    def check_used(self, *tables: Any) -> None:
        """Raise if something is said about tables of nodes, and there are none."""
        names = [each.name for record in (NodeColumns, LabelColumns) for each in fields(record)]
        unused = next((name for name in names if getattr(self, name, None) is not None), None)
        if unused is not None and not any(tables):
            text = f"no_{unused}" if getattr(self, unused) is False else unused
            raise InputError(f"{switch(text)} is about a table of nodes, and there is none. Leave it out.")


@dataclass(frozen=True)
class LabelColumns(NodeColumns):
    """How tables of labels are read."""

    label_column: Annotated[
        str | None,
        option(
            INPUT, "The column of the labels in the table of --labels, if it has several: name or position."
        ),
    ] = None


@dataclass(frozen=True)
class Reading:
    """How a graph file is read."""

    source: Annotated[
        str | None, option(INPUT, "The column of one end of each edge: its name, or its position from 1.")
    ] = None
    target: Annotated[
        str | None, option(INPUT, "The column of the other end: its name, or its position.")
    ] = None
    directed: Annotated[
        str | None,
        choice(
            INPUT, "--directed", ("out", "in", "no"), "Follow arcs out or in; no: undirected, without a note."
        ),
    ] = None
    delimiter: Annotated[str | None, option(INPUT, "The character between the fields of a text file.")] = None
    comment: Annotated[str | None, option(INPUT, "Skip lines that start with one of these characters.")] = (
        None
    )
    header: Annotated[
        bool | None, option(INPUT, "Whether the first line has column names.", "--header/--no-header")
    ] = None
    missing: Annotated[
        str | None,
        choice(INPUT, "--missing", ("drop",), "Leave out rows with a missing id or value, and count them."),
    ] = None
    ids: Annotated[
        str | None, choice(INPUT, "--ids", ("text",), "Read all ids as text, also those that are numbers.")
    ] = None
    simplify: Annotated[
        bool | None,
        option(INPUT, "No note about columns, repeats and loops that are not used.", "--simplify"),
    ] = None
    format: Annotated[
        str | None,
        choice(INPUT, "--format", tuple(dict.fromkeys(FORMATS.values())), "Overrides the file's ending."),
    ] = None

    def keywords(
        self, features: "EdgeColumns | None" = None, keep: Sequence[str | None] = ()
    ) -> dict[str, Any]:
        """Return the keywords of `egonet.read_graph`; positions start at 0 there, at 1 here.

        With degrees "in_out" arcs are kept; the columns of edge types are always kept, and those of `keep`.

        >>> given = Reading(source="1", target="payee", directed="no").keywords()
        >>> given["source"], given["target"], given["directed"]
        (0, 'payee', False)
        """
        if self.delimiter == "":
            raise InputError(
                f"{marked('delimiter')} must be one character, got ''. Write ' ' for blanks, or leave it out."
            )
        keywords: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(Reading)}
        keywords["directed"] = False if self.directed == "no" else self.directed
        if getattr(features, "degrees", None) == "in_out" and self.directed is None:
            keywords["directed"] = "out"
        columns = [*keep, *(() if features is None else features.edges().values())]
        if any(name is not None for name in columns):
            keywords["keep"] = [name for name in dict.fromkeys(columns) if name is not None]
        for name in ("source", "target"):
            keywords[name] = column_or_position(keywords[name], f"--{name}")
        return keywords

    def read(
        self, path: Path, features: "EdgeColumns | None" = None, keep: Sequence[str | None] = ()
    ) -> Graph:
        """Return the graph of a file, of stdin, or of a folder that `egonet encode` wrote."""
        if not (path / "manifest.json").is_file():
            keywords = self.keywords(features, keep)
            if str(path) != "-":
                return egonet.read_graph(path, **keywords)
            if self.format is None and self.delimiter is not None:
                keywords["format"] = "csv"  # the other formats have no delimiter, or have their own
            return egonet.read_graph(STDIN, **keywords)
        unused = next((each.name for each in fields(Reading) if getattr(self, each.name) is not None), None)
        if unused:
            value = getattr(self, unused)
            text = marked(unused, value) if value is False else marked(unused)
            raise InputError(f"a folder has its graph as it was read. Leave {text} out.")
        graph = egonet.load(path).graph
        assert graph is not None  # a folder has one
        return graph

    def read_many(self, path: Path, features: "EdgeColumns | None" = None) -> list[Graph]:
        """Return every graph of a file, or of stdin."""
        return egonet.read_graphs(STDIN if str(path) == "-" else path, **self.keywords(features))


@dataclass(frozen=True)
class LabeledReading(Reading, LabelColumns):
    """How a graph file and tables of its nodes are read."""


#: Formats of tables, and those of them that are text.
_TEXTS = ("csv", "tsv", "text")
_TABLES = (*_TEXTS, "parquet", "arrow")
#: Options of a table of edges, and those of them that text files alone have.
_OF_TABLES, _OF_TEXT = ("source", "target"), ("delimiter", "comment", "header")


@dataclass(frozen=True)
class OtherReading:
    """How the second of two graph files is read, where it differs from the first."""

    other_source: Annotated[str | None, option(INPUT, "--source of the second graph, if it differs.")] = None
    other_target: Annotated[str | None, option(INPUT, "--target of the second graph, if it differs.")] = None
    other_delimiter: Annotated[
        str | None, option(INPUT, "--delimiter of the second graph, if it differs.")
    ] = None
    other_header: Annotated[
        bool | None,
        option(INPUT, "--header of the second graph, if it differs.", "--other-header/--no-other-header"),
    ] = None
    other_format: Annotated[
        str | None,
        choice(
            INPUT,
            "--other-format",
            tuple(dict.fromkeys(FORMATS.values())),
            "--format of the second graph, if it differs.",
        ),
    ] = None

    def check_unused(self) -> None:
        """Raise if something is said about a second file, and there is none."""
        for name, value in vars(self).items():
            if value is not None:
                raise InputError(
                    f"--{name.replace('_', '-')} is about a second file, and there is none. Leave it out."
                )

    def after(self, first: Reading, path: Path) -> Reading:
        """Return how the second file is read: as the first, except for what is given and what its format lacks.

        >>> second = OtherReading(other_target="payee").after(Reading(source="from", target="to"), Path("b.csv"))
        >>> second.source, second.target
        ('from', 'payee')
        >>> OtherReading().after(Reading(source="from", target="to"), Path("b.graphml")).source is None
        True
        """
        other = {name.removeprefix("other_"): value for name, value in vars(self).items()}
        options = {name: value for name, value in other.items() if value is not None}
        if "format" not in options and FORMATS.get(path.suffix.lower()) is not None:
            options["format"] = None  # its ending says it
        chosen = options.get("format") or FORMATS.get(path.suffix.lower())
        absent = () if chosen in _TEXTS else _OF_TEXT if chosen in _TABLES else _OF_TABLES + _OF_TEXT
        if chosen is None or str(path) == "-" or path.suffix.lower() == ".gz":
            absent = ()
        return replace(first, **(dict.fromkeys(absent) | options))


@dataclass(frozen=True)
class Features(EdgeColumns):
    """What is counted, and the columns it gives; builds `egonet.Settings`."""

    radius: Radius = None
    degrees: Kind = "total"
    degree_bins: Bins = None
    max_degree: MaxDegree = None
    labels: NodeLabels = None
    common: Annotated[
        bool, option(FEATURES, "Add how the common neighbors of each edge are linked.", "--common")
    ] = False
    rooted: Annotated[
        str,
        choice(FEATURES, "--rooted", get_args(Rooted), "Count around every node, edge or pair, or refine."),
    ] = "node"
    depth: Annotated[int, option(FEATURES, "Marked nodes of --rooted refined, the root included.")] = 1
    frontier_edges: Annotated[
        bool,
        option(
            FEATURES,
            "Ignore edges between nodes at the last distance.",
            " /--no-frontier-edges",
            show_default=False,
        ),
    ] = True
    layout: Annotated[
        str,
        choice(
            FEATURES, "--layout", get_args(Layout), "Columns that occur, or all up to the largest degree."
        ),
    ] = "observed"
    cap: Annotated[
        int | None, option(FEATURES, "Keep at most this many edges per node, chosen by a hash.")
    ] = None

    count: Annotated[
        str,
        choice(FEATURES, "--count", ("nodes", "edges"), "Count the nodes of ego-networks, or their edges."),
    ] = "nodes"

    follow: Annotated[
        str,
        choice(FEATURES, "--follow", get_args(Follow), "Which way distances go, with --degrees in_out."),
    ] = "any"

    def settings(self) -> Settings:
        """Return what is counted; labels are data, not a setting."""
        options: dict[str, Any] = {name: value for name, value in vars(self).items() if name not in DATA}
        return Settings(**options | self.bins() | {"radius": parse_radius(self.radius)})

    def changed_settings(self) -> dict[str, Any]:
        """Return the settings that differ from their defaults, as keywords of the library."""
        names = [each.name for each in fields(self) if getattr(self, each.name) != each.default]
        keywords = {name: getattr(self, name) for name in names if name not in DATA}
        keywords |= {name: value for name, value in self.bins().items() if value is not None}
        return keywords if self.radius is None else keywords | {"radius": parse_radius(self.radius)}


@dataclass(frozen=True)
class Tables:
    """How features are written as a table."""

    weighting: Annotated[
        str,
        choice(
            OUTPUT, "--weighting", get_args(Weighting), "How counts are weighted; rank is for another graph."
        ),
    ] = "count"
    form: Annotated[
        str | None,
        choice(
            OUTPUT, "--form", get_args(Form), "A column per feature, or lists; wide up to 2,000 features."
        ),
    ] = None

    def check_used(self, output: str | None) -> None:
        """Raise if nothing is written that these options could change."""
        unused = "form" if self.form is not None else "weighting" if self.weighting != "count" else None
        if output is None and unused is not None:
            raise InputError(
                f"--{unused} is about a table that is written. Add -o features.parquet, or leave it out."
            )
        if output == "-" and self.form == "sparse":
            raise InputError("CSV has no lists. Write .parquet or .arrow for --form sparse.")


@dataclass(frozen=True)
class Scale:
    """Where counting runs, and what it may use."""

    threads: Threads = None
    device: Annotated[str, choice(SCALE, "--device", ("cpu", "cuda"), "Where to count; cuda is a GPU.")] = (
        "cpu"
    )
    memory_limit: Annotated[
        str | None, option(SCALE, "Fail before counting if more memory is needed, e.g. 2GB.")
    ] = None
    memory: Annotated[str | None, option(SCALE, "Memory to use with --output folder/. 2GB by default.")] = (
        None
    )
    engine: Annotated[
        str, choice(SCALE, "--engine", ("memory", "spark"), "Spark runs on a cluster, with --output folder/.")
    ] = "memory"
    master: Annotated[str | None, option(SCALE, "Spark's master, e.g. local[2,4] or spark://host:7077.")] = (
        None
    )
    partitions: Annotated[int | None, option(SCALE, "Node ranges for Spark.")] = None
    memory_per_task: Annotated[str | None, option(SCALE, "Memory of a Spark task. 2GB by default.")] = None
    dry_run: Annotated[bool, option(SCALE, "Print what Spark would do, and stop.", "--dry-run")] = False


Unseen = Annotated[
    str,
    choice(
        FEATURES, "--unseen", get_args(UnseenPolicy), "What to do with keys that are not in --vocabulary."
    ),
]


def egonet_command(
    *, version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False
) -> None:
    """Exact structural features for every node of a graph, from its ego-networks."""
    if version:
        typer.echo(f"egonet {egonet.__version__}")
        raise typer.Exit


def command(*examples: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator for commands: parameters that are records of options become one option per field.

    `examples` are shown below the help.
    """

    def expand(function: Callable[..., None]) -> Callable[..., None]:
        parameters = inspect.signature(function).parameters.values()
        records: dict[str, Any] = {
            each.name: each.annotation for each in parameters if is_dataclass(each.annotation)
        }

        @wraps(function)
        def run(**values: Any) -> None:
            check_values(values)
            if values["quiet"]:
                for category in (IgnoredInputWarning, UnseenWarning):
                    warnings.simplefilter("ignore", category)
            built = {
                name: record(**{each.name: values.pop(each.name) for each in fields(record)})
                for name, record in records.items()
            }
            function(**values, **built)

        every = [each for parameter in parameters for each in _parameters(parameter)]
        run.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in every}
        run.examples = examples  # type: ignore[attr-defined]
        return run

    return expand


def check_values(values: dict[str, Any]) -> None:
    """Raise if stdin is given for several inputs, or stdout for rows and JSON; columns of edges may be positions.

    >>> check_values({"graph": Path("-"), "labels": [Path("-")], "output": Path("-")})
    Traceback (most recent call last):
        ...
    egonet.errors.InputError: stdin can be read once, but - is given for graph and labels. Save one of them to a file.
    """
    inputs = [(name, value if isinstance(value, list) else [value]) for name, value in values.items()]
    stdin_names = [
        name for name, paths in inputs for path in paths if name not in OUTPUTS and path in (Path("-"), STDIN)
    ]
    if len(stdin_names) > 1:
        switches = " and ".join(name.replace("_", "-") for name in stdin_names)
        raise InputError(
            f"stdin can be read once, but - is given for {switches}. Save one of them to a file."
        )
    if values.get("as_json") and str(values.get("output")) == "-":
        raise InputError("--json and --output - both print to stdout. Give --output a file.")
    for name in DELIMITERS:
        if values.get(name) == "\\t":  # what a shell makes of '\t'
            values[name] = "\t"
    for name in (*EDGE_ROLES, "edge_times", "edge_weights"):
        if values.get(name) is not None:
            values[name] = CountedColumn(values[name])


def _parameters(parameter: inspect.Parameter) -> Iterator[inspect.Parameter]:
    """Yield a parameter, or one for each field of a record."""
    kind = inspect.Parameter.KEYWORD_ONLY
    if not is_dataclass(parameter.annotation):
        yield parameter.replace(kind=kind)
        return
    last = {each.name for each in fields(EdgeColumns)}
    for each in sorted(fields(parameter.annotation), key=lambda each: each.name in last):
        yield inspect.Parameter(each.name, kind, default=each.default, annotation=each.type)


def column_or_position(text: str | None, switch: str) -> str | int | None:
    """Return the name of a column, or its position counted from 0 where the text is a number counted from 1.

    >>> column_or_position("3", "--first"), column_or_position("payer", "--first")
    (2, 'payer')
    """
    if text is None or not (text.isascii() and text.isdigit()):
        return text
    if int(text) == 0 or len(text) > 9:
        raise InputError(f"{switch} must be the name of a column or its position from 1, got {text}.")
    return int(text) - 1


def parse_radius(text: str | None) -> int | tuple[int, ...]:
    """Return "2" as 2, "1,2" as (1, 2), and None, the default, as 2."""
    if text is None:
        return 2
    try:
        radii = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise InputError(
            f"--radius must be a whole number >= 0, or several as in 1,2, got {text!r}."
        ) from None
    return radii[0] if len(radii) == 1 else radii


def parse_bins(text: str | None) -> Any:
    """Return "log" as it is, "4" as 4, and "10,100.5" as (10.0, 100.5).

    >>> parse_bins("log"), parse_bins("4"), parse_bins("10,100.5")
    ('log', 4, (10.0, 100.5))
    """
    if text is None or text == "log":
        return text
    try:
        return (
            int(text)
            if "," not in text and "." not in text
            else tuple(map(exact_number, text.rstrip(",").split(",")))
        )
    except ValueError:
        raise InputError(
            f"--weight-bins must be log, a number of quantiles, or limits as in 10,100, got {text!r}."
        ) from None


def parse_node(graph: Graph, text: str) -> Any:
    """Return the node id that a text means: the text itself, or the number it spells."""
    try:
        graph.index_of(text)
    except UnknownNodeError:
        if (number := number_in(text)) is not None:
            graph.index_of(number)
            return number
        raise
    return text
