"""What the launching command tells the observers inside the script: one JSON file, named by one variable."""

import json
import os
from pathlib import Path

import msgspec

VARIABLE = "FIRSTLIGHT_SESSION"
LEAST_STEPS = 20
"""So many steps are waited for beyond the time given: fewer show nothing."""
PATIENCE = 3.0
"""Times the seconds given that a slow program may take to make them."""
BUSY = 2.0
"""Times the seconds given that a program may take on a machine that is busy with others."""


def is_spent(seconds: float, steps: int, given: float) -> bool:
    """Whether the time given for training is over. It follows the program's pace: a slow one has longer."""
    return seconds > given and (steps >= LEAST_STEPS or seconds > PATIENCE * given)


class Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    run_id: str
    run: str
    """The run directory; paths are absolute because scripts change directory."""
    events: str
    scratch: str
    cwd: str
    owner: int
    """Process id of the command."""
    steps: int
    seconds: float
    full_steps: int
    """So many first steps are observed operation by operation."""
    sample_every: int
    """After those, one step in so many is."""
    taps: tuple[str, ...]
    longer: float = 1.0
    """Times the steps and seconds while more of them may still show that the program learns."""
    contain: bool = True
    floors: tuple[str, ...] = ("view", "landlock")
    """Of the kernel, to be tried under the patched layers of containment."""
    observed: bool = True
    """False: run once more, contained by the floor, to see whether it does the same without us."""
    seed: int | None = None
    """Given to the script before its first line, so that one that does not seed itself can be run again alike."""
    fault: str = ""
    """Planted in the program and all its copies, by its name; empty for the program as it is."""
    extensions: tuple[str, ...] = ()
    """`module:function`, called with the observer once its taps are in place."""
    preludes: tuple[str, ...] = ()
    """`module:function`, called with this before the first line of the script."""


def write(spec: Spec, path: Path) -> None:
    path.write_text(json.dumps(msgspec.to_builtins(spec)), encoding="ascii")  # also paths that are no Unicode


def current() -> Spec | None:
    """The session this process belongs to, if any."""
    path = os.environ.get(VARIABLE)
    if not path:
        return None
    return msgspec.convert(json.loads(Path(path).read_bytes()), Spec)
