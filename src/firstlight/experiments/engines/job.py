"""One fresh timeline: the user's whole command once more, with one order applied when training begins.

A job holds everything by value and gives its events back by value, so that it can be done on any machine that has the
script, its data and firstlight.
"""

import contextlib
import io
import os
import shutil
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from firstlight.experiments.plan import LEFT, ORDER, Order
from firstlight.observe import traceback
from firstlight.observe.process import Script, Start, popen
from firstlight.observe.spec import PATIENCE, Spec
from firstlight.observe.target import Target
from firstlight.observe.watch import Means, running
from firstlight.store.event_log import LineReader
from firstlight.store.run_directory import RunDirectory

EXTENSIONS = ("firstlight.experiments.inside.fresh:install",)
MOST_MESSAGE = 300
GRACE_SECONDS = 3.0
"""Beyond the order's own seconds, for a last long step."""


@dataclass(frozen=True, slots=True)
class Job:
    order: Order
    target: Target
    spec: Spec
    """Of the timeline: its folder is its own, and gone when the job is done."""
    environment: Mapping[str, str]
    """The user's."""
    startup_seconds: float
    files: bytes = b""
    """What an earlier timeline left: the script sees these files in place."""


@dataclass(frozen=True, slots=True)
class Made:
    events: bytes
    """Lines of the timeline's event log."""
    seconds: float
    exit_code: int | None
    """None where it did not end by itself; negative for a signal."""
    message: str = ""
    output: tuple[str, ...] = ()
    """The end of what it printed, our own frames removed."""
    files: bytes = b""
    """What it left for another timeline."""


def job(order: Order, target: Target, program: Spec, environment: Mapping[str, str], startup_seconds: float) -> Job:
    """`program` is what the program itself is observed with."""
    home = RunDirectory(RunDirectory(Path(program.run)).timelines / order.name)
    spec = msgspec.structs.replace(
        program,
        run=str(home.path),
        events=str(home.events),
        scratch=str(home.scratch),
        steps=order.steps,
        seconds=order.seconds,
        extensions=(*EXTENSIONS, *program.extensions),
    )
    return Job(order, target, spec, environment, startup_seconds)


def make(job: Job, start: Start = popen, given_up: Callable[[], bool] = lambda: False) -> Made:
    """Every wait has an end; no process and no file of the timeline outlives this call."""
    home = RunDirectory(Path(job.spec.run))
    shutil.rmtree(home.path, ignore_errors=True)
    home.path.mkdir(parents=True)
    (home.path / ORDER).write_bytes(msgspec.json.encode(job.order))
    put_in_place(job.files, home)
    spec = msgspec.structs.replace(job.spec, owner=os.getpid())
    try:
        with running(job.target, spec, Means(job.environment, start)) as script:
            code = script.wait(_over(script, job, given_up))
            seconds = script.seconds
        output = traceback.without_ours(script.output.lines())
        events = home.events.read_bytes() if home.events.exists() else b""
        left = (home.path / LEFT).read_bytes() if (home.path / LEFT).exists() else b""
        message = traceback.message_of(output) if code else ""
        return Made(events, round(seconds, 3), code, message, tuple(output), left)
    finally:
        shutil.rmtree(home.path, ignore_errors=True)
        with contextlib.suppress(OSError):
            home.path.parent.rmdir()


def put_in_place(files: bytes, home: RunDirectory) -> None:
    """As the containment keeps what a script has written."""
    if files:
        home.scratch.mkdir()
        (home.scratch / "removed").touch()
        with tarfile.open(fileobj=io.BytesIO(files)) as archive:
            archive.extractall(home.scratch / "files", filter="data")


def lost(error: BaseException) -> Made:
    """Of a job that failed rather than its timeline: no disk, no process, no machine."""
    return Made(b"", 0.0, None, f"{type(error).__name__}: {error}"[:MOST_MESSAGE])


def _over(script: Script, job: Job, given_up: Callable[[], bool]) -> Callable[[], bool]:
    """When to wait no longer: a deadline for the start, and one from the first sign of training on."""
    reader = LineReader(Path(job.spec.events))
    begun: list[float] = []

    def over() -> bool:
        if not begun and any(_trains(event) for event in reader.new()):
            begun.append(script.seconds)
        if not begun:
            return given_up() or script.seconds > job.startup_seconds
        return given_up() or script.seconds - begun[0] > PATIENCE * job.order.seconds + GRACE_SECONDS

    return over


def _trains(event: dict[str, object]) -> bool:
    seen = event.get("observed")
    return isinstance(seen, dict) and seen.get("fact") == "backward"
