"""Runs that somebody looks at: each is read once, however many look, and a slow looker only misses pictures."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from typing import Any

import msgspec

from firstlight.dashboard.follower import Follower
from firstlight.dashboard.shelf import Shelf
from firstlight.diagnosis.knowledge.repairs import repairs_of
from firstlight.records import wire
from firstlight.records.chronicle import Chronicle
from firstlight.records.report import Report
from firstlight.report.html import plots
from firstlight.store.run_directory import RunDirectory

SLICE_SECONDS = 0.05
"""Reading at a stretch; the server answers others in between."""
QUICKEST, SLOWEST = 0.25, 1.0
"""Seconds between two pictures: small ones come more often."""
BYTES_PER_SECOND = 256 * 1024
IDLE_SECONDS = 1.0
REDRAWN_SECONDS = 10.0
"""Without anything new: that a run has fallen silent is itself news."""
PING_SECONDS = 15.0
MOST_WATCHES = 48
FIRST_LOOK_SECONDS = 2.0


class Watch:
    """Of one run. `picture` is all a page needs to draw it; each is complete, so any may be missed."""

    def __init__(self, run: RunDirectory, shelf: Shelf) -> None:
        self.follower = Follower(run)
        self._shelf = shelf
        self._changed = asyncio.Condition()
        self._version = 0
        self._picture = b""
        self._lookers = 0
        self._task: asyncio.Task[None] | None = None

    async def pictures(self) -> AsyncIterator[bytes]:
        """Server-sent events, until the page is closed."""
        self._lookers += 1
        seen = 0
        try:
            if self._task is None or self._task.done():
                self._task = asyncio.create_task(self._pump())
            while True:
                fresh = await self._after(seen)
                if self._task.done():
                    self._task.result()  # a fault of ours ends the stream, and the page asks again
                if fresh:
                    seen = self._version
                    yield b"event: picture\nid: %d\ndata: %s\n\n" % (seen, self._picture)
                else:
                    yield b": still here\n\n"
        finally:
            self._lookers -= 1

    async def caught_up(self, seconds: float = FIRST_LOOK_SECONDS) -> None:
        """Reads on for at most so long; a run that nobody looks at is as old as the last look."""
        until = time.monotonic() + seconds
        while await asyncio.to_thread(self.follower.advance, SLICE_SECONDS):
            if time.monotonic() > until:
                return

    async def _after(self, seen: int) -> bool:
        async with self._changed:
            try:
                async with asyncio.timeout(PING_SECONDS):
                    await self._changed.wait_for(lambda: self._version > seen)
            except TimeoutError:
                return False
        return True

    async def _pump(self) -> None:
        due, stale, moved = 0.0, True, time.monotonic()
        while self._lookers:
            fresh = await asyncio.to_thread(self.follower.advance, SLICE_SECONDS)
            now = time.monotonic()
            stale, moved = stale or fresh, now if fresh else moved
            if now >= (due if stale else due + REDRAWN_SECONDS):
                await self._publish(await asyncio.to_thread(self._draw))
                due = now + min(SLOWEST, max(QUICKEST, len(self._picture) / BYTES_PER_SECOND))
                stale = False
            if not fresh or self.follower.read >= 1.0:
                await asyncio.sleep(QUICKEST / 2 if now - moved < REDRAWN_SECONDS else IDLE_SECONDS)

    async def _publish(self, picture: bytes) -> None:
        async with self._changed:
            if picture != self._picture or not self._version:
                self._picture = picture
                self._version += 1
                self._changed.notify_all()

    def _draw(self) -> bytes:
        return msgspec.json.encode(picture(self.follower, self._shelf))


def picture(follower: Follower, shelf: Shelf) -> dict[str, Any]:
    told: dict[str, Any] = wire.to_plain(
        {
            "card": shelf.card(follower.run),
            "read": round(follower.read, 4),
            "fault": follower.fault,
            "sightings": follower.sightings,
            "plots": drawn(follower.chronicle(), shelf.report(follower.run)),
        }
    )
    return told


def drawn(chronicle: Chronicle, report: Report | None = None) -> dict[str, plots.Plot]:
    """The plots of the report's page, in its order; of the copies, repairs of what was found come first."""
    findings = report.findings if report else ()
    repairs = {repair.slug for finding in findings for repair in repairs_of(finding.cause)}
    copies = plots.experiments(chronicle, repairs)
    return plots.measured(chronicle) | plots.evaluated(chronicle) | ({"copies": copies} if copies else {})


class Hub:
    """Keeps the runs looked at most recently; what each holds is bounded, and so is how many there are."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self._watches: OrderedDict[str, Watch] = OrderedDict()

    def watch(self, run: RunDirectory) -> Watch:
        found = self._watches.get(run.id)
        if found is None:
            found = self._watches[run.id] = Watch(run, self.shelf)
            while len(self._watches) > MOST_WATCHES:
                self._watches.popitem(last=False)
        self._watches.move_to_end(run.id)
        return found
