"""Keeps experiment trackers from sending anything, whatever the script asks of them."""

import inspect
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from firstlight.observe.inside.containment.hub import send_nothing
from firstlight.observe.inside.containment.replacing import replace, replace_when_imported
from firstlight.observe.inside.containment.stand_ins import Route
from firstlight.observe.inside.imports import when_imported


def tracker_environment(scratch: Path) -> dict[str, str]:
    """The environment in which trackers keep to `scratch` or do nothing, for the launcher of the script."""
    return {
        "WANDB_MODE": "disabled",
        "WANDB_SILENT": "true",
        "WANDB_DIR": str(scratch / "wandb"),
        "MLFLOW_TRACKING_URI": _mlflow_store(scratch),
        "MLFLOW_REGISTRY_URI": _mlflow_store(scratch),
        "MLFLOW_ALLOW_FILE_STORE": "true",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "COMET_MODE": "DISABLED",
        "COMET_START_ONLINE": "0",
        "COMET_OFFLINE_DIRECTORY": str(scratch / "comet"),
        "NEPTUNE_MODE": "debug",
        "CLEARML_OFFLINE_MODE": "1",
        "SWANLAB_MODE": "disabled",
        "TRACKIO_DIR": str(scratch / "trackio"),
    }


def silence_trackers(scratch: Path) -> None:
    for variable, value in tracker_environment(scratch).items():
        os.environ.setdefault(variable, value)
    replace_when_imported("wandb.sdk.wandb_init", "init", _disabled_run)
    replace_when_imported("wandb.sdk.wandb_login", "login", lambda _original: lambda *_args, **_options: True)
    when_imported("tensorboard.compat", _keep_tensorflow_out)
    _force_mlflow_store(_mlflow_store(scratch))
    when_imported("huggingface_hub.hf_api", send_nothing)


def _disabled_run(original: Route) -> Route:
    signature = inspect.signature(original)

    def init(*args: Any, **options: Any) -> Any:
        bound = signature.bind(*args, **options)
        bound.arguments["mode"] = "disabled"
        return original(*bound.args, **bound.kwargs)

    return init


def _keep_tensorflow_out(_module: ModuleType) -> None:
    """Where TensorFlow is installed TensorBoard would write through it, natively; this is its own way to say no."""
    sys.modules.setdefault("tensorboard.compat.notf", ModuleType("tensorboard.compat.notf"))


def _mlflow_store(scratch: Path) -> str:
    return (scratch.absolute() / "mlruns").as_uri()


def _force_mlflow_store(store: str) -> None:
    def setter(original: Route) -> Route:
        return lambda *_args, **_options: original(store)

    def client(original: Route) -> Route:
        return lambda self, *_args, **_options: original(self, tracking_uri=store, registry_uri=store)

    def force(name: str, module: ModuleType) -> None:
        replace(name, setter, module)
        getattr(module, name)()  # a set value beats an environment variable the script changes

    when_imported("mlflow.tracking._tracking_service.utils", lambda module: force("set_tracking_uri", module))
    when_imported("mlflow.tracking._model_registry.utils", lambda module: force("set_registry_uri", module))
    replace_when_imported("mlflow.tracking.client", "MlflowClient.__init__", client)
