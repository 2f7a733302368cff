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


def values(options: argparse.Namespace) -> int:
    """Give hostile values to every option of every public function."""
    import resource

    from fuzz.values import run

    resource.setrlimit(resource.RLIMIT_AS, (12 * 10**9, 12 * 10**9))
    report = run(options.seed, options.calls, options.only, say)
    if options.accepted:
        for (option, kind), names in sorted(report.accepted.items()):
            say(f"accepted: {option}={kind} by {', '.join(sorted(set(names)))}")
    say(f"{dict(report.counts)}")
    return int(report.counts["failed"] > 0)


def commands(options: argparse.Namespace) -> int:
    """Run hostile command lines; as root, also with a full disk and without permissions."""
    from fuzz.command_lines import run

    counts = run(options.seed, options.lines, options.seconds, say)
    say(f"{dict(counts)}")
    return int(counts["failed"] > 0)


def saved(options: argparse.Namespace) -> int:
    """Cut saved files of every kind, and change single bits."""
    from fuzz.saved_damage import run

    counts = run(options.seed, options.flips, options.only, say)
    for name, count in sorted(counts.items()):
        say(f"{name}: {count:,}")
    return int(any(not name.endswith(("an error", "the same")) for name in counts))


def bombs(options: argparse.Namespace) -> int:
    """Read small files that ask for gigabytes or minutes."""
    from fuzz.bombs import run

    total, failed = run(say, options.only)
    say(f"{total:,} files, {failed} failures")
    return int(failed > 0)


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
    subcommands = parser.add_subparsers(required=True)
    of_kernel = subcommands.add_parser("kernel", help=kernel.__doc__)
    of_kernel.set_defaults(command=kernel)
    of_kernel.add_argument("--seed", type=int, default=0)
    of_kernel.add_argument("--first", type=int, default=0)
    of_kernel.add_argument("--graphs", type=int, default=10**9)
    of_kernel.add_argument("--seconds", type=float, default=float("inf"))
    of_kernel.add_argument("--spark", type=int, default=0)
    of_inputs = subcommands.add_parser("inputs", help=inputs.__doc__)
    of_inputs.set_defaults(command=inputs)
    of_inputs.add_argument("--seed", type=int, default=0)
    of_inputs.add_argument("--cases", type=int, default=10**12)
    of_inputs.add_argument("--seconds", type=float, default=60)
    of_inputs.add_argument("--folder", default="")
    of_inputs.add_argument("targets", nargs="*")
    of_rows = subcommands.add_parser("rows", help=rows.__doc__)
    of_rows.set_defaults(command=rows)
    of_rows.add_argument("--seed", type=int, default=0)
    of_rows.add_argument("--rows", type=int, default=1_000_000)
    of_engines = subcommands.add_parser("engines", help=engines.__doc__)
    of_engines.set_defaults(command=engines)
    of_engines.add_argument("--seed", type=int, default=0)
    of_engines.add_argument("--calls", type=int, default=5)
    of_engines.add_argument("names", nargs="+", choices=("cuda", "spark", "ray"))
    of_values = subcommands.add_parser("values", help=values.__doc__)
    of_values.set_defaults(command=values)
    of_values.add_argument("--seed", type=int, default=0)
    of_values.add_argument("--calls", type=int, default=10**9)
    of_values.add_argument("--only", default="", help="a regular expression of function.option")
    of_values.add_argument("--accepted", action="store_true", help="print what was accepted, too")
    of_commands = subcommands.add_parser("commands", help=commands.__doc__)
    of_commands.set_defaults(command=commands)
    of_commands.add_argument("--seed", type=int, default=0)
    of_commands.add_argument("--lines", type=int, default=10**9)
    of_commands.add_argument("--seconds", type=float, default=float("inf"))
    of_saved = subcommands.add_parser("saved", help=saved.__doc__)
    of_saved.set_defaults(command=saved)
    of_saved.add_argument("--seed", type=int, default=0)
    of_saved.add_argument("--flips", type=int, default=200)
    of_saved.add_argument("--only", default="", help="a part of the name of a file")
    of_bombs = subcommands.add_parser("bombs", help=bombs.__doc__)
    of_bombs.set_defaults(command=bombs)
    of_bombs.add_argument("--only", default="", help="a part of the name of a reader and file")
    of_replay = subcommands.add_parser("replay", help=replay.__doc__)
    of_replay.set_defaults(command=replay)
    of_replay.add_argument("files", nargs="*")
    of_corpus = subcommands.add_parser("corpus", help=corpus.__doc__)
    of_corpus.set_defaults(command=corpus)
    of_corpus.add_argument("--folder", default="")
    options = parser.parse_args()
    return int(options.command(options))


if __name__ == "__main__":
    sys.exit(main())
