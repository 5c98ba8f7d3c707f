"""A guard attached in the program itself leaves a report behind, as `firstlight run` does."""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from firstlight.errors import RedFlagError
from firstlight.records.report import Subject, Timing
from firstlight.store.run_directory import shown

if TYPE_CHECKING:
    from firstlight.guard.attach import Guard


def ending_of(error: BaseException) -> tuple[str, str]:
    """How a run ended that an exception ended: a word for its log, and words for its report."""
    words = f"it was ended by {type(error).__name__}"
    match error:
        case RedFlagError():
            return "stopped", words
        case KeyboardInterrupt():
            return "interrupted", words
        case SystemExit() if not error.code:
            return "ok", "the program finished"
    return "crashed", words


def leave_report(guard: "Guard", seconds: float) -> None:
    """`firstlight report` and the dashboard show it. Under `firstlight run` the report is that of the whole program."""
    run = guard.journal.run
    if run is None or not guard.journal.is_own or guard.rank != 0:
        return
    from firstlight.guard.run import ending
    from firstlight.report import json as json_report

    script = Path(sys.argv[0]) if sys.argv and sys.argv[0] else None
    subject = Subject(
        kind="run",
        command=tuple(sys.argv),
        file=str(script) if script is not None and script.is_file() else None,
        run=shown(run.path),
    )
    started = (datetime.now(UTC) - timedelta(seconds=seconds)).isoformat(timespec="seconds")
    timing = Timing(started=started.replace("+00:00", "Z"), seconds=round(seconds, 3))
    report = ending.report_of(run.events, subject, guard.ended, timing)
    run.report.write_text(json_report.render(report), encoding="utf-8")
