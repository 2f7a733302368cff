"""The command: `python -m fuzz inputs --seconds 60`, `python -m fuzz kernel --graphs 100000`."""

import argparse
import sys
from pathlib import Path
from typing import Any


def say(text: str) -> None:
    """Print a line at once."""
    print(text, flush=True)


def kernel(options: argparse.Namespace) -> int:
    """Compare every kernel and engine with the reference on random graphs."""
    from fuzz.kernel import run

    tally = run(options.seed, options.first, options.graphs, options.seconds, options.spark, say)
    say(
        f"{tally.graphs:,} graphs in {tally.seconds:.0f} s, seed {options.seed}; every result equals the reference"
    )
    for name, count in sorted(tally.calls.items()):
        say(f"{name}: {count:,}")
    return 0


def inputs(options: argparse.Namespace) -> int:
    """Read damaged files and unusual objects with every reader."""
    from fuzz.inputs import new_folder, num_cases, num_failed, run

    folder = Path(options.folder) if options.folder else new_folder()
    folder.mkdir(parents=True, exist_ok=True)
    counts = run(folder, options.seconds, options.cases, options.seed, options.targets, say)
    for name, count in sorted(counts.items()):
        say(f"{name}: {count:,}")
    for file in sorted((folder / "failures").glob("*/*.txt")):
        say(f"{file.parent.name}: {file.read_text()}")
    say(f"{num_cases(counts):,} cases, {num_failed(folder)} kinds of failure in {folder / 'failures'}")
    return int(num_failed(folder) > 0)


def rows(options: argparse.Namespace) -> int:
    """Compare rows of every kind with definitions written from the pages alone."""
    from fuzz.differential import run

    return print_tally(run(options.seed, options.rows, say))


def engines(options: argparse.Namespace) -> int:
    """Compare rows of CUDA kernels (emulated), Spark and Ray with definitions written from the pages alone."""
    from fuzz.engines import run

    return print_tally(run(options.seed, options.calls, options.names, say))


def print_tally(tally: Any) -> int:
    """Print the rows of every kind and the differences; return the exit status."""
    for name, count in sorted(tally.rows.items()):
        say(f"{name}: {count:,}")
    for difference in tally.differences:
        say(difference)
    say(f"{sum(tally.rows.values()):,} rows, {len(tally.differences)} differences")
    return int(bool(tally.differences))


def replay(options: argparse.Namespace) -> int:
    """Read every file of the corpus, or the files given as TARGET FILE, in this process."""
    from fuzz.corpus import replay as replay_files

    failed = replay_files([(options.files[0], Path(file)) for file in options.files[1:]], say)
    return int(failed > 0)


def corpus(options: argparse.Namespace) -> int:
    """Write the corpus: the seeds, and for every target the smallest files that a run kept in its folder."""
    from fuzz.corpus import kept, seeds, write_corpus

    say(f"{write_corpus([*seeds(), *kept(Path(options.folder))] if options.folder else seeds()):,} files")
    return 0


def main() -> int:
    """Return the exit status of a command."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    commands = parser.add_subparsers(required=True)
    of_kernel = commands.add_parser("kernel", help=kernel.__doc__)
    of_kernel.set_defaults(command=kernel)
    of_kernel.add_argument("--seed", type=int, default=0)
    of_kernel.add_argument("--first", type=int, default=0)
    of_kernel.add_argument("--graphs", type=int, default=10**9)
    of_kernel.add_argument("--seconds", type=float, default=float("inf"))
    of_kernel.add_argument("--spark", type=int, default=0)
    of_inputs = commands.add_parser("inputs", help=inputs.__doc__)
    of_inputs.set_defaults(command=inputs)
    of_inputs.add_argument("--seed", type=int, default=0)
    of_inputs.add_argument("--cases", type=int, default=10**12)
    of_inputs.add_argument("--seconds", type=float, default=60)
    of_inputs.add_argument("--folder", default="")
    of_inputs.add_argument("targets", nargs="*")
    of_rows = commands.add_parser("rows", help=rows.__doc__)
    of_rows.set_defaults(command=rows)
    of_rows.add_argument("--seed", type=int, default=0)
    of_rows.add_argument("--rows", type=int, default=1_000_000)
    of_engines = commands.add_parser("engines", help=engines.__doc__)
    of_engines.set_defaults(command=engines)
    of_engines.add_argument("--seed", type=int, default=0)
    of_engines.add_argument("--calls", type=int, default=5)
    of_engines.add_argument("names", nargs="+", choices=("cuda", "spark", "ray"))
    of_replay = commands.add_parser("replay", help=replay.__doc__)
    of_replay.set_defaults(command=replay)
    of_replay.add_argument("files", nargs="*")
    of_corpus = commands.add_parser("corpus", help=corpus.__doc__)
    of_corpus.set_defaults(command=corpus)
    of_corpus.add_argument("--folder", default="")
    options = parser.parse_args()
    return int(options.command(options))


if __name__ == "__main__":
    sys.exit(main())
