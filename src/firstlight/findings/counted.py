"""How sure a check is, as far as it was counted: on labelled programs, how often was the cause it named the true one?

`python -m zoo score --half tune --count` writes the counts. Where they are few, what the check was written with weighs
more.
"""

import json
from functools import cache
from importlib.resources import files

WRITTEN = 8.0
"""The confidence a check was written with counts like so many labelled programs."""


def counted(check: str, written: float) -> float:
    """The confidence of a check that was written with this one."""
    right, spoke = _counts().get(check, (0, 0))
    return round((right + WRITTEN * written) / (spoke + WRITTEN), 4)


@cache
def _counts() -> dict[str, tuple[int, int]]:
    text = files("firstlight.findings").joinpath("counted.json").read_text(encoding="utf-8")
    return {check: (right, spoke) for check, (right, spoke) in json.loads(text)["checks"].items()}
