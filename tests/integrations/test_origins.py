"""Curves out of logs that the real libraries wrote."""

import math
import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.errors import UsageError
from firstlight.integrations import collecting, csv_file, extras, origins, wandb
from firstlight.records.curves import Curve, Logged


def by_name(logged: Logged) -> dict[str, Curve]:
    return {curve.name: curve for curve in logged.curves}


LIGHTNING = """epoch,lr-AdamW,step,train_loss_step,train_loss_epoch,val_loss
,0.001,0,,,
0,,0,2.5,,
0,,49,nan,,
0,,49,,2.1,
0,,49,,,inf
"""


def test_a_table_with_blanks(tmp_path: Path) -> None:
    (tmp_path / "metrics.csv").write_text(LIGHTNING, encoding="utf-8")
    curves = by_name(origins.read(f"csv:{tmp_path / 'metrics.csv'}"))
    assert curves["train_loss_step"].steps == (0, 49)
    assert math.isnan(curves["train_loss_step"].values[1])
    assert curves["val_loss"].values == (math.inf,)
    assert set(curves) == {"lr-AdamW", "train_loss_step", "train_loss_epoch", "val_loss"}


def test_lightning_s_own_logger(tmp_path: Path) -> None:
    from lightning.pytorch.loggers import CSVLogger

    logger = CSVLogger(str(tmp_path), name="logs", version=0)
    for step in range(6):
        logger.log_metrics({"train_loss_step": 1.0 / (step + 1), "lr-AdamW": 1e-3}, step)
        if step % 3 == 2:
            logger.log_metrics({"val_loss": math.nan, "epoch": step // 3}, step)
    logger.save()
    curves = by_name(origins.read(f"csv:{tmp_path / 'logs/version_0/metrics.csv'}"))
    assert curves["train_loss_step"].steps == tuple(range(6))
    assert curves["val_loss"].steps == (2, 5)
    assert math.isnan(curves["val_loss"].values[0])
    assert "epoch" not in curves


def test_semicolons_decimal_commas_and_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("\ufeffstep;loss\n1;0,5\n2;tensor(0.25, device='cuda:0')\n3;\n".encode())
    assert by_name(csv_file.read(str(tmp_path / "a.csv")))["loss"].values == (0.5, 0.25)


def test_a_counter_that_begins_anew_is_no_step(tmp_path: Path) -> None:
    rows = [f"{epoch},{batch},{epoch * 3 + batch}" for epoch in range(3) for batch in range(3)]
    (tmp_path / "a.csv").write_text("\n".join(["epoch,batch,loss", *rows]), encoding="utf-8")
    assert by_name(csv_file.read(str(tmp_path / "a.csv")))["loss"].values == tuple(map(float, range(9)))


def test_rows_that_do_not_fit_are_told_of(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("step,loss\n1,2\n2\n3,4,5\nx,1\n4,1\n", encoding="utf-8")
    logged = csv_file.read(str(tmp_path / "a.csv"))
    assert by_name(logged)["loss"].steps == (1, 4)
    assert logged.limits == ("3 rows of the table do not fit its header and were left out",)


@given(st.text(max_size=400))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    try:
        logged = csv_file.read(str(path))
    except UsageError:
        return
    assert all(len(curve.steps) == len(curve.values) for curve in logged.curves)


def test_tensorboard(tmp_path: Path) -> None:
    from torch.utils.tensorboard import SummaryWriter

    for split in ("train", "validation"):
        with SummaryWriter(str(tmp_path / split)) as writer:
            for step in range(5):
                writer.add_scalar("epoch_loss", math.nan if step == 3 else 1.0 / (step + 1), step)
                writer.add_text("note", "no curve", step)
    curves = by_name(origins.read(f"tensorboard:{tmp_path}"))
    assert set(curves) == {"train/epoch_loss", "validation/epoch_loss"}
    assert curves["train/epoch_loss"].steps == (0, 1, 2, 3, 4)
    assert math.isnan(curves["train/epoch_loss"].values[3])
    assert curves["train/epoch_loss"].values[1] == 0.5


def test_of_several_runs_the_newest_is_read_and_the_others_are_told_of(tmp_path: Path) -> None:
    from torch.utils.tensorboard import SummaryWriter

    for age, version in ((100, "version_0"), (50, "version_1")):
        with SummaryWriter(str(tmp_path / version)) as writer:
            writer.add_scalar("loss", float(age), 1)
        (file,) = (tmp_path / version).glob("*tfevents*")
        os.utime(file, (time.time() - age, time.time() - age))
    logged = origins.read(f"tensorboard:{tmp_path}")
    assert by_name(logged)["loss"].values == (50.0,)
    assert "holds 2 runs" in logged.limits[0]


def test_a_torn_event_file_is_read_up_to_the_tear(tmp_path: Path) -> None:
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(str(tmp_path)) as writer:
        for step in range(10):
            writer.add_scalar("loss", 1.0, step)
    (file,) = tmp_path.glob("*tfevents*")
    file.write_bytes(file.read_bytes()[:-7])
    assert by_name(origins.read(f"tensorboard:{tmp_path}"))["loss"].steps == tuple(range(9))


@pytest.fixture(scope="module")
def offline_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Long enough for records that span blocks of the file."""
    import wandb as library

    folder = tmp_path_factory.mktemp("wandb-run")
    run: Any = library.init(
        project="p", dir=str(folder), mode="offline", settings=library.Settings(console="off", silent=True)
    )
    for step in range(300):
        value = math.nan if step == 250 else 1.0 / (step + 1)
        run.log({"train/loss": value, "nested": {"lr": 0.1}, "padding": "x" * 500})
    run.finish()
    library.teardown()  # its service writes the last records when it ends
    return folder / "wandb"


def test_wandb(offline_run: Path) -> None:
    curves = by_name(origins.read(f"wandb:{offline_run}"))
    assert curves["train/loss"].steps == tuple(range(300))
    assert curves["train/loss"].values[1] == 0.5
    assert math.isnan(curves["train/loss"].values[250])
    assert not {name for name in curves if name.startswith("_")}


def test_a_torn_wandb_file_is_read_up_to_the_tear(offline_run: Path, tmp_path: Path) -> None:
    whole = next(offline_run.glob("*run-*/*.wandb")).read_bytes()
    (tmp_path / "run-1.wandb").write_bytes(whole[: len(whole) // 2])
    steps = by_name(origins.read(f"wandb:{tmp_path}"))["train/loss"].steps
    assert steps == tuple(range(len(steps)))
    assert 50 < len(steps) < 299


@given(st.binary(max_size=300))
def test_any_bytes_are_no_crash(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.wandb"
    path.write_bytes(b":W&B\x00\x00\x00" + data)
    assert isinstance(wandb.read(str(path)), Logged)


def test_mlflow(mlflow_store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import mlflow

    monkeypatch.setenv("MLFLOW_TRACKING_URI", mlflow_store)
    client: Any = mlflow.MlflowClient(mlflow_store)
    made = client.create_run(client.create_experiment("curves"), run_name="my run")
    for step in range(5):
        client.log_metric(made.info.run_id, "val_loss", math.nan if step == 3 else 0.5 * step, step=step)
    for name in (made.info.run_id, "my run"):
        curve = by_name(origins.read(f"mlflow:{name}"))["val_loss"]
        assert curve.steps == (0, 1, 2, 3, 4)
        assert math.isnan(curve.values[3])
    with pytest.raises(UsageError, match="no run has that id or name"):
        origins.read("mlflow:it's gone")


def test_no_store_is_made_by_looking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path / 'none.db'}")
    with pytest.raises(UsageError, match="no MLflow store"):
        origins.read("mlflow:abc")
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize(("kind", "said"), [("tensorboard", "no event files"), ("wandb", "no run of W&B")])
def test_an_empty_folder(tmp_path: Path, kind: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        origins.read(f"{kind}:{tmp_path}")


def test_limits_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collecting, "MOST_POINTS", 3)
    monkeypatch.setattr(collecting, "MOST_CURVES", 1)
    collector = collecting.Collector("any")
    for step in range(9):
        collector.add("loss", step, 1.0)
        collector.add("other", step, 1.0)
    logged = collector.done()
    assert [len(curve.values) for curve in logged.curves] == [3]
    assert logged.limits == (
        "only the first 1 curves were read",
        "only the first 3 points of `loss` were read",
    )


def test_a_missing_package_names_the_extra() -> None:
    with pytest.raises(UsageError, match=r"pip install 'firstlight\[wandb\]'"):
        extras.needed("no_such_package.at_all", "wandb")
