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
from zoo.scoring.judging import Claim

LOOKS = Path(__file__).parents[1] / "first_looks.json"
COUNTED = Path(__file__).parents[2] / "src" / "firstlight" / "judge" / "counted.json"

Look = tuple[str, str, bool] | None
"""The kind of claim, the check that made it (none where a cause was inferred), and whether its cause is the planted
one; None where nothing was named."""
ALARM = "alarm"
"""Counts alarms as such: one is right if something is wrong with the program, whatever it names."""
HEALTHY = "/fixed.py"
"""How the names of programs end that have nothing planted in them."""


def looks_at(cases: Iterable[Case]) -> dict[str, list[Look]]:
    """By form, one for each mutant of it."""
    looks: dict[str, list[Look]] = {}
    for case in cases:
        looks.setdefault(case.mutant.mutation.name, []).append(look_at(case.judgement.said, case.right))
    return looks


def look_at(claim: Claim | None, right: bool) -> Look:
    return (claim.kind, claim.check, right) if claim is not None else None


def count(looks: Mapping[str, Iterable[Look]]) -> dict[str, dict[str, Any]]:
    """For each kind of claim how many there were and how many were right, and the same for each check."""
    made = [(name, look) for name, several in looks.items() for look in several if look is not None]
    alarms = [(ALARM, "", not name.endswith(HEALTHY)) for name, _ in made]
    kinds: dict[str, dict[str, Any]] = {}
    for kind, check, right in sorted([*(look for _, look in made), *alarms]):
        one = kinds.setdefault(kind, {"claims": 0, "right": 0, "checks": {}})
        one["claims"] += 1
        one["right"] += right
        if not check:
            continue
        claims, rights = one["checks"].get(check, (0, 0))
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
    found = count(known)
    counted.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
