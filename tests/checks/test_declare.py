"""What a card leaves out, its `find` says: by its signature, and by the file it stands in."""

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from firstlight.checks.declare import Check, NoFact, NoLimits, Settable
from firstlight.records.facts import LossSite, StepOrder
from firstlight.records.finding import Evidence, Severity


class Few(Settable):
    most: int = 3


def annotated(_loss: LossSite, _few: Few) -> Iterator[Evidence]:
    yield from ()


def plain(_fact, _limits):  # type: ignore[no-untyped-def]  # as a plug-in may write it
    yield from ()


def card(find: Callable[..., Any], **more: Any) -> Check:
    said: dict[str, Any] = {"id": "LAB001", "name": "a-b", "summary": "s", "causes": ("unknown",), "likely": "l"} | more
    return Check(**said, fix="f", severity=Severity.NOTE, confidence=0.5, find=find)


def test_fact_and_limits_are_those_of_the_signature() -> None:
    check = card(annotated)

    assert (check.needs, check.limits) == (LossSite, Few())
    assert dataclasses.replace(check, limits=Few(most=4)).limits.most == 4


def test_what_the_card_says_goes_before() -> None:
    check = card(annotated, needs=StepOrder, limits=Few(most=1))

    assert (check.needs, check.limits.most) == (StepOrder, 1)


def test_the_name_is_that_of_the_file_where_the_card_gives_none() -> None:
    assert (card(annotated).name, card(annotated, name="").name) == ("a-b", "test-declare")


def test_a_signature_without_types_says_nothing() -> None:
    assert (card(plain).needs, card(plain).limits) == (NoFact, NoLimits())


def test_limits_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Few().most = 4  # type: ignore[misc]
