"""What every verb has that makes whole runs of a script: which metric, how many at once, where, and for how long."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
import msgspec

from firstlight.cli.laboratory import interruptible, lab_form, lab_output
from firstlight.errors import UsageError
from firstlight.records.lab import LabReport

if TYPE_CHECKING:
    from firstlight.lab.trials import RunChoices, Runner
    from firstlight.observe.target import Target

OPTIONS = (
    click.option("--metric", help="The number to compare, by the name under which it is printed or logged."),
    click.option(
        "--better", type=click.Choice(["higher", "lower"]), help="Which way is better, where its name does not tell."
    ),
    click.option("--jobs", type=click.IntRange(min=1), help="Runs at the same time.  [the cores; with a GPU, 1]"),
    click.option(
        "--engine", type=click.Choice(["local", "ray"]), default="local", show_default=True, help="Where runs are made."
    ),
    click.option(
        "--seconds", type=click.FloatRange(min=0.1), default=86_400.0, help="Give up a run after so long.  [a day]"
    ),
    click.option("--seed-arg", help="The script's own option for its seed, such as `--seed-arg=--seed`."),
    click.option("--fresh", is_flag=True, help="Make runs again that an earlier command has made."),
    click.option("--no-contain", is_flag=True, help="Let the runs write their files for real."),
    lab_form,
    lab_output,
)


def trial_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def choices(
    jobs: int | None, engine: str, seconds: float, seed_arg: str | None, fresh: bool, no_contain: bool
) -> "RunChoices":
    from firstlight.lab.trials import RunChoices

    return RunChoices(
        jobs=jobs, engine=engine, seconds=seconds, seed_argument=seed_arg, fresh=fresh, contain=not no_contain
    )


def script(words: tuple[str, ...], module: bool, verb: str) -> "Target":
    from firstlight.observe import target as targets

    if words and not module and targets.is_declaration(words[0]):
        raise UsageError(f"`{words[0]}` is a declared experiment; `firstlight {verb}` takes a script.")
    return targets.parse(words, module, verb)


@dataclass(frozen=True, slots=True)
class Session:
    """One verb at work."""

    bench: "Runner"
    finish: Callable[[LabReport], LabReport]


@contextmanager
def session(words: tuple[str, ...], chosen: "RunChoices") -> Iterator[Session]:
    """A run directory and the means to make runs. No process is left behind, however it ends."""
    from firstlight.lab.keeping import kept
    from firstlight.lab.trials import Runner

    with interruptible() as tell, kept(words) as home:
        bench = Runner(home.run, chosen, tell)

        def finish(report: LabReport) -> LabReport:
            earlier = f"{bench.recalled} of the runs were made by an earlier command; `--fresh` makes them again"
            limits = (*report.limits, *([earlier] if bench.recalled else []))
            return home.finish(msgspec.structs.replace(report, limits=limits))

        try:
            yield Session(bench, finish)
        finally:
            bench.end()
