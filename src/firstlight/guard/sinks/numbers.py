"""A step as named numbers, under one prefix that no program's own metrics have."""

from firstlight.records.telemetry import StepRow

PREFIX = "firstlight/"
NAMES = (
    "loss", "lr", "grad_norm", "clip_coef", "param_norm", "update", "amp_scale",
    "step_s", "data_wait_s", "samples_per_s",
)  # fmt: skip
EVERY = 10
"""Steps from one point of a tracker's curve to the next; bad numbers are always told."""


def numbers_of(row: StepRow) -> dict[str, float]:
    """Those that are known, of a second optimizer with its number."""
    mark = f"{row.optimizer}/" if row.optimizer else ""
    values = {name: getattr(row, name) for name in NAMES} | {f"loss/{n}": v for n, v in row.components.items()}
    return {f"{PREFIX}{mark}{name}": float(value) for name, value in values.items() if value is not None}


def is_due(row: StepRow) -> bool:
    return row.step % EVERY == 0 or bool(row.bad_gradients or row.bad_weights)
