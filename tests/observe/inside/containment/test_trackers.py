from collections.abc import Callable
from pathlib import Path

import pytest

from firstlight.observe.inside import containment

Run = Callable[..., str]


def test_nothing_goes_to_weights_and_biases(run: Run) -> None:
    pytest.importorskip("wandb")
    assert run("""
        import wandb
        os.environ["WANDB_MODE"] = "online"
        print(wandb.login(key="x" * 40))
        with wandb.init(project="p", mode="online", config={"lr": 1}, settings=wandb.Settings(mode="online")) as run:
            run.log({"loss": 1.0}); wandb.log({"loss": 2.0})
            print(run.config.lr, run.settings.mode, run.url)
    """).splitlines() == ["True", "1 disabled None"]


def test_mlflow_keeps_to_the_scratch_folder(run: Run) -> None:
    pytest.importorskip("mlflow")
    assert run("""
        import mlflow
        os.environ["MLFLOW_TRACKING_URI"] = "http://127.0.0.1:9"
        mlflow.set_tracking_uri("http://127.0.0.1:9"); mlflow.set_registry_uri("http://127.0.0.1:9")
        mlflow.set_experiment("e")
        with mlflow.start_run():
            mlflow.log_metric("loss", 1.0); mlflow.log_artifact("log.txt")
        print(len(mlflow.MlflowClient(tracking_uri="http://127.0.0.1:9").search_experiments()))
        print(mlflow.get_tracking_uri() == (SCRATCH / "mlruns").as_uri())
    """).splitlines() == ["2", "True"]


def test_the_environment_for_trackers_points_into_the_scratch_folder(tmp_path: Path) -> None:
    environment = containment.tracker_environment(tmp_path)
    assert environment["WANDB_MODE"] == "disabled"
    assert environment["MLFLOW_TRACKING_URI"] == (tmp_path / "mlruns").as_uri()
