"""How the programs of the lab are observed: by what they compute and tell, and not operation by operation."""

import os
from pathlib import Path

from firstlight.observe.spec import Spec
from firstlight.store.run_directory import RunDirectory

NEVER = 1_000_000_000
SEED = 0
"""For a script that does not seed itself; the same in every call, so that its copies can be compared across calls."""


def spec_of(run_id: str, home: RunDirectory, seconds: float, steps: int = NEVER, cwd: Path | None = None) -> Spec:
    """`home` is where this one program is observed; `run_id` names the run of the verb it belongs to."""
    home = RunDirectory(home.path.absolute())
    return Spec(
        run_id=run_id,
        run=str(home.path),
        events=str(home.events),
        scratch=str(home.scratch),
        cwd=str(cwd or Path.cwd()),
        owner=os.getpid(),
        steps=steps,
        seconds=seconds,
        full_steps=0,
        sample_every=NEVER,
        taps=("loaders",),
        seed=SEED,
    )
