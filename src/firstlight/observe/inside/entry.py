"""The way in: torch calls `activate` at the end of `import torch`, in every process of the user's program.

It answers to the entry-point group `torch.backends`. Whatever happens here, `import torch` succeeds.
"""

import os


def activate() -> None:
    if not os.environ.get("FIRSTLIGHT_SESSION"):
        return
    try:
        from firstlight.observe.inside import observer

        observer.begin()
    except Exception:  # a user's `import torch` must never fail because of us; the trace goes to the run directory
        _leave_a_trace()


def _leave_a_trace() -> None:
    import traceback

    try:
        folder = os.path.dirname(os.environ["FIRSTLIGHT_SESSION"])
        with open(os.path.join(folder, "activation-failed.txt"), "a", encoding="utf-8") as file:
            traceback.print_exc(file=file)
    except OSError:
        return
