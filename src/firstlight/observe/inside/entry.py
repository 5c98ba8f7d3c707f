"""The way in: torch calls `activate` at the end of `import torch`, in every process of the user's program.

It answers to the entry-point group `torch.backends`. Whatever happens here, `import torch` succeeds.
"""

import os

OBSERVED, GUARDED = "FIRSTLIGHT_SESSION", "FIRSTLIGHT_GUARD"
"""Variables that name the file which says what to do: watch a bounded run, or guard a real one."""


def activate() -> None:
    file = os.environ.get(OBSERVED) or os.environ.get(GUARDED)
    if not file:
        return
    try:
        _begin(guarded=not os.environ.get(OBSERVED))
    except Exception:  # a user's `import torch` must never fail because of us; the trace goes to the run directory
        _leave_a_trace(os.path.dirname(file))


def _begin(guarded: bool) -> None:
    # By name: the guard rests on everything the observers do not know of.
    import importlib

    importlib.import_module("firstlight.guard.run.inside" if guarded else "firstlight.observe.inside.observer").begin()


def _leave_a_trace(folder: str) -> None:
    import traceback

    try:
        with open(os.path.join(folder, "activation-failed.txt"), "a", encoding="utf-8") as file:
            traceback.print_exc(file=file)
    except OSError:
        return
