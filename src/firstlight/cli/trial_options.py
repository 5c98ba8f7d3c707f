"""What every verb has that makes whole runs of a script: which metric, how many at once, where, and for how long."""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
import msgspec

from firstlight.cli.laboratory import MODULE, delivered, interruptible, script, with_options
from firstlight.records.lab import LabReport

if TYPE_CHECKING:
    from firstlight.lab.trials import RunChoices, Runner
    from firstlight.observe.target import Target

OPTIONS = with_options(
    MODULE,
    click.option("--metric", help="The number to compare: the name under which it is printed or logged."),
    click.option(
        "--better", type=click.Choice(["higher", "lower"]), help="Which direction is better, if the name does not say."
    ),
    click.option(
        "--jobs", type=click.IntRange(min=1), help="Runs at the same time.  [the number of cores; with a GPU, 1]"
    ),
    click.option(
        "--engine", type=click.Choice(["local", "ray"]), default="local", show_default=True, help="Where to run."
    ),
    click.option(
        "--seconds", type=click.FloatRange(min=0.1), default=86_400.0, help="Give up on a run after this long.  [a day]"
    ),
    click.option("--seed-arg", help="The script's own seed option, such as `--seed-arg=--seed`."),
    click.option("--fresh", is_flag=True, help="Repeat runs that an earlier command has made."),
    click.option("--no-contain", is_flag=True, help="Let the runs really write their files."),
)


@dataclass(frozen=True, slots=True)
class Session:
    """One verb at work."""

    bench: "Runner"
    finish: Callable[[LabReport], LabReport]


@dataclass(frozen=True, slots=True)
class Trials:
    """What is to be run, and which number of the runs is compared."""

    words: tuple[str, ...]
    module: bool
    metric: str | None
    better: str | None
    chosen: "RunChoices"

    def script(self, verb: str) -> "Target":
        return script(self.words, self.module, verb)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A run directory and the means to make runs. No process is left behind, however it ends."""
        from firstlight.lab.keeping import kept
        from firstlight.lab.trials import Runner

        with interruptible() as tell, kept(self.words) as home:
            bench = Runner(home.run, self.chosen, tell)

            def finish(report: LabReport) -> LabReport:
                earlier = f"{bench.recalled} of the runs were made by an earlier command; `--fresh` repeats them"
                limits = (*report.limits, *([earlier] if bench.recalled else []))
                return home.finish(msgspec.structs.replace(report, limits=limits))

            try:
                yield Session(bench, finish)
            finally:
                bench.end()


def on_trials(metavar: str) -> Callable[[Callable[..., LabReport]], Callable[..., None]]:
    """Of a verb that makes whole runs of a script: it is given `Trials` and its own options, and gives a report."""

    def given(command: Callable[..., LabReport]) -> Callable[..., None]:
        @OPTIONS
        @click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar=metavar)
        @delivered
        @functools.wraps(command)
        def asked(
            words: tuple[str, ...], module: bool, metric: str | None, better: str | None, **options: Any
        ) -> LabReport:
            from firstlight.lab.trials import RunChoices

            how = {name: options.pop(name) for name in ("jobs", "engine", "seconds", "fresh")}
            chosen = RunChoices(**how, seed_argument=options.pop("seed_arg"), contain=not options.pop("no_contain"))
            return command(Trials(words, module, metric, better, chosen), **options)

        return asked

    return given
