from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.selector_misses_best import CHECK
from firstlight.records.declared import SelectorTried
from firstlight.records.declared.learning import Choice
from firstlight.records.finding import Evidence

PLANTED = (3, 7, 11, 15, 19)


def histories(*chosen: int) -> tuple[Choice, ...]:
    return tuple(Choice(kind="clear", planted=p, epochs=24, chosen=c) for p, c in zip(PLANTED, chosen, strict=True))


def flat(*chosen: int) -> tuple[Choice, ...]:
    return tuple(Choice(kind="flat", planted=None, epochs=24, chosen=c) for c in chosen)


ILL = SelectorTried(
    selector="Keep",
    metric="val_loss",
    lower_is_better=True,
    choices=histories(23, 23, 23, 23, 23),
    repeatable=True,
    reads_test=False,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "0 of 5 planted best epochs are found; it always chooses epoch 23" in evidence.saw
    assert "at least 80% of them" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "train-metric"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"choices": histories(3, 7, 11, 15, 19)}, 0),
        ({"choices": histories(3, 7, 11, 15, 0)}, 0),
        ({"choices": histories(3, 7, 11, 0, 0)}, 1),
        ({"choices": histories(5, 9, 13, 17, 21)}, 0),
        ({"choices": histories(6, 10, 14, 18, 22)}, 1),
        ({"choices": histories(3, 7, 11, 15, 19), "repeatable": False}, 1),
        ({"choices": histories(3, 7, 11, 15, 19), "reads_test": True}, 1),
        ({"choices": (*histories(3, 7, 11, 15, 19), *flat(0, 23, 5, 6))}, 0),
        ({"choices": (*histories(3, 7, 11, 15, 19), *flat(0, 23, 0, 6))}, 1),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


def test_one_that_fails_is_told_of_first() -> None:
    broken = Choice(kind="nan", planted=7, epochs=24, chosen=None, error="ValueError: nan")
    (evidence,) = found(choices=(broken,))

    assert evidence.saw == "a nan history ends in ValueError: nan"
