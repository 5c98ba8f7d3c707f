"""Copies of a program, made in rounds: what the earlier ones did decides which are made next."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from msgspec import Struct, structs

from firstlight.errors import UsageError
from firstlight.experiments.engine import Engine, fates
from firstlight.experiments.engines.choice import engine as engine_of
from firstlight.experiments.plan import Order
from firstlight.lab.journal import LabJournal
from firstlight.lab.specs import spec_of
from firstlight.observe.target import Target
from firstlight.observe.watch import LONGEST_SETTLING, Eyes, Watched, watch
from firstlight.records.declared import Logged
from firstlight.records.program import Ending, LoaderSeen, Unseen
from firstlight.records.steered import CurvatureSeen, RatesSeen
from firstlight.records.timelines import TimelineEnded
from firstlight.records.training import BackwardSeen, StepSeen
from firstlight.settings import Settings
from firstlight.store.run_directory import RunDirectory

SECONDS = LONGEST_SETTLING
"""For all copies together. What is left then is left: the same command goes on from there."""
GRACE = 3.0
LEAST_SECONDS = 10.0


class Trial(Struct, frozen=True, kw_only=True):
    """One copy of the program, step by step."""

    name: str
    losses: tuple[float, ...] = ()
    rates: tuple[float, ...] = ()
    """Of the first group, as each step was made with it; empty where the program has no optimizer."""
    seconds: float = 0.0
    died: bool = False
    out_of_time: bool = False
    """We ended it before it had made its steps."""
    optimizers: tuple[RatesSeen, ...] = ()
    """With the rates the program means, where the copy was steered to others."""
    curvature: CurvatureSeen | None = None
    """Where the copy was made to measure it."""
    unseen: tuple[str, ...] = ()
    """What could not be done to the copy, each with its reason."""


@dataclass
class Known:
    """What is known so far."""

    program: Trial
    finished: bool
    """The program itself came to its end, rather than to the end of its budget."""
    trials: dict[str, Trial] = field(default_factory=dict)
    by_loader: bool = False
    """A DataLoader feeds training, so that a copy can be given the very same batch again."""
    examples: int | None = None
    """In the data set of that loader; None where there is none, or it does not know."""

    def seconds_for(self, steps: int) -> float:
        """That a copy of so many steps may take, at a third of the program's pace: others run beside it."""
        return max(LEAST_SECONDS, GRACE * self.program.seconds * steps / max(1, len(self.program.losses)))


Plan = Callable[[Known], Sequence[Order]]
"""The copies that would tell more; none ends the search. Those already known may be named again."""


@dataclass
class LabCopies:
    """Asked again and again whether everything is settled, as any inquiry is."""

    engine: Engine
    plan: Plan
    journal: LabJournal
    known: Known = field(default_factory=lambda: Known(Trial(name="program"), finished=False))
    watched: Watched = field(default_factory=Watched)
    ordered: set[str] = field(default_factory=set)
    interrupted: bool = False
    _closed: bool = False

    @property
    def left(self) -> int:
        """Copies that were ordered and are not there; an interrupt leaves at least one question."""
        return max(len(self.ordered - self.known.trials.keys()), int(self.interrupted))

    def settled(self, watched: Watched) -> bool:
        self.watched = watched
        forked = self.engine.attend(watched)
        over = bool(watched.over or watched.of(Ending))
        if over:
            self._take_in(watched)
        if not forked or not over:
            return not forked
        if not self._closed and self.left == 0:
            self._ask()
        return self._closed or self.engine.settled(watched)

    def _take_in(self, watched: Watched) -> None:
        ended_itself = all(end.reason == "exit" for end in watched.of(Ending))
        self.known.finished = ended_itself and watched.exit_code in (0, None)
        self.known.program = trial_of(watched.records, _of_program(watched))
        loader = _loader(watched.records)
        self.known.by_loader = loader is not None
        self.known.examples = None if loader is None else loader.examples
        for name in self.ordered & fates(watched).keys() - self.known.trials.keys():
            fate = fates(watched)[name]
            made = trial_of(watched.timelines.get(name, []), fate)
            self.known.trials[name] = made
            self.journal.keep(name, made)

    def _ask(self) -> None:
        missing = new = self._unknown()
        while new and not (missing := [order for order in new if not self._recalled(order.name)]):
            new = self._unknown()
        self.ordered |= {order.name for order in missing}
        if missing:
            self.engine.order(*missing)
        else:
            self.engine.close()
            self._closed = True

    def _unknown(self) -> list[Order]:
        return [order for order in self.plan(self.known) if order.name not in self.known.trials]

    def _recalled(self, name: str) -> bool:
        """Whether an earlier call made it."""
        trial = self.journal.get(name, Trial)
        if trial is not None:
            self.known.trials[name] = trial
        return trial is not None


def _of_program(watched: Watched) -> TimelineEnded:
    """Its own end, told as that of a copy."""
    seconds = watched.seconds - (watched.startup or 0.0)
    return TimelineEnded(step=0, name="program", seconds=seconds, exit_code=0)


def trial_of(records: Sequence[Logged], fate: TimelineEnded) -> Trial:
    """By the steps of the optimizer that stepped first; by backwards, where there is none."""
    steps = [seen for seen in records if isinstance(seen, StepSeen) and seen.rank == 0 and seen.optimizer <= 0]
    losses = tuple(float("nan") if seen.loss is None else seen.loss for seen in steps)
    if not steps:
        losses = tuple(seen.value for seen in records if isinstance(seen, BackwardSeen) and seen.rank == 0)
    return Trial(
        name=fate.name,
        losses=losses,
        rates=tuple(seen.lr for seen in steps if seen.lr is not None),
        seconds=round(fate.seconds, 3),
        died=fate.exit_code != 0,
        out_of_time=fate.exit_code is None or any(isinstance(one, Ending) and one.reason == "time" for one in records),
        optimizers=tuple(seen for seen in records if isinstance(seen, RatesSeen)),
        curvature=next((seen for seen in records if isinstance(seen, CurvatureSeen)), None),
        unseen=tuple(seen.reason for seen in records if isinstance(seen, Unseen)),
    )


def _loader(records: Sequence[Logged]) -> LoaderSeen | None:
    """The one that was last begun when training began."""
    found = None
    for record in records:
        if isinstance(record, LoaderSeen):
            found = record
        elif isinstance(record, BackwardSeen):
            break
    return found


@dataclass(frozen=True)
class Workbench:
    """A program and what its copies are made with."""

    target: Target
    settings: Settings
    eyes: Eyes
    run: RunDirectory
    journal: LabJournal
    steps: int
    """Of the program itself, at most; its copies are not longer."""
    taps: tuple[str, ...] = ("loaders",)

    def asked(self, plan: Plan) -> LabCopies:
        """Runs the program and its copies until the plan has no more questions, or the user interrupts."""
        plain = spec_of(self.run.id, self.run, self.settings.budget.seconds, self.steps)
        spec = structs.replace(plain, taps=self.taps, contain=self.settings.contain)
        engine = engine_of(self.settings.engine, self.target, spec, SECONDS)
        copies = LabCopies(engine, plan, self.journal)
        eyes = replace(self.eyes, settled=copies.settled, progress=lambda text: self._told(copies, text))
        try:
            watch(self.target, structs.replace(spec, extensions=engine.extensions), eyes)
        except KeyboardInterrupt:
            if not copies.known.trials:
                raise
            copies.interrupted = True
        finally:
            engine.end()
        self._refuse_without_training(copies)
        return copies

    def _told(self, copies: LabCopies, text: str) -> None:
        done = len(copies.known.trials)
        self.eyes.progress(f"{done} of {done + copies.left} copies done; {text}" if done or copies.left else text)

    def _refuse_without_training(self, copies: LabCopies) -> None:
        outcome = copies.watched.outcome()
        if outcome.ended in ("crashed", "killed"):
            where = f" ({outcome.site.file}:{outcome.site.line})" if outcome.site is not None else ""
            raise UsageError(f"`{self.target.shown}` crashed{where}: {outcome.message}. Fix that first.")
        if not copies.known.program.losses:
            raise UsageError(
                f"no training step of `{self.target.shown}` was seen, so there is nothing to test. "
                "`firstlight check` says what it does instead."
            )
