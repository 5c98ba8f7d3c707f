"""Narrows a set of differences down to the one that turns a good program bad: Zeller's delta debugging. Pure.

Both ends move: what is still good takes on more of the differences, what is already bad gives some up. Each trial that
is clear halves what is left, whichever way it goes, so that n differences need log2(n) of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Outcome = Literal["good", "bad", "unclear"]
Test = Callable[[tuple[str, ...]], Outcome]


@dataclass(frozen=True, slots=True)
class Narrowed:
    culprits: tuple[str, ...]
    """Together they turn what is good below into something bad; as a rule it is one."""
    good_with: tuple[str, ...]
    """Differences that were taken over and left it good."""
    trials: int


def narrowed(differences: Sequence[str], test: Test) -> Narrowed:
    """`test` is asked about the good program with some of the differences; with none it is good, with all bad."""
    known: dict[tuple[str, ...], Outcome] = {(): "good", tuple(differences): "bad"}
    counted: list[tuple[str, ...]] = []

    def asked(chosen: set[str]) -> Outcome:
        key = tuple(name for name in differences if name in chosen)
        if key not in known:
            counted.append(key)
            known[key] = test(key)
        return known[key]

    good, bad, pieces = set[str](), set(differences), 2
    while len(between := [name for name in differences if name in bad - good]) > 1:
        moved = _moved(good, bad, _split(between, pieces), asked)
        if moved is not None:
            good, bad, pieces = *moved, 2
        elif pieces < len(between):
            pieces = min(2 * pieces, len(between))
        else:
            break
    return Narrowed(tuple(between), tuple(name for name in differences if name in good), len(counted))


def _moved(
    good: set[str], bad: set[str], parts: list[set[str]], asked: Callable[[set[str]], Outcome]
) -> tuple[set[str], set[str]] | None:
    """The two ends nearer to each other, by the first part that gives a clear answer; None where none does."""
    for part in parts:
        for candidate in (good | part, bad - part):
            outcome = asked(candidate)
            if outcome == "bad":
                return good, candidate
            if outcome == "good":
                return candidate, bad
    return None


def _split(names: list[str], pieces: int) -> list[set[str]]:
    ends = [round(at * len(names) / pieces) for at in range(pieces + 1)]
    return [set(names[start:end]) for start, end in pairwise(ends)]
