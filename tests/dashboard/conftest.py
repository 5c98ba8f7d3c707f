"""A real server on a real port, and runs for it to show."""

import contextlib
import http.client
import math
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from firstlight.dashboard import server
from firstlight.records import events, wire
from firstlight.records.finding import Finding, Severity
from firstlight.records.places import Where
from firstlight.records.report import REPORT_SCHEMA, Coverage, Hypothesis, Report, Subject, Timing, Verdict
from firstlight.store.event_log import EventLog
from firstlight.store.run_directory import RunDirectory

HOSTILE = "<img src=x onerror=alert(1)>\"'`${alert(2)}"
SHELF = Path(".firstlight/runs")


@dataclass(frozen=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes


@dataclass(frozen=True)
class Served:
    url: str

    @property
    def token(self) -> str:
        return self.url.partition("token=")[2]

    @property
    def home(self) -> str:
        return self.url.partition("?")[0]

    def ask(self, path: str, method: str = "GET", **headers: str) -> Answer:
        with self.stream(path, method, **headers) as answer:
            return Answer(answer.status, answer.headers, answer.read())

    @contextlib.contextmanager
    def stream(self, path: str, method: str = "GET", **headers: str) -> Iterator[http.client.HTTPResponse]:
        """With the token, unless `authorization` says otherwise; the path goes out exactly as given."""
        parts = urlsplit(self.url)
        connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=30)
        given = {"host": parts.netloc, "authorization": f"Bearer {self.token}", "connection": "close", **headers}
        connection.putrequest(method, path, skip_host=True)
        for key, value in given.items():
            connection.putheader(key, value)
        connection.endheaders()
        with contextlib.closing(connection), contextlib.closing(connection.getresponse()) as answer:
            yield answer

    def json(self, path: str) -> Any:
        answer = self.ask(path)
        assert answer.status == 200, answer.body
        return wire.decode(answer.body, dict)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[[], Served]]:
    """The runs below the test's folder."""
    started: list[tuple[server.Ready, threading.Thread]] = []

    def start() -> Served:
        (tmp_path / SHELF).mkdir(parents=True, exist_ok=True)
        ready = server.prepare(tmp_path, server.Address(port=0))
        thread = threading.Thread(target=ready.run, daemon=True)
        thread.start()
        started.append((ready, thread))
        while not ready.server.started:
            time.sleep(0.01)
        return Served(ready.url)

    yield start
    for ready, thread in started:
        ready.server.should_exit = True
        thread.join(10)


@dataclass(frozen=True)
class Written:
    """A run that is still going: more can be appended."""

    run: RunDirectory
    log: EventLog

    def steps(self, begin: int, end: int) -> None:
        for step in range(begin, end):
            loss = math.nan if step == 13 else 2.0 / (step + 1)
            self.log.append(events.Step, step=step, loss=loss, lr=0.1, grad_norm=1.0 + step % 3, step_s=0.01)


@pytest.fixture
def write(tmp_path: Path) -> Iterator[Callable[..., Written]]:
    opened: list[EventLog] = []

    def begin(name: str, steps: int = 20, command: str = "train.py") -> Written:
        run = RunDirectory(tmp_path / SHELF / name)
        run.path.mkdir(parents=True)
        log = EventLog(run.events, name, rank=0)
        opened.append(log)
        log.append(events.RunStart, argv=[command], cwd_hash="x", git=None, env={}, seed=None)
        written = Written(run, log)
        written.steps(0, steps)
        return written

    yield begin
    for log in opened:
        log.close()


def judge(written: Written, verdict: Verdict = Verdict.ILL, text: str = "saw it") -> None:
    """Ends a run with a report."""
    severities = {Verdict.ILL: Severity.ERROR, Verdict.WARN: Severity.WARNING}
    found = tuple(_finding(severities[verdict], f"{text} {n}") for n in range(4)) if verdict in severities else ()
    report = Report(
        schema=REPORT_SCHEMA,
        subject=Subject(kind="script", command=(text, "train.py")),
        verdict=verdict,
        findings=(*found, _finding(Severity.NOTE, "a note")),
        diagnosis=(Hypothesis(cause="hp-lr-high", category="hp", probability=0.8, because=("FL501",)),),
        checks=(),
        coverage=Coverage(steps=20, seconds=1.0),
        timing=Timing(started="2026-01-01T00:00:00Z", seconds=1.0),
        environment={"python": "3.11"},
    )
    written.run.report.write_bytes(wire.encode(report))
    written.log.append(events.RunEnd, status="ok", elapsed_seconds=1.5, exit_code=0)


def _finding(severity: Severity, text: str) -> Finding:
    return Finding(
        id="FL501",
        name="loss-explodes",
        cause="hp-lr-high",
        category="hp",
        severity=severity,
        confidence=0.8,
        verified=False,
        where=Where(file=f"{text}.py", line=3, step=2),
        summary=text,
        saw=text,
        wanted="less",
        likely="the rate",
        do="divide it",
    )
