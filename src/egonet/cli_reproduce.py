"""The command `egonet reproduce`: the paper's tables, run and reported."""

import typer

app = typer.Typer(name="reproduce", help="Run the tables of the paper and report them.", no_args_is_help=True)


@app.callback()
def reproduce() -> None:
    """Run the tables of the paper and report them."""
