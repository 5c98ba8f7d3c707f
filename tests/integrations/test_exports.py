"""Runs of ours, written to real trackers and read back from them."""

import math
from pathlib import Path
from typing import Any

import pytest

from firstlight.cli.main import run as command
from firstlight.errors import UsageError
from firstlight.integrations import origins
from firstlight.integrations.recorded import Recorded
from firstlight.records import events, wire
from firstlight.records.finding import Finding, Severity
from firstlight.records.places import Where
from firstlight.records.report import REPORT_SCHEMA, Coverage, Hypothesis, Report, Subject, Timing, Verdict
from firstlight.remains import recorded
from firstlight.settings import Settings
from firstlight.store.event_log import EventLog
from firstlight.store.run_directory import RunDirectory

FOUND = Finding(
    id="FL203",
    name="loss-double-activation",
    cause="loss-double-activation",
    category="loss",
    severity=Severity.ERROR,
    confidence=0.9,
    verified=False,
    where=Where(file="train.py", line=36),
    summary="s",
    saw="<script>alert(1)</script>",
    wanted="w",
    likely="l",
    do="d",
)
REPORT = Report(
    schema=REPORT_SCHEMA,
    subject=Subject(kind="script", command=("train.py",)),
    verdict=Verdict.ILL,
    findings=(FOUND,),
    diagnosis=(Hypothesis(cause="loss-double-activation", category="loss", probability=0.99),),
    checks=(),
    coverage=Coverage(),
    timing=Timing(started="2026-01-01T00:00:00Z", seconds=1.0),
    environment={"python": "3.11"},
)


@pytest.fixture
def ours(tmp_path: Path) -> Recorded:
    run = RunDirectory.create(tmp_path)
    log = EventLog(run.events, run.id, rank=0)
    for step in range(6):
        log.append(events.Step, step=step, loss=math.nan if step == 4 else 1.0 / (step + 1), lr=0.1)
    log.append(events.EpochComplete, epoch=0, train_loss=0.5, val_loss=0.75)
    log.append(events.EvalComplete, split="test", metrics={"f1": 0.25}, n=10)
    log.timeline = "lr-tenth"
    log.append(events.Step, step=0, loss=99.0)
    log.close()
    run.report.write_bytes(wire.encode(REPORT))
    run.page.write_text("<!doctype html>", encoding="utf-8")
    return recorded(run, Settings())


def test_curves_bear_the_names_users_know(ours: Recorded) -> None:
    curves = {curve.name: curve for curve in ours.logged.curves}
    assert set(curves) == {"train/loss", "train/learning_rate", "train/epoch_loss", "eval/loss", "test/f1"}
    assert len(curves["train/loss"].values) == 6
    assert math.isnan(curves["train/loss"].values[4])
    assert curves["eval/loss"].steps == (5,)


def test_tensorboard(ours: Recorded, tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    assert "--logdir" in origins.write(ours, f"tensorboard:{tmp_path / 'tb'}")
    seen: Any = EventAccumulator(str(tmp_path / "tb" / ours.run.id))
    seen.Reload()
    assert [event.value for event in seen.Scalars("train/loss")][:2] == [1.0, 0.5]
    assert math.isnan(seen.Scalars("train/loss")[4].value)
    (text,) = seen.Tensors("firstlight/findings")
    assert b"FL203" in text.tensor_proto.string_val[0]
    assert (tmp_path / "tb" / ours.run.id / "report.html").is_file()


def test_wandb_offline(ours: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import wandb

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WANDB_MODE", "offline")
    assert "wandb sync wandb/offline-run-" in origins.write(ours, "wandb:my-project")
    wandb.teardown()  # its service writes the last records when it ends
    curves = {curve.name: curve for curve in origins.read("wandb:wandb").curves}
    assert curves["train/loss"].steps == tuple(range(6))
    assert math.isnan(curves["train/loss"].values[4])
    assert curves["train/global_step"].values == tuple(map(float, range(6)))


def test_mlflow(ours: Recorded, mlflow_store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import mlflow

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", mlflow_store)
    client: Any = mlflow.MlflowClient(mlflow_store)
    client.create_experiment("trained", artifact_location=str(tmp_path / "artifacts"))
    origins.write(ours, "mlflow:trained")
    (run,) = client.search_runs([client.get_experiment_by_name("trained").experiment_id])
    assert run.data.tags["firstlight.verdict"] == "ill"
    assert "FL203" in run.data.tags["mlflow.note.content"]
    assert run.info.status == "FAILED"
    assert [metric.value for metric in client.get_metric_history(run.info.run_id, "train_loss")][:2] == [1.0, 0.5]
    assert run.data.metrics["val_loss"] == 0.75
    kept = {file.path for file in client.list_artifacts(run.info.run_id, "firstlight")}
    assert kept == {"firstlight/report.html", "firstlight/report.json"}


def test_the_command_takes_the_newest_run(
    ours: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command(["export", "--to", "tensorboard:tb"]) == 0
    assert f"{ours.run.id}: 5 curves" in capsys.readouterr().out


@pytest.mark.parametrize(("words", "said"), [("excel", "no tracker"), ("tensorboard", "name one")])
def test_usage(ours: Recorded, words: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        origins.write(ours, words)


def test_a_run_without_a_report_cannot_be_exported(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has not been judged"):
        recorded(RunDirectory.create(tmp_path), Settings())


def test_a_run_that_was_killed_is_exported_by_its_log(ours: Recorded) -> None:
    ours.run.report.unlink()
    found = recorded(ours.run, Settings()).logged.curves
    assert {one.name: one.steps for one in found} == {one.name: one.steps for one in ours.logged.curves} != {}
