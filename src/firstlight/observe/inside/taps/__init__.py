"""The taps: each attaches to one extension point of torch and tells what passes there."""

from typing import TYPE_CHECKING

from firstlight.observe.inside.taps import (
    backward,
    census,
    clipping,
    columns,
    compiled,
    evaluations,
    feeding,
    functional,
    loaders,
    models,
    nonfinite,
    operations,
    optimizers,
    workers,
)

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer


def install(observer: "Observer") -> None:
    """Models, backwards and steps are the frame of every observation; the rest only if some enabled check needs it."""
    seen = models.install(observer)
    held = optimizers.install(observer, seen)
    held.walked = walked = backward.install(observer, seen)
    functional.install(observer)
    if "operations" in observer.spec.taps:
        mode = operations.install(observer, walked)
        compiled.install(seen, mode)
    if "census" in observer.spec.taps:
        census.install(observer, seen, held, walked)
    if "evaluations" in observer.spec.taps:
        evaluations.install(observer, seen)
    if "feeding" in observer.spec.taps:
        feeding.install(observer, seen, walked)
    if "nonfinite" in observer.spec.taps:
        nonfinite.install(observer, seen, held, walked)
    if "clipping" in observer.spec.taps:
        clipping.install(observer, held)
    if "columns" in observer.spec.taps:
        columns.install(observer)
    if "loaders" in observer.spec.taps:
        loaders.install(observer)
    if "workers" in observer.spec.taps:
        workers.install(observer)
