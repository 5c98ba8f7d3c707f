"""TensorBoard event files in the run directory: `tensorboard --logdir .firstlight/runs`."""

from pathlib import Path
from typing import TYPE_CHECKING

from torch.utils.tensorboard import SummaryWriter

from firstlight.guard.sinks.numbers import is_due, numbers_of
from firstlight.records.telemetry import StepRow, Trip

if TYPE_CHECKING:
    from firstlight.guard.attach import Guard


class TensorBoard:
    def __init__(self, guard: "Guard") -> None:
        folder = guard.run.path if guard.run is not None else Path.cwd()
        self._writer = SummaryWriter(str(folder / "tensorboard"))

    def step(self, row: StepRow) -> None:
        if is_due(row):
            for name, value in numbers_of(row).items():
                self._writer.add_scalar(name, value, row.step)

    def flag(self, trip: Trip) -> None:
        finding = trip.finding
        text = f"**{finding.id} {finding.name}**: {finding.saw}. {finding.do}."
        self._writer.add_text("firstlight/red flags", text, trip.step)

    def close(self) -> None:
        self._writer.close()
