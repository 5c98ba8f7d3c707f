"""Runs a script under observation and brings back everything that was seen of it."""

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import msgspec

from firstlight.observe import spec as session_spec
from firstlight.observe import target as targets
from firstlight.observe import traceback
from firstlight.observe.inside import containment
from firstlight.observe.process import Script, Start, popen
from firstlight.records import wire
from firstlight.records.containment import Contained
from firstlight.records.declared import LOGGED, Logged
from firstlight.records.facts import ScriptOutcome
from firstlight.records.program import Ending
from firstlight.records.timelines import TimelineEnded
from firstlight.records.training import BackwardSeen, StepSeen
from firstlight.store import leftovers
from firstlight.store.event_log import LineReader
from firstlight.store.run_directory import RunDirectory

LONGEST_SETTLING = 600.0
TEMPORARY = "fl-"
PATIENCE = 1.5
"""Times the seconds a crash took that the same script has to crash without us."""
GRACE_SECONDS = 10.0
"""After the budget, for a last long step; and for the script's own clean-up once it was told to stop."""

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Means:
    """By which a script is started."""

    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    """The user's."""
    start: Start = popen


@dataclass(frozen=True, slots=True)
class Eyes:
    """Who looks on while the script runs."""

    progress: Progress
    echo: IO[bytes] | None = None
    """Where the script's own output is streamed to."""
    startup_seconds: float = 120.0
    settled: Callable[["Watched"], bool] = lambda _: True
    """Whether nothing more is awaited of the script's copies, once it is over itself."""
    means: Means = field(default_factory=Means)


@dataclass
class Watched:
    """What came out of one run of a script."""

    records: list[Logged] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    """The end of its output, our own frames removed."""
    seconds: float = 0.0
    startup: float | None = None
    """Seconds until the first backward."""
    exit_code: int | None = None
    """None where we ended it."""
    over: bool = False
    """The program itself is waited for no longer; experiments may go on."""
    fault: str | None = None
    """What it crashed with under observation, where it does not crash without us."""
    refused: str | None = None
    """Where it could not write because of the floor, and crashed."""
    contained: Contained = field(default_factory=Contained)
    timelines: dict[str, list[Logged]] = field(default_factory=dict)
    """What experiments on copies of the script saw, by name; under `nursery`, what became of them."""
    _sorted: dict[type[Any], tuple[int, list[Any]]] = field(default_factory=dict, init=False, repr=False, compare=False)
    """For each kind that was asked for: how many records were looked through, and those of it."""

    def of(self, kind: type[Any]) -> list[Any]:
        """Asked many times a second of a list that only grows: each record is looked at once."""
        looked, found = self._sorted.get(kind, (0, []))
        if looked < len(self.records):
            found += [record for record in self.records[looked:] if isinstance(record, kind)]
            self._sorted[kind] = len(self.records), found
        return found.copy()

    @property
    def backwards(self) -> int:
        return len(self.of(BackwardSeen))

    @property
    def steps(self) -> int:
        counted = [step.step + 1 for step in self.of(StepSeen)]
        by_hand = [end.backwards for end in self.of(Ending) if not end.optimizers]
        return max([*counted, *by_hand], default=0)

    def outcome(self) -> ScriptOutcome:
        ended = self._ended()
        crashed = ended in ("crashed", "killed")
        message = self.fault or self.refused or (traceback.message_of(self.lines) if crashed else "")
        return ScriptOutcome(
            ended=ended,
            exit_code=self.exit_code,
            seconds=self.seconds,
            backwards=self.backwards,
            steps=self.steps,
            message=f"killed by signal {-(self.exit_code or 0)}" if ended == "killed" else message,
            site=traceback.site_of(self.lines, Path.cwd()) if crashed else None,
            wants_input=message == traceback.NOBODY_ANSWERS,
        )

    def _ended(self) -> str:
        if self.fault is not None:
            return "faulted"
        if self.refused is not None:
            return "refused"
        if any(end.reason != "exit" for end in self.of(Ending)):
            return "stopped"
        if self.exit_code is None:
            return "stopped" if self.backwards else "silent"
        if self.exit_code == 0:
            return "finished"
        return "crashed" if self.exit_code > 0 else "killed"


def watch(target: targets.Target, spec: session_spec.Spec, eyes: Eyes) -> Watched:
    """Every wait has an end, and no process of the script outlives this call."""
    with running(target, spec, eyes.means, eyes.echo) as script:
        return _follow(script, spec, eyes)


def tried_alone(target: targets.Target, spec: session_spec.Spec, eyes: Eyes, watched: Watched) -> None:
    """Before a script is blamed for a crash it is run once more without observers, for as long as the crash took.

    What gets through that is a fault of ours. The patched layers are there only where the floor has no view.
    """
    outcome = watched.outcome()
    if outcome.ended not in ("crashed", "killed") or outcome.wants_input:
        return
    eyes.progress("it crashed: once more without observers")
    most = PATIENCE * watched.seconds + GRACE_SECONDS
    home = RunDirectory(RunDirectory(Path(spec.run)).timelines / "alone")
    home.path.mkdir(parents=True, exist_ok=True)
    alone = msgspec.structs.replace(spec, run=str(home.path), scratch=str(home.scratch), observed=False, extensions=())
    with running(target, alone, eyes.means) as script:
        code = script.wait(lambda: script.seconds > most)
    RunDirectory(Path(spec.run)).clear()
    if code:
        watched.refused = traceback.refused(watched.lines) if spec.contain else None
    else:
        watched.fault = outcome.message or f"exit code {outcome.exit_code}"


@contextlib.contextmanager
def running(
    target: targets.Target, spec: session_spec.Spec, means: Means, echo: IO[bytes] | None = None
) -> Iterator[Script]:
    """The script under observation. Afterwards no process of it is left, and of its files only log and output."""
    run = RunDirectory(Path(spec.run))
    session_spec.write(spec, run.session)
    with environment_of(target, spec, means.environment) as environment:
        process = means.start(target.command, {**environment, session_spec.VARIABLE: str(run.session)}, spec.cwd)
        script = Script(process, run.output, echo)
        try:
            yield script
        finally:
            script.end()
            run.clear()


@contextlib.contextmanager
def environment_of(
    target: targets.Target, spec: session_spec.Spec, users: Mapping[str, str]
) -> Iterator[dict[str, str]]:
    """The user's environment, with no new byte-code files, and temporary files that vanish."""
    with _temporary_folder() as temporary:
        found = {**users, "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        found["FIRSTLIGHT_DISABLED"] = "1"  # a guard in the script would watch what is watched already
        # Copies run beside the program: threads that spin while they wait take the cores from those that work.
        found.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        if spec.seed is not None:
            found.setdefault("PYTHONHASHSEED", str(spec.seed))
        if spec.contain:
            found |= {"TMPDIR": str(temporary), **containment.tracker_environment(Path(spec.scratch))}
        lent = targets.lend(target.interpreter, temporary / "lent")
        if lent is not None:
            found["PYTHONPATH"] = os.pathsep.join(filter(None, [lent, found.get("PYTHONPATH")]))
        yield found


@contextlib.contextmanager
def _temporary_folder() -> Iterator[Path]:
    """Short, because sockets live in it and their paths may not be long."""
    leftovers.collect(Path(tempfile.gettempdir()).glob(f"{TEMPORARY}*"), leftovers.remove)
    folder = Path(tempfile.mkdtemp(prefix=TEMPORARY))
    try:
        with leftovers.in_use(folder):
            yield folder
    finally:
        leftovers.remove(folder)


def _follow(script: Script, spec: session_spec.Spec, eyes: Eyes) -> Watched:
    watched = Watched()
    reader = LineReader(Path(spec.events))
    ending_since: list[float] = []
    stepped = [0, 0.0]
    """How many steps were seen when one was last seen to come, and when that was."""

    def over() -> bool:
        _read(reader, watched, script.seconds)
        eyes.progress(_told(watched, spec, script.seconds))
        eyes.settled(watched)
        if watched.of(Ending):
            ending_since.append(script.seconds)
            return script.seconds - ending_since[0] > GRACE_SECONDS
        if watched.startup is None:
            return script.seconds > eyes.startup_seconds
        if watched.steps > stepped[0]:
            stepped[:] = watched.steps, script.seconds
        hangs = script.seconds - stepped[1] > spec.seconds
        given = (1.0 if hangs else session_spec.BUSY) * spec.longer * spec.seconds
        return session_spec.is_spent(script.seconds - watched.startup - GRACE_SECONDS, watched.steps, given)

    watched.exit_code = script.wait(over)
    watched.seconds = script.seconds
    watched.over = True
    while not eyes.settled(watched) and script.seconds - watched.seconds < LONGEST_SETTLING:
        time.sleep(0.05)
        _read(reader, watched, script.seconds)
        eyes.progress(f"experiments: {_counted(watched)}, {script.seconds:.0f} s")
    script.end()
    watched.contained = containment.contained(Path(spec.scratch))
    _read(reader, watched, script.seconds)
    watched.lines = traceback.without_ours(script.output.lines())
    return watched


def _read(reader: LineReader, watched: Watched, seconds: float) -> None:
    for event in reader.new():
        if (plain := event.get("observed")) is None:
            continue
        record: Logged = wire.convert(plain, LOGGED)
        timeline = event.get("timeline")
        (watched.records if timeline is None else watched.timelines.setdefault(timeline, [])).append(record)
    if watched.startup is None and watched.backwards:
        watched.startup = round(seconds, 3)


def _counted(watched: Watched) -> str:
    ended = sum(isinstance(record, TimelineEnded) for record in watched.timelines.get("nursery", ()))
    return f"{ended} done"


def follow_log(events: Path, watched: Watched) -> Callable[[], None]:
    """A function that adds to `watched` what was logged since it was last called."""
    reader = LineReader(events)
    begun = time.monotonic()
    return lambda: _read(reader, watched, time.monotonic() - begun)


def _told(watched: Watched, spec: session_spec.Spec, seconds: float) -> str:
    last = next((record for record in reversed(watched.records) if isinstance(record, StepSeen)), None)
    if last is None:
        return f"starting the script … {seconds:.0f} s"
    loss = f", loss {last.loss:.4g}" if last.loss is not None else ""
    of = f"of {spec.steps}" if last.step < spec.steps else "(no sign of learning yet)"
    return f"step {last.step + 1} {of}{loss}, {seconds:.0f} s"
