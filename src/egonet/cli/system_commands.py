"""Commands about the installation itself: `egonet doctor`, `demo` and `benchmark`."""

from pathlib import Path
from typing import Annotated

import typer

import egonet
from egonet.cli import doctor as doctor_module
from egonet.cli.benchmark import benchmark_graph
from egonet.cli.options import (
    AsJson,
    Comment,
    Delimiter,
    Format,
    GraphPath,
    Header,
    Source,
    Target,
    parse_radius,
    read_one,
    text_words,
)
from egonet.cli.output import print_json, print_rows
from egonet.encoding.export import write_encoding
from egonet.errors import InputError


def doctor(*, as_json: AsJson = False) -> None:
    """Show versions, the processor's kernel, the GPU, Java, and which optional parts are installed."""
    report = doctor_module.examine()
    if as_json:
        print_json(report)
        return
    for section, lines in report.items():
        typer.echo(f"{section}")
        for name, value in lines.items():
            typer.echo(f"  {name:<18}{value}")


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.")] = Path(
        "egonet-demo"
    ),
) -> None:
    """Encode Zachary's karate club, show some nodes, and write the features and a page to look at."""
    club = egonet.named.karate_club()
    encoding = egonet.encode(club, radius=2)
    output.mkdir(parents=True, exist_ok=True)
    path = output / "karate.parquet"
    write_encoding(encoding, path)
    typer.echo(f"Zachary's karate club: {club.num_nodes} members, {club.num_edges} friendships.\n")
    chosen = [0, 33, 2, 11, 14, 16]
    print_rows(encoding, [club.index_of(node) for node in chosen])
    num_classes = len(set(encoding.classes.tolist()))
    typer.echo(
        f"\nAt radius 2 the {len(encoding)} members fall into {num_classes} classes. One of them up close:\n"
    )
    typer.echo(str(egonet.explain(club, 16, radius=2)))
    page = egonet.explore(club, names=["Zachary's karate club"]).write(output / "karate.html")
    typer.echo(
        f"\nFeatures of every member: {path} ({len(encoding)} rows, {len(encoding.vocabulary)} columns)."
    )
    typer.echo(f"The club to look at in a browser: {page}")


def benchmark(
    graph: GraphPath,
    radius: Annotated[str, typer.Option("--radius", "-r", help="Hops around each node.")] = "2",
    repeats: Annotated[int, typer.Option(min=1, help="How often each contender runs.")] = 5,
    source: Source = None,
    target: Target = None,
    delimiter: Delimiter = None,
    comment: Comment = None,
    header: Header = None,
    file_format: Format = None,
    as_json: AsJson = False,
) -> None:
    """Time every algorithm of the kernel on GRAPH: interleaved runs, medians, ratios to the automatic choice."""
    hops = parse_radius(radius)
    if not isinstance(hops, int):
        raise InputError(f"benchmark takes one radius, got {radius!r}.")
    text = text_words(delimiter, comment, header, file_format)
    read = read_one(graph, source, target, None, **text)
    timings = benchmark_graph(read, radius=hops, repeats=repeats)
    if as_json:
        print_json({timing.name: {"cpu": timing.cpu, "wall": timing.wall} for timing in timings})
        return
    chosen = next(timing for timing in timings if timing.name == "auto")
    typer.echo(f"{'algorithm':<20}{'CPU, ms':>12}{'wall, ms':>12}{'wall / auto':>14}")
    for timing in timings:
        ratio = timing.wall / chosen.wall
        typer.echo(f"{timing.name:<20}{1e3 * timing.cpu:>12.2f}{1e3 * timing.wall:>12.2f}{ratio:>14.2f}")
