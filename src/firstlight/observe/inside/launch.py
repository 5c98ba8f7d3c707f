"""Starts another program, a launcher such as torchrun, with a keeper beside it and the floor beneath it.

`python -m _firstlight_entry firstlight.observe.inside.launch PROGRAM ARGS`. What it starts is contained in full from
the moment it imports torch; the floor is there from the first.
"""

import os
import sys
from pathlib import Path

from firstlight.observe import spec as session
from firstlight.observe.inside import containment, floor, keeper
from firstlight.records.containment import Floor


def main() -> None:
    begin(session.current())
    os.execv(sys.argv[1], sys.argv[1:])


def begin(spec: session.Spec | None) -> Floor:
    """What comes before the first line of any program under observation. Answers the floor it stands on."""
    keeper.keep_by_environment()
    if spec is not None and not spec.observed:
        del os.environ[session.VARIABLE]  # so that nothing of ours is imported with torch, here or in what it starts
    if spec is None or not spec.contain:
        return Floor()
    scratch = Path(spec.scratch).absolute()
    os.makedirs(scratch, exist_ok=True)
    return floor.stand(scratch, Path.cwd(), (*containment.default_passes(), scratch.parent), spec.floors)
