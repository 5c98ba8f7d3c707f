"""Weights & Biases: curves beside the program's own in its run, or in one of ours where it has none."""

from typing import TYPE_CHECKING, Any

import wandb

from firstlight.guard.sinks.numbers import PREFIX, is_due, numbers_of
from firstlight.records.telemetry import StepRow, Trip

if TYPE_CHECKING:
    from firstlight.guard.attach import Guard


class WeightsAndBiases:
    def __init__(self, _guard: "Guard") -> None:
        theirs = wandb.run
        self._owned = theirs is None
        self._run: Any = theirs if theirs is not None else wandb.init(project="firstlight")
        self._run.define_metric(f"{PREFIX}step")
        self._run.define_metric(f"{PREFIX}*", step_metric=f"{PREFIX}step")

    def step(self, row: StepRow) -> None:
        """In a run of the program's the counting of steps is the program's: our numbers go with its next line."""
        if is_due(row):
            self._run.log({**numbers_of(row), f"{PREFIX}step": row.step}, commit=self._owned)

    def flag(self, trip: Trip) -> None:
        finding = trip.finding
        self._run.alert(title=f"{finding.id} {finding.name}", text=f"step {trip.step}: {finding.saw}. {finding.do}.")
        self._run.summary[f"{PREFIX}red_flag"] = f"{finding.id} {finding.name} at step {trip.step}"

    def close(self) -> None:
        if self._owned:
            self._run.finish()
