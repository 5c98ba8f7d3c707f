"""The one maker of reports: what was found, what it rests on, and the verdict that follows from both."""

import platform
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from firstlight import __version__
from firstlight.diagnosis.rank import rank
from firstlight.findings.judge import Judgement
from firstlight.judge.verdict import verdict_of
from firstlight.observe.inside import cores
from firstlight.observe.source.excerpts import excerpts
from firstlight.records.finding import Scalar
from firstlight.records.report import REPORT_SCHEMA, Coverage, Report, Subject, Timing, Verdict


def report(
    subject: Subject, judgement: Judgement, coverage: Coverage, timing: Timing, unjudged: str | None = None
) -> Report:
    """`unjudged` says why there is no ground to judge on. What only some subjects have is added by them."""
    return Report(
        schema=REPORT_SCHEMA,
        subject=subject,
        verdict=(verdict := verdict_of(judgement.findings, unjudged)),
        findings=judgement.findings,
        diagnosis=rank(judgement.findings),
        checks=judgement.outcomes,
        coverage=coverage,
        timing=timing,
        environment=machine(),
        reason=unjudged if verdict is Verdict.UNJUDGED else None,
        excerpts=excerpts(judgement.findings, Path.cwd(), [Path(subject.file).parent] if subject.file else ()),
    )


def timing_since(begun: float) -> Timing:
    """Of what began at that moment of the monotonic clock and is over now."""
    seconds = time.monotonic() - begun
    return Timing(started=stamp(seconds), seconds=round(seconds, 3))


def stamp(seconds_ago: float) -> str:
    started = datetime.fromtimestamp(time.time() - seconds_ago, UTC)
    return started.isoformat(timespec="seconds").replace("+00:00", "Z")


def machine() -> dict[str, Scalar]:
    return {
        "firstlight": __version__,
        "python": platform.python_version(),
        "platform": f"{sys.platform}-{platform.machine()}",
        "cores": cores.usable(),
    }
