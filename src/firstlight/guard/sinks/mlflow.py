"""MLflow: metrics and tags in the program's active run, or in one of ours where it has none."""

from typing import TYPE_CHECKING

import mlflow
from mlflow.tracking import MlflowClient

from firstlight.guard.sinks.numbers import is_due, numbers_of
from firstlight.records.telemetry import StepRow, Trip

if TYPE_CHECKING:
    from firstlight.guard.attach import Guard


class MLflow:
    def __init__(self, _guard: "Guard") -> None:
        """By the run's id from then on: a program that ends its run early does not make us open another."""
        theirs = mlflow.active_run()
        self._owned = theirs is None
        run = theirs if theirs is not None else mlflow.start_run()
        self._id = run.info.run_id
        self._client = MlflowClient()

    def step(self, row: StepRow) -> None:
        if is_due(row):
            for name, value in numbers_of(row).items():
                self._client.log_metric(self._id, name, value, step=row.step, synchronous=False)

    def flag(self, trip: Trip) -> None:
        finding = trip.finding
        self._client.set_tag(self._id, f"firstlight.{finding.id}", f"{finding.name} at step {trip.step}: {finding.saw}")

    def close(self) -> None:
        mlflow.flush_async_logging()
        if self._owned:
            mlflow.end_run()
