"""Where two runs of one seed part: the first operation that differs, its line, and what that means. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from firstlight.records.trials import FinishedRun

RANDOM = ("rand", "normal", "uniform", "bernoulli", "dropout", "multinomial", "exponential", "cauchy", "geometric")
"""In the names of operations that draw random numbers."""
Row = tuple[str, str, int, int]


@dataclass(frozen=True, slots=True)
class Parting:
    at: int
    """Operations before it were the same."""
    operation: str
    line: str
    why: str
    do: str

    def told(self) -> str:
        where = f" at {self.line}" if self.line else ""
        return (
            f"two runs of one seed diverge in `{self.operation}`{where}, after {self.at} equal operations: {self.why}"
        )


def parting(one: Sequence[Row], other: Sequence[Row]) -> Parting | None:
    """None where they are the same as far as both go."""
    for at, (mine, theirs) in enumerate(zip(one, other, strict=False)):
        if (mine[0], mine[1], mine[3]) != (theirs[0], theirs[1], theirs[3]):
            return _explained(at, mine, theirs)
    if len(one) == len(other):
        return None
    at = min(len(one), len(other))
    row = max(one, other, key=len)[at]
    return Parting(at, row[0], row[1], "one run does more than the other", _WAY)


_WAY = "look for what decides this without a seed: the time, a file, the order of a set, another process"


def _explained(at: int, mine: Row, theirs: Row) -> Parting:
    name, line, given, _ = mine
    if mine[:2] != theirs[:2]:
        why = f"the other run does `{theirs[0]}`{f' at {theirs[1]}' if theirs[1] else ''} instead"
        return Parting(at, name, line, why, _WAY)
    if given != theirs[2]:
        why = "its inputs already differ, and torch did not make them"
        return Parting(
            at, name, line, why, "seed where they come from (numpy, random, workers), or sort what has no fixed order"
        )
    if any(word in name for word in RANDOM):
        why = "it draws random numbers that no seed controls"
        return Parting(at, name, line, why, "seed its generator, or draw from one that `torch.manual_seed` seeds")
    why = "it gives different results for the same inputs"
    return Parting(at, name, line, why, "`torch.use_deterministic_algorithms(True)` names or replaces such operations")


def of_trials(trials: Sequence[FinishedRun]) -> Parting | None:
    """The earliest parting of any run from the first."""
    found = [parting(trials[0].operations, other.operations) for other in trials[1:]]
    return min((one for one in found if one is not None), key=lambda one: one.at, default=None)
