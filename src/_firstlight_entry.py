"""The way in, under a name that nobody else has: a `firstlight.py` beside a user's script must not stand in for us.

torch calls `activate` at the end of `import torch`, in every process of the user's program (entry-point group
`torch.backends`). Outside a session it returns at once; whatever happens within one, `import torch` succeeds.
`python -m _firstlight_entry MODULE ARGS` runs the `main` of one of our modules.
"""

import importlib
import importlib.machinery
import importlib.util
import os
import sys
from types import ModuleType

OBSERVED, GUARDED = "FIRSTLIGHT_SESSION", "FIRSTLIGHT_GUARD"
"""Variables that say what to do: watch a bounded run, by the name of a file; guard a real one, in themselves."""

HOME = os.path.dirname(os.path.abspath(__file__))


def activate() -> None:
    file, order = os.environ.get(OBSERVED), os.environ.get(GUARDED)
    if not file and not order:
        return
    try:
        # By name: the guard rests on everything the observers do not know of.
        if file:
            ours("firstlight.observe.inside.observer").begin()
        else:
            _must_be_alone()
            ours("firstlight.guard.run.inside").begin()
    except Exception:  # a user's `import torch` must never fail because of us
        _leave_a_trace(file, order)


def ours(name: str) -> ModuleType:
    """A module of ours, found beside this file. A `firstlight` of the user's that is imported already stays theirs."""
    if "firstlight" not in sys.modules:
        spec = importlib.machinery.PathFinder.find_spec("firstlight", [HOME])
        if spec is None or spec.loader is None:
            raise ModuleNotFoundError("firstlight is not installed beside its entry point")
        package = sys.modules["firstlight"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(package)
    return importlib.import_module(name)


def _must_be_alone() -> None:
    """A real run that has a `firstlight` of its own goes unguarded: to import ours would take the name from it."""
    found = importlib.util.find_spec("firstlight")
    if found is not None and os.path.realpath(found.origin or "") != os.path.join(
        os.path.realpath(HOME), "firstlight", "__init__.py"
    ):
        raise ImportError(
            f"{found.origin or found.name} has the name of firstlight: rename it to have this run guarded"
        )


def _leave_a_trace(file: str | None, order: str | None) -> None:
    import json
    import traceback

    try:
        folder = os.path.dirname(file) if file else json.loads(order or "{}")["run"]
        with open(os.path.join(folder, "activation-failed.txt"), "a", encoding="utf-8") as trace:
            traceback.print_exc(file=trace)
    except Exception:  # as above
        return


if __name__ == "__main__":
    ours(sys.argv.pop(1)).main()
