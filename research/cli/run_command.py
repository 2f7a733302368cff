"""The commands that run the paper's tables: `list`, `run` and `baselines`."""

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from egonet.errors import InputError
from egonet.io import reserved

if TYPE_CHECKING:
    from research.cli.peers_command import PeersChoice
    from research.paper.nodes.choice import NodeChoice
    from research.paper.run import Choice
    from research.today.run import TodayChoice

Results = Annotated[Path, typer.Option("--results", help="The folder with the results files.")]
Names = list[str] | None


def list_tables() -> None:
    """List the tables, their data sets and models."""
    from research.paper.nodes.choice import NODE_TASKS, node_spec
    from research.paper.spec import TABLES, table_spec

    for name in TABLES:
        table = table_spec(name)
        typer.echo(f"{name}  {table.title} ({table.source})")
        for data, spec in table.data.items():
            models = {cell.model for cell in table.cells if cell.data == data}
            typer.echo(f"  {data:<12}{' '.join(model for model in spec.networks if model in models)}")
        if table.quoted:
            typer.echo("  quoted from the paper, nothing to run")
    for name in NODE_TASKS:
        task = node_spec(name)
        typer.echo(f"{name}  {task['title']} ({task['source']})")
        typer.echo(f"  {' '.join(task['data'])}{' ppi' if 'ppi' in task else ''}")


def run(
    table: Annotated[
        str,
        typer.Argument(
            help="table1, table4, table5, linkprediction, nodeclassification, today or peers.",
            show_default=False,
        ),
    ],
    data: Annotated[
        Names, typer.Option("--data", "--set", help="Run only this data set; may be repeated.")
    ] = None,
    model: Annotated[Names, typer.Option(help="Run only this model; may be repeated.")] = None,
    form: Annotated[Names, typer.Option(help="Another encoding, e.g. full@2; may be repeated.")] = None,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    protocol: Annotated[
        str | None,
        typer.Option(help="paper or honest; the default is paper for tables, honest for node tasks."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Run a small part of the work; its scores mean nothing.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would run, and how much of it is finished.")
    ] = False,
    seconds: Annotated[float | None, typer.Option(help="Start no job after this many seconds.")] = None,
    jobs: Annotated[
        int, typer.Option(min=1, help="Jobs that run in parallel, one process each (tables only).")
    ] = 1,
    capture: Annotated[bool, typer.Option(help="Record steps as CUDA graphs on a GPU.")] = True,
    seed: Annotated[
        list[int] | None,
        typer.Option(help="Run only this seed; may be repeated (tables and node tasks)."),
    ] = None,
    results: Results = Path("results"),
) -> None:
    """Run what is missing of TABLE; every seed adds one line of JSON to the results folder."""
    from research.paper.nodes.choice import NODE_TASKS, NodeChoice, parse_encoding
    from research.paper.run import Choice
    from research.paper.settings import Settings
    from research.paper.spec import TABLES

    known = (*TABLES, *NODE_TASKS, "today", "peers")
    if table in ("today", "peers"):
        _refuse(table, {"--seed": seed, "--form": form, "--protocol": protocol})
    if table == "peers":
        from research.cli.peers_command import PeersChoice

        _run_peers(
            PeersChoice(tuple(data or ()), tuple(model or ()), quick, device, results, seconds),
            dry_run=dry_run,
        )
        return
    if table == "today":
        from research.today.run import TodayChoice

        _refuse(table, {"--dry-run": dry_run})

        _run_today(TodayChoice(tuple(data or ()), quick, results, seconds, jobs, tuple(model or ())))
        return
    if table not in known:
        near = get_close_matches(table, known, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(known)}."
        raise InputError(f"there is no {table!r} to run. {hint}")
    names = (tuple(data or ()), tuple(model or ()))
    if table in NODE_TASKS:
        if jobs > 1:
            raise InputError(f"--jobs is for tables; {table} runs one seed after the other. Leave it out.")
        if form and len(form) > 1:
            raise InputError(f"{table} takes one --form at a time, got {len(form)}.")
        encoding = parse_encoding(form[0]) if form else {}
        seeds, chosen = tuple(seed or ()), protocol or "honest"
        choice = NodeChoice(*names, seeds, chosen, device, quick, results, seconds, encoding)
        _run_node_task(table, choice, dry_run=dry_run)
        return
    settings = Settings(
        protocol=protocol or "paper",
        device=device,
        quick=quick,
        capture=None if capture else False,
        report=lambda text: typer.echo(f"  {text}", err=True),
        jobs=jobs,
    )
    chosen_seeds = tuple(dict.fromkeys(seed or ()))
    plan = Choice(*names, tuple(form or ()), settings, results, seconds, chosen_seeds)
    _run_table(table, plan, dry_run=dry_run)


def _refuse(table: str, options: dict[str, object]) -> None:
    """Raise if an option is given that `table` does not have."""
    for option, value in options.items():
        if value:
            raise InputError(f"{table} has no {option}; it is for the paper's tables. Leave it out.")


def _run_today(choice: "TodayChoice") -> None:
    """Run the current benchmarks: models on columns, or the networks that are named."""
    from research.today.run import run_networks, run_today

    (choice.folder / "today").mkdir(parents=True, exist_ok=True)
    with reserved(choice.folder / "today" / "lines"):
        if choice.networks:
            run_networks(choice)
            return
        left = run_today(choice, lambda text: typer.echo(text, err=True))
    typer.echo(f"{left} fits are left." if left else "Everything is done.")


def _run_peers(choice: "PeersChoice", *, dry_run: bool) -> None:
    """Train what is missing of the peers, or print the jobs."""
    from research.cli.peers_command import run_peers

    if dry_run:
        for name, method in choice.jobs():
            typer.echo(f"{name}/{method}")
        return
    (choice.folder / "peers").mkdir(parents=True, exist_ok=True)
    with reserved(choice.output):
        left = run_peers(choice, lambda text: typer.echo(text, err=True))
    typer.echo(f"{left} jobs are left." if left else "Everything is done.")


def _run_table(name: str, choice: "Choice", *, dry_run: bool) -> None:
    """Run what is missing of a table, or print its jobs."""
    from research.paper.results import lock_results
    from research.paper.run import describe_jobs, run_table
    from research.paper.spec import table_spec

    if table_spec(name).quoted:
        raise InputError(f"{name} is quoted from the paper; there is nothing to run.")
    if dry_run:
        for sentence in describe_jobs(name, choice):
            typer.echo(sentence)
        return
    with lock_results(choice.folder, name, choice.settings.protocol):
        lines = run_table(name, choice, lambda text: typer.echo(text, err=True))
    typer.echo(f"{len(lines)} new lines in {choice.folder}.")


def _run_node_task(task: str, choice: "NodeChoice", *, dry_run: bool) -> None:
    """Run what is missing of a node task, or print its plan."""
    from research.paper.nodes.choice import describe_plan
    from research.paper.results import lock_results, results_path

    if task == "linkprediction":
        from research.paper.nodes.link_prediction import plan_links as planner
        from research.paper.nodes.link_prediction import run_links as runner
    else:
        from research.paper.nodes.node_classification import plan_nodes as planner
        from research.paper.nodes.node_classification import run_nodes as runner
    if dry_run:
        for sentence in describe_plan(planner(choice), results_path(choice.folder, task, choice.protocol)):
            typer.echo(sentence)
        return
    with lock_results(choice.folder, task, choice.protocol):
        lines = runner(choice, lambda text: typer.echo(text, err=True))
    typer.echo(f"{len(lines)} new lines in {choice.folder}.")


def baselines(results: Results = Path("results")) -> None:
    """Write baselines.json: scores that need no network."""
    from research.paper.baselines import write_baselines

    with reserved(results / "baselines.json"):
        typer.echo(f"Wrote {write_baselines(results)}.")
