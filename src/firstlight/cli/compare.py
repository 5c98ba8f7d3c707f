"""`firstlight compare`: is the other variant better, or was it lucky?"""

import shlex
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firstlight.cli.trial_options import Trials, on_trials
from firstlight.errors import UsageError
from firstlight.records.lab import LabReport

if TYPE_CHECKING:
    from firstlight.observe.target import Target


@click.command("compare", context_settings={"allow_interspersed_args": False})
@click.option("-n", "seeds", type=click.IntRange(min=1), default=8, show_default=True, help="Most seeds to run.")
@click.option("--arg", "arguments", multiple=True, metavar="NAME=V1,V2", help="Vary an option of one script.")
@click.option("--worth", type=click.FloatRange(min=0), default=0.0, help="The smallest difference that matters to you.")
@on_trials("A B [ARGS]...")
def command(trials: Trials, seeds: int, arguments: tuple[str, ...], worth: float) -> LabReport:
    """Run variants of a training script with the same seeds, and say which is better or that luck explains it.

    \b
    firstlight compare baseline.py candidate.py --epochs 3
    firstlight compare --arg lr=1e-3,3e-3 train.py --epochs 3
    firstlight compare "train.py --width 64" "train.py --width 128"
    firstlight compare a.csv b.csv                # a row for each run, paired by the column `seed`

    It stops as soon as every variant is decided. The results are tested after every pair of runs, yet the chance of
    naming a winner where there is none stays below 5 %.

    Exit code: 0 compared, 2 could not be compared, 130 interrupted.
    """
    from firstlight.lab import compare, tables

    question = compare.CompareQuestion(metric=trials.metric, better=trials.better, seeds=seeds, worth=worth)
    words = trials.words
    named = _leading(words) if not trials.module else words[:1]
    if named and all(tables.is_table(word) or tables.is_folder_of_runs(word) for word in named):
        runs = {name: trials for word in named for name, trials in tables.read(word).items()}
        if len(runs) < 2:
            raise UsageError(f"{named[0]} holds one variant. Name a second table, or add a column `variant`.")
        with trials.session() as at_work:
            return at_work.finish(compare.report(compare.Variants(runs, question), words))
    variants = _variants(trials, arguments, named)
    with trials.session() as at_work:
        return at_work.finish(compare.of_runs(variants, question, at_work.bench))


def _leading(words: tuple[str, ...]) -> tuple[str, ...]:
    """The first words that name something to compare; what follows are arguments for all of them."""
    found = []
    for word in words:
        first = next(iter(shlex.split(word)), "") if " " in word else word
        if first.startswith("-") or not Path(first).exists():
            break
        found.append(word)
    return tuple(found)


def _variants(trials: Trials, arguments: tuple[str, ...], named: tuple[str, ...]) -> list[tuple[str, "Target"]]:
    from firstlight.lab.trials import with_arguments
    from firstlight.observe import target as targets

    if arguments:
        base = trials.script("compare")
        return _different([(" ".join(label), with_arguments(base, given)) for label, given in _combinations(arguments)])
    words = trials.words
    if len(named) < 2:
        absent = next((word for word in words[len(named) :][:1] if not word.startswith("-")), None)
        told = f", and there is no file `{absent}`" if absent is not None else ""
        raise UsageError(
            f"compare needs two variants{told}. Name two scripts: `firstlight compare a.py b.py`, or vary an option of "
            "one: `firstlight compare --arg lr=1e-3,3e-3 train.py`"
        )
    rest = words[len(named) :]
    return _different(
        [
            (word, targets.parse((*(shlex.split(word) if " " in word else (word,)), *rest), False, "compare"))
            for word in named
        ]
    )


def _different(variants: list[tuple[str, "Target"]]) -> list[tuple[str, "Target"]]:
    if len({target.words for _, target in variants}) < len(variants):
        raise UsageError(
            "the variants are the same. Name two that differ, or use `firstlight seeds` for the spread of one."
        )
    return variants


def _combinations(arguments: tuple[str, ...]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Labels and words of each combination of the values given."""
    lists = []
    for text in arguments:
        name, sign, values = text.partition("=")
        several = [value for value in values.split(",") if value]
        if not sign or not name or not several:
            raise UsageError(f"`--arg {text}` is not NAME=V1,V2: an option of the script, and the values to give it.")
        lists.append([(name.lstrip("-"), value) for value in several])
    found = [tuple(each) for each in product(*lists)]
    if len(found) < 2:
        raise UsageError(f"`--arg {arguments[0]}` gives one value and nothing to compare it with.")
    return [
        (
            tuple(f"{name}={value}" for name, value in each),
            tuple(word for name, value in each for word in (_option(name), value)),
        )
        for each in found
    ]


def _option(name: str) -> str:
    return f"-{name}" if len(name) == 1 else f"--{name}"
