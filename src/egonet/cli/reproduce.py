"""The command `egonet reproduce`: the paper's tables, run and reported."""

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from egonet.atomic import reserved
from egonet.errors import InputError

if TYPE_CHECKING:
    from egonet.experiments.vertextasks import VertexChoice

app = typer.Typer(name="reproduce", help="Run the tables of the paper and report them.", no_args_is_help=True)

Folder = Annotated[Path, typer.Option("--results", help="The folder that holds the results.")]


@app.command("list")
def list_tables() -> None:
    """List the tables, their data sets and models."""
    from egonet.experiments.spec import TABLES, table_spec
    from egonet.experiments.vertextasks import VERTEX_TASKS, vertex_spec

    for name in TABLES:
        table = table_spec(name)
        typer.echo(f"{name}  {table.title} ({table.source})")
        for data, spec in table.data.items():
            models = {cell.model for cell in table.cells if cell.data == data}
            typer.echo(f"  {data:<12}{' '.join(model for model in spec.networks if model in models)}")
        if table.quoted:
            typer.echo("  quoted from the paper, nothing to run")
    for name in VERTEX_TASKS:
        task = vertex_spec(name)
        typer.echo(f"{name}  {task['title']} ({task['source']})")
        typer.echo(f"  {' '.join(task['data'])}{' ppi' if 'ppi' in task else ''}")


@app.command()
def run(
    table: Annotated[
        str,
        typer.Argument(
            help="table1, table4, table5, linkprediction or nodeclassification.", show_default=False
        ),
    ],
    data: Annotated[list[str] | None, typer.Option(help="Only this data set; may be repeated.")] = None,
    model: Annotated[list[str] | None, typer.Option(help="Only this model; may be repeated.")] = None,
    form: Annotated[
        list[str] | None, typer.Option(help="Another encoding, e.g. full@2; may be repeated.")
    ] = None,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    protocol: Annotated[
        str | None,
        typer.Option(
            help="paper or honest; if left out, paper for tables, honest for the tasks about vertices."
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small piece of the work; its scores mean nothing.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would run.")] = False,
    seconds: Annotated[float | None, typer.Option(help="Start no job after so many seconds.")] = None,
    jobs: Annotated[
        int,
        typer.Option(
            min=1, help="So many jobs at a time, each in a process of its own, sharing the device (tables)."
        ),
    ] = 1,
    capture: Annotated[bool, typer.Option(help="Record steps as CUDA graphs, on a GPU.")] = True,
    seed: Annotated[
        list[int] | None, typer.Option(help="Only this seed; may be repeated (vertices).")
    ] = None,
    results: Folder = Path("results"),
) -> None:
    """Run what is missing of TABLE; every seed leaves a line of JSON in the results folder."""
    from egonet.experiments.results import held_results
    from egonet.experiments.run import Choice, plan_jobs, run_table
    from egonet.experiments.settings import Settings
    from egonet.experiments.spec import TABLES, table_spec
    from egonet.experiments.vertextasks import VERTEX_TASKS, VertexChoice, parse_words

    if table not in (*TABLES, *VERTEX_TASKS):
        near = get_close_matches(table, (*TABLES, *VERTEX_TASKS), n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join((*TABLES, *VERTEX_TASKS))}."
        raise InputError(f"there is no {table!r} to reproduce. {hint}")
    if table in VERTEX_TASKS:
        if jobs > 1:
            raise InputError(f"--jobs is for tables; {table} runs one seed after the other. Leave it out.")
        if form and len(form) > 1:
            raise InputError(f"{table} takes one --form at a time, got {len(form)}.")
        vertices = VertexChoice(
            tuple(data or ()),
            tuple(model or ()),
            tuple(seed or ()),
            protocol or "honest",
            device,
            quick,
            results,
            seconds,
            parse_words(form[0]) if form else {},
        )
        _run_vertices(table, vertices, dry_run=dry_run)
        return
    if seed:
        raise InputError(
            "--seed is for the tasks about vertices; a table trains all its seeds. Leave it out."
        )
    if table_spec(table).quoted:
        raise InputError(f"{table} is quoted from the paper; there is nothing to run.")
    protocol = protocol or "paper"
    if protocol not in ("paper", "honest"):
        raise InputError(f"protocol must be paper or honest, got {protocol!r}.")
    settings = Settings(
        protocol=protocol,
        device=device,
        quick=quick,
        capture=None if capture else False,
        report=lambda text: typer.echo(f"  {text}", err=True),
        beside=jobs,
    )
    choice = Choice(tuple(data or ()), tuple(model or ()), tuple(form or ()), settings, results, seconds)
    if dry_run:
        for job in plan_jobs(table_spec(table), choice):
            typer.echo(job.name)
        return
    with held_results(results, table, protocol):
        lines = run_table(table, choice, lambda text: typer.echo(text, err=True))
    typer.echo(f"{len(lines)} new lines in {results}.")


def _run_vertices(task: str, choice: "VertexChoice", *, dry_run: bool) -> None:
    """Run what is missing of a task about vertices, or say what it has."""
    from egonet.experiments.results import held_results
    from egonet.experiments.vertextasks import plan_words

    if task == "linkprediction":
        from egonet.experiments.linkprediction import plan_links as planner
        from egonet.experiments.linkprediction import run_links as runner
    else:
        from egonet.experiments.nodeclassification import plan_nodes as planner
        from egonet.experiments.nodeclassification import run_nodes as runner
    if dry_run:
        for sentence in plan_words(planner(choice)):
            typer.echo(sentence)
        return
    with held_results(choice.folder, task, choice.protocol):
        lines = runner(choice, lambda text: typer.echo(text, err=True))
    typer.echo(f"{len(lines)} new lines in {choice.folder}.")


@app.command()
def baselines(results: Folder = Path("results")) -> None:
    """Write baselines.json: what is reached without any network."""
    from egonet.experiments.report import write_baselines

    with reserved(results / "baselines.json"):
        typer.echo(f"Wrote {write_baselines(results)}.")


@app.command()
def report(results: Folder = Path("results")) -> None:
    """Write report.md and report.html: ours beside the paper's, with intervals and significance."""
    from egonet.experiments.report import write_report

    if not results.is_dir():
        raise InputError(
            f"there is no folder {str(results)!r}. Run `egonet reproduce run` first, or name another by --results."
        )
    with reserved(results / "report.md"):
        for path in write_report(results):
            typer.echo(f"Wrote {path}.")
