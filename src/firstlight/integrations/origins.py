"""Where runs made without firstlight come from, and where runs of ours go: `kind:place`."""

from firstlight.errors import UsageError
from firstlight.integrations import csv_file, mlflow, tensorboard, wandb
from firstlight.integrations.recorded import Recorded
from firstlight.records.curves import Logged

READERS = {"csv": csv_file.read, "mlflow": mlflow.read, "tensorboard": tensorboard.read, "wandb": wandb.read}
WRITERS = {"mlflow": mlflow.export, "tensorboard": tensorboard.export, "wandb": wandb.export}
ACCEPTED = "csv:FILE, tensorboard:DIR, wandb:DIR or mlflow:RUN"


def read(origin: str) -> Logged:
    kind, colon, place = origin.partition(":")
    if not colon or not place or kind not in READERS:
        raise UsageError(f"`{origin}` names no log. Accepted are {ACCEPTED}.")
    logged = READERS[kind](place)
    if not logged.curves:
        raise UsageError(f"{origin} holds no numbers over steps")
    return logged


def write(recorded: Recorded, destination: str) -> str:
    """Gives back what to type to see it there."""
    kind, _, place = destination.partition(":")
    if kind not in WRITERS:
        raise UsageError(f"`{destination}` is no tracker. Accepted are mlflow, wandb and tensorboard:DIR.")
    return WRITERS[kind](recorded, place)
