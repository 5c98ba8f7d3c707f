"""Reports of a run that is on disk: what was judged from `report.json`, what was measured from `events.ndjson`."""

import os

import msgspec

from firstlight.errors import UsageError
from firstlight.facts.chronicle.gathering import gather
from firstlight.records import events, wire
from firstlight.records.chronicle import Chronicle
from firstlight.records.report import Report
from firstlight.report import html
from firstlight.store import plain_files
from firstlight.store.event_log import EventLog, read
from firstlight.store.run_directory import RunDirectory

MOST_BYTES = 256 << 20
"""Of a report."""


def report_of(run: RunDirectory) -> Report:
    if not os.path.lexists(run.report):
        raise UsageError(f"{run.path} has no report.json: the run has not been judged, or judging did not finish.")
    try:
        return wire.decode(plain_files.contents(run.report, MOST_BYTES), Report)
    except msgspec.MsgspecError as error:
        raise UsageError(f"{run.report} is not a report that this version understands: {error}.") from None


def chronicle_of(run: RunDirectory) -> Chronicle:
    return gather(read(run.events))


def write_page(run: RunDirectory, log: EventLog, report: Report) -> None:
    """A page that cannot be drawn must not cost the verdict: the log says what happened."""
    try:
        run.page.write_text(html.render(report, chronicle_of(run)), encoding="utf-8")
    except Exception as fault:  # noqa: BLE001 (see above)
        name = type(fault).__name__
        log.append(events.ExceptionSeen, type=name, message=f"report.html: {fault}"[:500], traceback_hash=name)
