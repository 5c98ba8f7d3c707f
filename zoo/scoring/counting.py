"""What claims turned out to be worth on the tune half; what firstlight states rests on it.

A form of fault counts with what was said of its mutants when nobody had looked at one of them yet: what is developed
afterwards may have been made to fit it, in every program. `zoo/first_looks.json` keeps what was said then, and which
forms are known.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from zoo.scoring.case import Case

LOOKS = Path(__file__).parents[1] / "first_looks.json"
COUNTED = Path(__file__).parents[2] / "src" / "firstlight" / "judge" / "counted.json"

Look = tuple[str, str, bool] | None
"""The kind of claim, the check that made it, and whether its cause is the planted one; None where nothing was named."""


def looks_at(cases: Iterable[Case]) -> dict[str, list[Look]]:
    """By form, one for each mutant of it."""
    looks: dict[str, list[Look]] = {}
    for case in cases:
        claim = case.claim
        look = (claim.kind, claim.check, case.right) if claim is not None and claim.check else None
        looks.setdefault(case.mutant.mutation.name, []).append(look)
    return looks


def count(looks: Iterable[Look]) -> dict[str, dict[str, Any]]:
    """For each kind of claim how many there were and how many were right, and the same for each check."""
    kinds: dict[str, dict[str, Any]] = {}
    for kind, check, right in sorted(look for look in looks if look is not None):
        one = kinds.setdefault(kind, {"claims": 0, "right": 0, "checks": {}})
        claims, rights = one["checks"].get(check, (0, 0))
        one["claims"] += 1
        one["right"] += right
        one["checks"][check] = (claims + 1, rights + right)
    return kinds


def load(path: Path = LOOKS) -> dict[str, list[Look]]:
    rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {form: [tuple(look) if look else None for look in looks] for form, looks in rows.items()}


def save(looks: Mapping[str, list[Look]], path: Path = LOOKS, counted: Path = COUNTED) -> None:
    """Adds the forms that were looked at for the first time, and counts anew."""
    known = {**looks, **load(path)}
    rows = ",\n".join(f"{json.dumps(form)}: {json.dumps(known[form])}" for form in sorted(known))
    path.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")
    found = count(look for looks in known.values() for look in looks)
    counted.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
