"""The taps: each attaches to one extension point of torch and tells what passes there."""

from collections.abc import Callable

from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps import (
    altered,
    backward,
    by_hand,
    census,
    checkpoints,
    clipping,
    coding,
    collating,
    columns,
    compiled,
    dropping,
    entropy,
    evaluations,
    failures,
    feeding,
    fitting,
    functional,
    loaders,
    models,
    movement,
    nonfinite,
    norms,
    operations,
    optimizers,
    portrait,
    rereading,
    tape,
    unread,
    workers,
    wrappers,
)


def install(observer: Observer) -> None:
    """Models, backwards and steps are the frame of every observation; the rest only if some enabled check needs it."""
    seen = models.install(observer)
    held = optimizers.install(observer, seen)
    held.walked = walked = backward.install(observer, seen)
    functional.install(observer)
    by_hand.install(observer)
    dropped: dropping.DroppingTap | None = None
    if "operations" in observer.spec.taps:
        mode = operations.install(observer, seen, walked)
        compiled.install(seen, mode)
        if "tape" in observer.spec.taps:
            tape.install(observer, mode)
        dropped = dropping.install(observer, seen, mode)
    optional: dict[str, Callable[[], object]] = {
        "census": lambda: census.install(observer, seen, held, walked),
        "norms": lambda: norms.install(observer, seen),
        "wrappers": lambda: wrappers.install(observer),
        "entropy": lambda: entropy.install(observer),
        "movement": lambda: movement.install(observer, seen, held),
        "evaluations": lambda: evaluations.install(observer, seen, dropped),
        "feeding": lambda: unread.install(observer, feeding.install(observer, seen, walked)),
        "nonfinite": lambda: nonfinite.install(observer, seen, held, walked),
        "altered": lambda: altered.install(observer, held),
        "clipping": lambda: clipping.install(observer, held),
        "checkpoints": lambda: checkpoints.install(observer),
        "failures": lambda: failures.install(observer),
        "columns": lambda: columns.install(observer),
        "coding": lambda: coding.install(observer),
        "fitting": lambda: fitting.install(observer, seen),
        "portrait": lambda: portrait.install(observer, seen, held),
        "loaders": lambda: loaders.install(observer),
        "workers": lambda: workers.install(observer),
        "rereading": lambda: rereading.install(observer),
        "collating": lambda: collating.install(observer),
    }
    for name, attach in optional.items():
        if name in observer.spec.taps:
            attach()
