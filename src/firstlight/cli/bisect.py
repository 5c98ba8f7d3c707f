"""`firstlight bisect`: which difference between the good and the bad one makes it bad?"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firstlight.cli.trial_options import Trials, on_trials
from firstlight.errors import UsageError
from firstlight.records.lab import LabReport

if TYPE_CHECKING:
    from firstlight.lab.bisect import Space
    from firstlight.lab.configurations import Difference, Tree
    from firstlight.lab.trials import Run

PLACE = "{}"


@click.command("bisect", context_settings={"allow_interspersed_args": False, "ignore_unknown_options": True})
@click.option(
    "-n", "seeds", type=click.IntRange(min=1), default=8, show_default=True, help="Most seeds to run per trial."
)
@on_trials("GOOD BAD SCRIPT [ARGS]...")
def command(trials: Trials, seeds: int) -> LabReport:
    """Find the smallest difference between a good and a bad configuration or commit that makes the bad one bad.

    \b
    firstlight bisect good.toml bad.toml train.py --config {}      # {} is where the configuration goes
    firstlight bisect -- "--lr 1e-3 --width 64" "--lr 3e-2 --width 128" train.py
    firstlight bisect v1.2 HEAD train.py                           # commits

    Each trial runs with as many seeds as it takes to tell good from bad; n differences take log2(n) trials.

    Exit code: 0 found, 2 good and bad cannot be told apart or could not be run, 130 interrupted.
    """
    from firstlight.lab import bisect as lab
    from firstlight.lab.compare import CompareQuestion

    if len(trials.words) < 3:
        raise UsageError(
            "bisect needs three things: a good one, a bad one, and the script: `firstlight bisect GOOD BAD train.py`"
        )
    question = CompareQuestion(metric=trials.metric, better=trials.better, seeds=seeds)
    with trials.session() as at_work, _space(trials.words, trials.module, at_work.bench.home.path) as space:
        return at_work.finish(lab.of_space(space, question, at_work.bench))


@contextmanager
def _space(words: tuple[str, ...], module: bool, home: Path) -> Iterator["Space"]:
    from firstlight.lab import configurations
    from firstlight.lab.bisect import unpacked

    good, bad, *rest = words
    if configurations.is_configuration(good) and configurations.is_configuration(bad):
        yield _of_files(good, bad, tuple(rest), module, home)
    elif configurations.is_configuration(good) or configurations.is_configuration(bad):
        known, other = (good, bad) if configurations.is_configuration(good) else (bad, good)
        raise UsageError(f"`{other}` is not a configuration file (TOML, YAML, JSON) to compare with {known}.")
    elif configurations.are_arguments(good) and configurations.are_arguments(bad):
        yield _of_arguments(good, bad, tuple(rest), module)
    else:
        with unpacked() as folder:
            yield _of_commits(good, bad, tuple(rest), module, folder)


def _of_files(good: str, bad: str, rest: tuple[str, ...], module: bool, home: Path) -> "Space":
    from firstlight.lab import configurations
    from firstlight.lab.trials import Run
    from firstlight.observe import target as targets

    suffix = Path(good).suffix
    if Path(bad).suffix != suffix:
        raise UsageError(f"{good} and {bad} have different formats. Give two files of the same format.")
    named = next((word for word in (PLACE, good, bad) if word in rest), None)
    if named is None:
        raise UsageError(f"put `{{}}` where the script takes its configuration: `{' '.join(rest)} --config {{}}`")
    tree = configurations.read(good)

    def made(chosen: list["Difference"]) -> "Run":
        text = configurations.written(configurations.with_differences(tree, chosen), suffix)
        place = home / f"{hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}{suffix}"
        place.write_text(text, encoding="utf-8")
        target = targets.parse(tuple(str(place) if word == named else word for word in rest), module, "bisect")
        return Run(name=place.name, target=target, identity=tuple(place.name if w == named else w for w in rest))

    return _between(tree, configurations.read(bad), made, rest)


def _of_arguments(good: str, bad: str, rest: tuple[str, ...], module: bool) -> "Space":
    from firstlight.lab import configurations
    from firstlight.lab.trials import Run
    from firstlight.observe import target as targets

    tree = configurations.arguments(good)

    def made(chosen: list["Difference"]) -> "Run":
        words = (*rest, *configurations.words_of(configurations.with_differences(tree, chosen)))
        return Run(name=" ".join(words), target=targets.parse(words, module, "bisect"))

    return _between(tree, configurations.arguments(bad), made, rest)


def _between(good: "Tree", bad: "Tree", made: Callable[[list["Difference"]], "Run"], rest: tuple[str, ...]) -> "Space":
    from firstlight.lab import configurations
    from firstlight.lab.bisect import Space

    found = {one.name: one for one in configurations.differences(good, bad)}
    return Space(
        names=tuple(found),
        told={name: one.told() for name, one in found.items()},
        run=lambda names: made([found[name] for name in names]),
        command=rest,
    )


def _of_commits(good: str, bad: str, rest: tuple[str, ...], module: bool, folder: Callable[[str], Path]) -> "Space":
    """Commits come one after another: a trial is one of them, with all that came before it."""
    from firstlight.lab import bisect as lab
    from firstlight.lab.trials import Run
    from firstlight.observe import target as targets

    commits = lab.commits_between(good, bad)
    target = targets.parse(rest, module, "bisect")

    def run(chosen: tuple[str, ...]) -> "Run | None":
        if tuple(commits[: len(chosen)]) != chosen:
            return None
        commit = chosen[-1] if chosen else good
        return Run(name=commit, target=target, cwd=folder(commit), identity=(commit, *rest))

    told = {commit: lab.told_commit(commit) for commit in commits}
    return lab.Space(names=tuple(commits), told=told, run=run, command=rest)
