"""Classes as they are given against what other examples make of the inputs."""

from collections.abc import Sequence

import msgspec

MOST_DOUBTS = 20
QUARTER = 4
"""The surest of each class that is expected: one in so many."""
HALF = 0.5
"""Of the share of all examples: a class whose surest are wrong less often is taken for right."""


class Doubted(msgspec.Struct, frozen=True, kw_only=True):
    place: int
    """Among the examples that were compared."""
    given: int
    expected: int
    probability: float


class Doubts(msgspec.Struct, frozen=True, kw_only=True):
    rows: int = 0
    skill: float = 0.0
    """Of the prediction, on examples it did not learn from: 0 is a blind guess, 1 always right, classes alike."""
    wrong: float = 0.0
    """Share of the examples whose class is not the one expected."""
    sure: int = 0
    """The quarter of each expected class about which the prediction is surest, and below, the share that is wrong."""
    wrong_when_sure: float = 0.0
    sides: float = 0.0
    """Of the classes that are expected, those whose surest are wrong about as often as all examples are."""
    doubtful: tuple[Doubted, ...] = ()
    """The most doubtful first."""

    @property
    def flat(self) -> float:
        """Errors where it is surest, in those of all: 0 where classes merely overlap, 1 where labels are wrong."""
        return self.wrong_when_sure / self.wrong if self.wrong else 0.0


def doubts_of(given: Sequence[int], chances: Sequence[Sequence[float]]) -> Doubts:
    """`chances` are those of each class, by a prediction that had not seen the example.

    Where classes merely overlap, they go wrong where the prediction is unsure. Where labels are wrong, they are so
    however sure it is, and whichever class is expected: one that alone is often another has a cause that is not in the
    inputs.
    """
    expected = [max(range(len(row)), key=row.__getitem__) for row in chances]
    places = range(len(given))
    wrong = [place for place in places if expected[place] != given[place]]
    share = len(wrong) / max(1, len(given))
    sure, wrong_when_sure, sides = 0, 0, 0
    kinds = sorted(set(expected))
    for kind in kinds:
        members = sorted((one for one in places if expected[one] == kind), key=lambda one: -chances[one][kind])
        surest = members[: -(-len(members) // QUARTER)]
        missed = sum(given[one] != kind for one in surest)
        sure, wrong_when_sure = sure + len(surest), wrong_when_sure + missed
        sides += missed > 0 and missed >= HALF * share * len(surest)
    ranked = sorted(wrong, key=lambda one: chances[one][given[one]] - chances[one][expected[one]])
    return Doubts(
        rows=len(given),
        skill=_skill(given, expected),
        wrong=share,
        sure=sure,
        wrong_when_sure=wrong_when_sure / max(1, sure),
        sides=sides / max(1, len(kinds)),
        doubtful=tuple(
            Doubted(
                place=one, given=given[one], expected=expected[one], probability=round(chances[one][expected[one]], 4)
            )
            for one in ranked[:MOST_DOUBTS]
        ),
    )


def _skill(given: Sequence[int], expected: Sequence[int]) -> float:
    """Classes count alike however rare they are."""
    kinds = sorted(set(given))
    if len(kinds) < 2:
        return 0.0
    right = dict.fromkeys(kinds, 0)
    total = dict.fromkeys(kinds, 0)
    for one, other in zip(given, expected, strict=True):
        total[one] += 1
        right[one] += one == other
    guess = 1 / len(kinds)
    return max(0.0, (sum(right[kind] / total[kind] for kind in kinds) * guess - guess) / (1 - guess))
