"""MLflow, by its own client: curves of its runs, and runs of ours as its runs.

The store is the one that `MLFLOW_TRACKING_URI` names, else the local one.
"""

import os
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from firstlight.errors import UsageError
from firstlight.integrations.collecting import Collector
from firstlight.integrations.extras import needed
from firstlight.integrations.recorded import Recorded
from firstlight.records.curves import Logged
from firstlight.records.report import Verdict

SQLITE = "sqlite:///"
ALLOW_FILES = "MLFLOW_ALLOW_FILE_STORE"
"""MLflow 3 refuses folders of an older version unless told; a run in one is read all the same."""


def read(name: str) -> Logged:
    """`name` is the id of a run, or its name where only one has it."""
    needed("mlflow", "mlflow")
    from mlflow.exceptions import MlflowException

    collector = Collector(f"mlflow:{name}")
    client = _client()
    try:
        run = _run(client, name)
        for key in run.data.metrics:
            _collect(collector, client, run.info.run_id, key)
    except MlflowException as error:
        raise UsageError(f"MLflow does not give run `{name}`: {str(error).splitlines()[0]}") from None
    return collector.done()


def _client() -> Any:
    """Never makes a store: MLflow would create an empty database where there is none."""
    import mlflow

    uri = str(mlflow.get_tracking_uri())
    if uri.startswith(SQLITE) and not Path(unquote(uri.removeprefix(SQLITE))).exists():
        raise UsageError(f"there is no MLflow store at {uri}. Name yours in MLFLOW_TRACKING_URI.")
    _allow_files(uri)
    return mlflow.MlflowClient(tracking_uri=uri)


def _allow_files(uri: str) -> None:
    if "://" not in uri or uri.startswith("file:"):
        os.environ.setdefault(ALLOW_FILES, "true")


def _run(client: Any, name: str) -> Any:
    from mlflow.exceptions import MlflowException

    try:
        return client.get_run(name)
    except MlflowException:
        experiments = [experiment.experiment_id for experiment in client.search_experiments()]
        quoted = name.replace("'", "")
        found = client.search_runs(experiments, f"attributes.run_name = '{quoted}'") if experiments else []
    if len(found) != 1:
        several = f"{len(found)} runs have that name: give the id" if found else "no run has that id or name"
        raise UsageError(f"`{name}`: {several}. `mlflow runs list` shows them.")
    return found[0]


def _collect(collector: Collector, client: Any, run_id: str, key: str) -> None:
    for metric in client.get_metric_history(run_id, key):
        collector.add(key, int(metric.step), float(metric.value))


NAMES = {
    "train/loss": "train_loss",
    "eval/loss": "val_loss",
    "train/learning_rate": "learning_rate",
    "train/grad_norm": "grad_norm",
    "eval/accuracy": "val_accuracy",
}
"""As its autologging writes them; others keep theirs."""
MOST_AT_ONCE = 1000
"""What the server takes in one request."""


def export(recorded: Recorded, place: str) -> str:
    """A run in the experiment `place`, with curves, verdict, findings and the report as artifact."""
    mlflow: Any = needed("mlflow", "mlflow")
    _allow_files(str(mlflow.get_tracking_uri()))
    client = mlflow.MlflowClient()
    run = client.create_run(_experiment(client, place), run_name=recorded.run.id, tags=_tags(recorded))
    for metrics in _batches(recorded):
        client.log_batch(run.info.run_id, metrics=metrics)
    for file in recorded.files:
        client.log_artifact(run.info.run_id, str(file), "firstlight")
    client.set_terminated(run.info.run_id, "FAILED" if recorded.report.verdict is Verdict.ILL else "FINISHED")
    return f"`mlflow ui`, run {run.info.run_id}"


def _experiment(client: Any, place: str) -> str:
    name = place or os.environ.get("MLFLOW_EXPERIMENT_NAME", "firstlight")
    found = client.get_experiment_by_name(name)
    return str(found.experiment_id if found else client.create_experiment(name))


def _tags(recorded: Recorded) -> dict[str, str]:
    named = {name.replace("/", "."): str(value) for name, value in recorded.summary.items()}
    command = " ".join(recorded.report.subject.command)
    return {**named, "mlflow.note.content": recorded.findings_markdown(), "mlflow.source.name": command}


def _batches(recorded: Recorded) -> Iterator[list[Any]]:
    from mlflow.entities import Metric

    now = round(1000 * time.time())
    points = (
        Metric(NAMES.get(name, name), value, now, step)
        for step, values in recorded.rows()
        for name, value in values.items()
    )
    while batch := list(islice(points, MOST_AT_ONCE)):
        yield batch
