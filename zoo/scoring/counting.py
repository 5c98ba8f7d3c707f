"""How often a check that spoke up was right, counted on the tune half; firstlight's probabilities rest on it."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from zoo.scoring.case import Case, HealthyCase

FILE = Path(__file__).parents[2] / "src" / "firstlight" / "findings" / "counted.json"


def counts(cases: Iterable[Case], healthy: Iterable[HealthyCase]) -> dict[str, tuple[int, int]]:
    """By check: how often it named the planted cause, and how often it spoke. All it says of the healthy is wrong."""
    right: Counter[str] = Counter()
    spoke: Counter[str] = Counter()
    for case in cases:
        for told in case.judgement.told:
            spoke[told.check] += 1
            right[told.check] += told.cause == case.mutant.mutation.cause
    spoke.update(told.check for case in healthy for told in case.judgement.told)
    return {check: (right[check], spoke[check]) for check in sorted(spoke)}


def save(found: dict[str, tuple[int, int]], cases: Sequence[Case], path: Path = FILE) -> None:
    rows = ",\n".join(f"  {json.dumps(check)}: [{right}, {spoke}]" for check, (right, spoke) in found.items())
    path.write_text(f'{{"mutants": {len(cases)}, "checks": {{\n{rows}\n}}}}\n', encoding="utf-8")
