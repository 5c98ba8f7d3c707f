"""Whole runs of the user's command with something varied, several at a time, each kept as soon as it is over."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from firstlight.errors import UsageError
from firstlight.experiments.engines.fresh import Hands
from firstlight.experiments.engines.job import Job, Made
from firstlight.experiments.engines.local import LocalHands
from firstlight.experiments.plan import Order
from firstlight.lab.journal import LabJournal
from firstlight.lab.metric import TRAINING_LOSS
from firstlight.lab.specs import NEVER, spec_of
from firstlight.observe.inside import cores
from firstlight.observe.printed import numbers_in
from firstlight.observe.process import Start, popen
from firstlight.observe.spec import PATIENCE, Spec
from firstlight.observe.target import Target
from firstlight.records import wire
from firstlight.records.trials import FinishedRun, OperationDigests, TrialSeen
from firstlight.store.run_directory import RunDirectory

EXTENSION = "firstlight.experiments.inside.trial:install"
PRELUDE = "firstlight.experiments.inside.seeding:begin"
PAUSE = 0.05
HASH_SEED = "0"
"""Of Python, in every run but those that ask what differs between runs of one seed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One whole run to make."""

    name: str
    """Of the variant it belongs to, for people."""
    target: Target
    seed: int = 0
    orders: tuple[str, ...] = ()
    """What is done to it from within, beside its seed."""
    again: int = 0
    """Tells repetitions of one run apart; each has another seed for Python's hashes, as the user's own runs have."""
    cwd: Path | None = None
    identity: tuple[str, ...] = ()
    """What the command is in the journal, where its words alone would not tell: a configuration by what it says."""

    @property
    def key(self) -> str:
        return f"{' '.join(self.orders)} seed={self.seed} again={self.again}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunChoices:
    """How runs are made, as the user chose."""

    jobs: int | None = None
    seconds: float = 86_400.0
    """For one run."""
    engine: str = "local"
    contain: bool = True
    seed_argument: str | None = None
    """Of the script: it is given the seed this way, and its own seeding is left alone."""
    fresh: bool = False
    """Runs that were made by earlier commands are made again."""

    @property
    def at_once(self) -> int:
        """Runs on one GPU would share it; on the CPU there is room for as many as there are cores."""
        return self.jobs or (1 if Path("/dev/nvidia0").exists() else cores.usable())


class Runner:
    """Makes runs, or finds them in the journal. After an interrupt it makes no more, and keeps what is done."""

    def __init__(
        self, home: RunDirectory, choices: RunChoices, tell: Callable[[str], None], start: Start | None = None
    ) -> None:
        """`start` forks runs from a process that has torch imported; without it, such a process is started."""
        self.choices, self.tell, self._start = choices, tell, start
        self.interrupted = False
        self.recalled = 0
        """Runs that an earlier command had made."""
        self.made: list[FinishedRun] = []
        self.home = home
        self._hands: dict[bool, Hands] = {}
        self._own: set[tuple[Path, str]] = set()
        """What this command has made itself."""
        self._journals: dict[tuple[str, ...], LabJournal] = {}
        self._count = 0

    def run(self, runs: Sequence[Run]) -> list[FinishedRun | None]:
        """In the order they were asked for; None for those that an interrupt left out."""
        found: dict[int, FinishedRun] = {}
        for at, run in enumerate(runs):
            known = self._journal(run).get(run.key, FinishedRun)
            if known is not None:
                found[at] = msgspec.structs.replace(known, name=run.name)
                self.recalled += (self._journal(run).path, run.key) not in self._own
        waiting = [at for at in range(len(runs)) if at not in found]
        running: dict[int, tuple[Hands, Any]] = {}
        total = len(waiting)
        try:
            while (waiting or running) and not self.interrupted:
                self._begin(runs, waiting, running)
                self._collect(runs, running, found)
                self.tell(f"{total - len(waiting) - len(running)} of {total} runs done, {len(running)} running")
                time.sleep(PAUSE)
        except KeyboardInterrupt:
            self.interrupted = True
            self.end()
        self.made += [found[at] for at in sorted(found)]
        return [found.get(at) for at in range(len(runs))]

    def end(self) -> None:
        """No process is left."""
        for hands in self._hands.values():
            hands.end()
        self._hands.clear()

    def _begin(self, runs: Sequence[Run], waiting: list[int], running: dict[int, tuple[Hands, Any]]) -> None:
        while waiting and len(running) < self.choices.at_once:
            run = runs[waiting[0]]
            hands = self._hand(run)
            if not hands.ready():
                return
            running[waiting.pop(0)] = hands, hands.begin(self._job(run))

    def _collect(
        self, runs: Sequence[Run], running: dict[int, tuple[Hands, Any]], found: dict[int, FinishedRun]
    ) -> None:
        for at, (hands, token) in list(running.items()):
            made = hands.made(token)
            if made is None:
                continue
            del running[at]
            found[at] = trial_of(runs[at], made)
            if found[at].exit_code == 0 and not found[at].operations:
                self._journal(runs[at]).keep(runs[at].key, found[at])
                self._own.add((self._journal(runs[at]).path, runs[at].key))

    def _journal(self, run: Run) -> LabJournal:
        words = run.identity or run.target.words
        where = (*words, os.fspath(run.cwd or ""))
        if where not in self._journals:
            script = run.target.file
            folder = None if script is None else ((run.cwd or Path.cwd()) / script).parent
            how = {"threads": self._threads(), "seed": self.choices.seed_argument}
            self._journals[where] = LabJournal.of("runs", words, how, folder)
            if self.choices.fresh:
                self._journals[where].clear()
        return self._journals[where]

    def _hand(self, run: Run) -> Hands:
        """Runs that differ in Python's hashes cannot be forked from one process."""
        warm = not run.again and self.choices.engine != "ray"
        if warm not in self._hands:
            if self.choices.engine == "ray":
                from firstlight.experiments.engines.on_ray import RayHands

                self._hands[warm] = RayHands()
            else:
                program = self._spec(run, self.home)
                self._hands[warm] = LocalHands(run.target, program, self._start if warm else popen)
        return self._hands[warm]

    def _threads(self) -> int:
        return max(1, cores.usable() // self.choices.at_once)

    def _job(self, run: Run) -> Job:
        self._count += 1
        home = RunDirectory(self.home.timelines / f"run-{self._count}")
        given = self.choices.seed_argument
        target = run.target if given is None else with_arguments(run.target, (given, str(run.seed)))
        seed = () if given is not None else (f"seed={run.seed}",)
        orders = (f"threads={self._threads()}", *seed, *run.orders)
        seconds = self.choices.seconds / PATIENCE
        order = Order(name=home.id, interventions=orders, steps=NEVER, seconds=seconds)
        environment = {**os.environ, "PYTHONHASHSEED": str(run.again) if run.again else HASH_SEED}
        return Job(order, target, self._spec(run, home), environment, self.choices.seconds)

    def _spec(self, run: Run, home: RunDirectory) -> Spec:
        return msgspec.structs.replace(
            spec_of(self.home.id, home, self.choices.seconds, cwd=run.cwd),
            taps=("clipping",),
            contain=self.choices.contain,
            seed=run.seed,
            extensions=(EXTENSION,),
            preludes=(PRELUDE,),
        )


def with_arguments(target: Target, words: tuple[str, ...]) -> Target:
    return replace(target, words=(*target.words, *words), command=(*target.command, *words))


def trial_of(run: Run, made: Made) -> FinishedRun:
    seen: TrialSeen | None = None
    rows: list[tuple[str, str, int, int]] = []
    for line in made.events.split(b"\n")[:-1]:
        plain = msgspec.json.decode(line).get("observed") or {}
        match plain.get("fact"):
            case "trial":
                seen = wire.convert(plain, TrialSeen)
            case "operations":
                rows += wire.convert(plain, OperationDigests).rows
    values = numbers_in(made.output)
    if seen is not None:
        values = {**values, **seen.tracked, **({TRAINING_LOSS: seen.losses} if seen.losses else {})}
    return FinishedRun(
        name=run.name,
        seed=run.seed,
        values=values,
        exit_code=made.exit_code,
        message=made.message,
        seconds=made.seconds,
        steps=seen.steps if seen is not None else 0,
        seeded=seen.seeded if seen is not None else (),
        parts=seen.parts if seen is not None else (),
        operations=tuple(rows),
    )


def must_have_run(trials: Sequence[FinishedRun | None]) -> None:
    """Raises where none of the first runs came to its end: the program is at fault, and more of it would not help.

    Where the user has interrupted before any was over, there is nothing to tell.
    """
    made = [trial for trial in trials if trial is not None]
    if trials and not made:
        raise KeyboardInterrupt
    if all(trial.exit_code != 0 for trial in made):
        why = made[0].message or ("it took too long" if made[0].exit_code is None else f"exit code {made[0].exit_code}")
        raise UsageError(f"{made[0].name} did not finish: {why}. `firstlight check` says more.")
