"""The command: `python -m fuzz inputs --seconds 60`, `python -m fuzz kernel --graphs 100000`."""

import argparse
import sys
from pathlib import Path


def say(text: str) -> None:
    """Print a line at once."""
    print(text, flush=True)


def kernel(words: argparse.Namespace) -> int:
    """Run random graphs through every kernel and engine."""
    from fuzz.kernel import run

    tally = run(words.seed, words.first, words.graphs, words.seconds, words.spark, say)
    say(
        f"{tally.graphs:,} graphs in {tally.seconds:.0f} s, seed {words.seed}; every result equals the reference"
    )
    for name, count in sorted(tally.calls.items()):
        say(f"{name}: {count:,}")
    return 0


def inputs(words: argparse.Namespace) -> int:
    """Read damaged files and odd objects through every door."""
    from fuzz.inputs import new_folder, num_cases, num_failed, run

    folder = Path(words.folder) if words.folder else new_folder()
    folder.mkdir(parents=True, exist_ok=True)
    counts = run(folder, words.seconds, words.cases, words.seed, words.doors, say)
    for name, count in sorted(counts.items()):
        say(f"{name}: {count:,}")
    say(f"{num_cases(counts):,} cases, {num_failed(folder)} kinds of failure in {folder / 'failures'}")
    return int(num_failed(folder) > 0)


def replay(words: argparse.Namespace) -> int:
    """Read every file of the corpus, or the files given as DOOR FILE, in this process."""
    from fuzz.replay import run

    failed = run([(words.files[0], Path(file)) for file in words.files[1:]], say)
    return int(failed > 0)


def corpus(words: argparse.Namespace) -> int:
    """Write the corpus again: the seeds, and for every door the smallest files that a run kept in its folder."""
    from fuzz.corpus import kept, seeds, write_corpus

    say(f"{write_corpus([*seeds(), *kept(Path(words.folder))] if words.folder else seeds()):,} files")
    return 0


def mutants(words: argparse.Namespace) -> int:
    """Change the source in one place at a time, and see whether a test notices."""
    from fuzz.trial import run

    run(Path(words.log).resolve(), words.seconds, words.files, words.control, say)
    return 0


def main() -> int:
    """Return the exit status of the attack asked for."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    attacks = parser.add_subparsers(required=True)
    one = attacks.add_parser("kernel", help=kernel.__doc__)
    one.set_defaults(attack=kernel)
    one.add_argument("--seed", type=int, default=0)
    one.add_argument("--first", type=int, default=0)
    one.add_argument("--graphs", type=int, default=10**9)
    one.add_argument("--seconds", type=float, default=float("inf"))
    one.add_argument("--spark", type=int, default=0)
    two = attacks.add_parser("inputs", help=inputs.__doc__)
    two.set_defaults(attack=inputs)
    two.add_argument("--seed", type=int, default=0)
    two.add_argument("--cases", type=int, default=10**12)
    two.add_argument("--seconds", type=float, default=60)
    two.add_argument("--folder", default="")
    two.add_argument("doors", nargs="*")
    five = attacks.add_parser("replay", help=replay.__doc__)
    five.set_defaults(attack=replay)
    five.add_argument("files", nargs="*")
    three = attacks.add_parser("corpus", help=corpus.__doc__)
    three.set_defaults(attack=corpus)
    three.add_argument("--folder", default="")
    four = attacks.add_parser("mutants", help=mutants.__doc__)
    four.set_defaults(attack=mutants)
    four.add_argument("--seconds", type=float, default=6)
    four.add_argument("--log", default="mutants.jsonl")
    four.add_argument("--control", action="store_true")
    four.add_argument("files", nargs="*")
    words = parser.parse_args()
    return int(words.attack(words))


if __name__ == "__main__":
    sys.exit(main())
