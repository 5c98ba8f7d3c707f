"""Has the whole program run, shortened, beside whatever else is made of it; and again where it crashes.

A crash of a shortened run may come from having been shortened. So it is tried once more, shortened in another way, and
where that ends alike and the error could still be our doing, with nothing shortened, for as long as there is time. What
each attempt saw stands in the event log under its name.
"""

import linecache
import os
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from firstlight.experiments.engines.fresh import LEAST_STARTUP_SECONDS, STARTUP_FACTOR
from firstlight.experiments.engines.job import Job, Made, job
from firstlight.experiments.engines.local import LocalHands
from firstlight.experiments.engines.warm import warmable
from firstlight.experiments.plan import RESUMED, Order
from firstlight.observe import traceback
from firstlight.observe.printed import numbers_in
from firstlight.observe.process import Start, popen
from firstlight.observe.spec import Spec
from firstlight.observe.target import Target, launched
from firstlight.observe.watch import Watched
from firstlight.records import wire
from firstlight.records.events import Fact
from firstlight.records.program import ProcessSeen
from firstlight.records.rehearsal import RehearsalEnded
from firstlight.records.resumed import StateKept
from firstlight.store.event_log import EventLog

SECONDS = 15.0
ATTEMPTS: dict[str, tuple[str, ...]] = {
    "rehearsal": ("inner=3", "outer=2", "last=all", "spare=3"),
    "rehearsal-longer": ("inner=6", "outer=4", "last=inner"),
    "rehearsal-whole": (),
}
TAPS = ("checkpoints", "evaluations", "failures", "feeding", "loaders")
PRELUDE = "firstlight.experiments.inside.shortening.prelude:begin"
EXTENSION = "firstlight.experiments.inside.rehearsal:install"
NEVER = 1_000_000_000


def can_be_shortened(target: Target) -> bool:
    """A launcher starts the script itself, and gives nobody the time to read it first."""
    return warmable(target) and not launched(target)


def alone() -> dict[str, str]:
    """What a launcher tells the only process it starts."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    first = dict.fromkeys(("RANK", "LOCAL_RANK", "GROUP_RANK"), "0")
    only = dict.fromkeys(("WORLD_SIZE", "LOCAL_WORLD_SIZE"), "1")
    return {**first, **only, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}


def attempt(name: str, rehearsals: "Rehearsals", startup_seconds: float) -> Job:
    shortened = ATTEMPTS["rehearsal" if name == RESUMED else name]
    order = Order(name=name, interventions=shortened, steps=NEVER, seconds=rehearsals.seconds)
    environment = {**os.environ, **rehearsals.environment}
    made = job(order, rehearsals.target, rehearsals.program, environment, startup_seconds)
    if name == RESUMED:
        made = replace(made, target=resuming(made.target, rehearsals.kept), files=rehearsals.files)
    spec = msgspec.structs.replace(
        made.spec,
        taps=TAPS,
        full_steps=0,
        sample_every=NEVER,
        extensions=(EXTENSION,),
        preludes=(PRELUDE,) if order.interventions else (),
    )
    return replace(made, spec=spec)


def ended(made: Made) -> RehearsalEnded:
    lines = list(made.output)
    trace = traceback.trace_of(lines, Path.cwd()) if made.exit_code else ()
    site = trace[-1] if trace else None
    linecache.checkcache()
    return RehearsalEnded(
        step=0,
        seconds=made.seconds,
        exit_code=made.exit_code,
        message=made.message,
        site=site,
        trace=trace,
        printed=numbers_in(lines),
        source=linecache.getline(site.file, site.line).strip() if site is not None else "",
        given_elsewhere=site is not None and _is_given(made.message, "".join(linecache.getlines(site.file))),
    )


def _is_given(message: str, text: str) -> bool:
    """Whether the file sets the name that the error says does not exist: it may do so in a later round."""
    found = ABSENT_NAME.search(message)
    if found is None:
        return False
    name = re.escape(found.group(1))
    return (
        re.search(rf"(?m)(?:\b{name}\s*(?::[^=\n]+)?=(?!=)|\b(?:as|for|global|nonlocal)\s+{name}\b)", text) is not None
    )


def may_be_ours(crash: RehearsalEnded) -> bool:
    """Whether fewer rounds than were meant can bring it about: too little was gathered, or something was never done."""
    kind, _, text = crash.message.partition(":")
    name = kind.rpartition(".")[2]
    if not name.endswith(RAISED) or any(words in text for words in ("NoneType", "empty", "__firstlight")):
        return True
    if name != "TypeError" and any(words in text for words in TOO_LITTLE):
        return True
    if crash.given_elsewhere or (re.search(r"\braise\b", crash.source) and name != "NotImplementedError"):
        return True
    if name == "KeyError":
        return text.strip() not in crash.source.replace('"', "'")
    if name == "AssertionError":
        return "assert" in crash.source  # one of the program's own; a library asserts how it is called
    return name in FEW_ROUNDS and not any(words in text for words in NOT_FEW_ROUNDS)


RAISED = ("Error", "Exception")
TOO_LITTLE = (
    "out of range",
    "out of bounds",
    "at least",
    "too few",
    "too short",
    "not enough",
    "nsufficient",
    "singular",
)
"""Words by which libraries say that there is less of something than they need."""
ABSENT_NAME = re.compile(r"(?:name|attribute|variable) '(\w+)'")
FEW_ROUNDS = (
    "IndexError",
    "ZeroDivisionError",
    "UnboundLocalError",
    "FileNotFoundError",
    "StatisticsError",
    "ValueError",
    "OverflowError",
)
NOT_FEW_ROUNDS = ("unpack", "could not convert", "nsupported", "not supported", "invalid literal", "not a valid")
"""Words in the message of an error that has nothing to do with how much there is of anything."""


def alike(one: RehearsalEnded, other: RehearsalEnded) -> bool:
    """The same error on the same line. A number in the message that follows the rounds made tells them apart."""
    return (one.exit_code, one.message, one.site) == (other.exit_code, other.message, other.site)


def next_attempt(so_far: list[RehearsalEnded]) -> str | None:
    """The name of the attempt that is still needed; None where everything is known that can be."""
    names = list(ATTEMPTS)
    if not so_far:
        return names[0]
    crashed = all(one.exit_code for one in so_far) and all(alike(one, so_far[0]) for one in so_far)
    if not crashed or so_far[0].message == traceback.NOBODY_ANSWERS:
        return None
    if len(so_far) == len(names) or (len(so_far) > 1 and not may_be_ours(so_far[0])):
        return None
    return names[len(so_far)]


@dataclass
class Rehearsals:
    """Asked again and again whether they are over; each time, what can be begun is begun."""

    target: Target
    program: Spec
    """What the program itself is observed with."""
    seconds: float = SECONDS
    """For one attempt, from its first backward on."""
    startup_seconds: float | None = None
    """How long a start may take; by the program's own where that is seen."""
    start: Start = popen
    environment: dict[str, str] = field(default_factory=dict)
    """Beside the user's own."""
    made: list[RehearsalEnded] = field(default_factory=list)
    files: bytes = b""
    """Those of its first checkpoint, and what is known of that moment."""
    kept: StateKept | None = None
    _hands: LocalHands | None = None
    _running: Any = None
    _name: str = ""
    _over: bool = False

    def settled(self, watched: Watched) -> bool:
        if watched.exit_code or not can_be_shortened(self.target):
            return True  # a program that crashed by itself has told more than its rehearsal could
        if self._over or not self._may_begin(watched):
            return self._over or watched.over
        if self._hands is None:
            self._hands = LocalHands(self.target, self.program, self.start)
        if self._running is None:
            self._begin(watched)
        elif (made := self._hands.made(self._running)) is not None:
            self._running = None
            self._note(made)
        return self._over

    def _may_begin(self, watched: Watched) -> bool:
        """Not beside a program whose device it would share."""
        if watched.startup is None:
            return self.startup_seconds is not None
        return watched.over or all(seen.device == "cpu" and seen.world == 1 for seen in watched.of(ProcessSeen))

    def _begin(self, watched: Watched) -> None:
        assert self._hands is not None
        name = next_attempt(self.made) or self._to_resume()
        if name is None:
            self._over = True
            return
        self._name = name
        startup = self.startup_seconds or max(LEAST_STARTUP_SECONDS, STARTUP_FACTOR * (watched.startup or 0.0))
        self._running = self._hands.begin(attempt(name, self, startup))

    def _to_resume(self) -> str | None:
        """Where a checkpoint of the training was written, and a line that loads one was never reached."""
        return RESUMED if self._name == "rehearsal" and self.files and self.kept and self.kept.loads else None

    def _note(self, made: Made) -> None:
        """What was seen goes into the program's log, and after it how it ended."""
        log = EventLog(Path(self.program.events), self.program.run_id)
        log.timeline = self._name
        log.take_in(made.events)
        fate = ended(made)
        log.append(Fact, observed=wire.to_plain(fate))
        log.close()
        if self._name != RESUMED:
            self.made.append(fate)
        if self._name == "rehearsal":
            self.files, self.kept = made.files, _kept_in(made.events)

    def close(self) -> None:
        """Nothing of it is left behind, whatever is still under way."""
        if self._hands is not None:
            self._hands.end()


def _kept_in(events: bytes) -> StateKept | None:
    for line in events.splitlines():
        if b'"state-kept"' in line:
            return msgspec.convert(msgspec.json.decode(line)["observed"], StateKept)
    return None


def resuming(target: Target, kept: StateKept | None) -> Target:
    """The same command; where its script has an option `--resume…`, with that, and a file where it takes one."""
    text = Path(target.file).read_text(encoding="utf-8", errors="replace") if target.file else ""
    found = RESUME_OPTION.search(text)
    if found is None or kept is None or any(word.startswith(found.group(1)) for word in target.words):
        return target
    takes_none = any(word in found.group(2) for word in ("store_true", "BooleanOptionalAction"))
    more = (found.group(1),) if takes_none else (found.group(1), kept.paths[-1])
    return replace(target, command=(*target.command, *more))


RESUME_OPTION = re.compile(r"""add_argument\(\s*["'](--resume[\w-]*)["']([^)]*)\)""")


def attempts_of(watched: Watched) -> Iterator[tuple[RehearsalEnded, list[Any]]]:
    """How each attempt ended, with everything else that it saw."""
    for name in ATTEMPTS:
        records = watched.timelines.get(name, [])
        for record in records:
            if isinstance(record, RehearsalEnded):
                yield record, records
