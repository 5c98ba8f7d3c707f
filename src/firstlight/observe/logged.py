"""What an earlier run saw, from its event log."""

from pathlib import Path

import msgspec

from firstlight.observe.watch import Watched
from firstlight.records import wire
from firstlight.records.declared import LOGGED, Logged
from firstlight.store.event_log import LineReader


def read_log(events: Path) -> tuple[Watched, int]:
    """And how many lines of it cannot be read, or hold something that this version does not know."""
    watched, reader, lost = Watched(exit_code=0), LineReader(events), 0
    for event in reader.new():
        timeline = event.get("timeline")
        if event.get("observed") is None:
            continue
        try:
            record: Logged = wire.convert(event["observed"], LOGGED)
        except (msgspec.ValidationError, RecursionError, ValueError):
            lost += 1
            continue
        (watched.records if timeline is None else watched.timelines.setdefault(str(timeline), [])).append(record)
    if watched.backwards:
        watched.startup = 0.0
    return watched, lost + len(reader.broken) + bool(reader.torn)
