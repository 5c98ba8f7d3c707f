"""`on_red="stop"` under a framework: its own switch is thrown after the step, so that it still saves and reports."""

import dataclasses

from firstlight.guard.attach import Guard
from firstlight.guard.options import Options
from firstlight.records.telemetry import Trip


class Stopping:
    is_wanted = False

    def instead(self, options: Options) -> Options:
        """The options, with a wish in place of an exception from the middle of the framework's loop."""
        return dataclasses.replace(options, on_red=self._wish) if options.on_red == "stop" else options

    def _wish(self, trip: Trip, guard: Guard) -> None:
        self.is_wanted = True
        guard.status, guard.ended = "stopped", f"it was stopped by {trip.finding.id} {trip.finding.name}"
