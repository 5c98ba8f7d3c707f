"""What is alive is found by its class."""

from typing import Any

import pytest

from firstlight.observe.inside import living


class Plain:
    pass


class Derived(Plain):
    pass


class Unhashable(type):
    """A class of such classes cannot be put into a set."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(cls, other: object) -> bool:
        raise AssertionError("nobody is to compare it")


class Odd(metaclass=Unhashable):
    pass


class StandIn:
    @property
    def __class__(self) -> Any:
        raise AssertionError("nobody is to wake it")

    @__class__.setter
    def __class__(self, _kind: Any) -> None:
        raise AssertionError("nobody is to wake it")


def test_objects_of_a_class_and_of_those_derived_from_it() -> None:
    one, other = Plain(), Derived()
    assert {id(found) for found in living.of(Plain)} == {id(one), id(other)}
    assert [id(found) for found in living.of(Derived)] == [id(other)]


def test_classes_are_objects_too() -> None:
    assert {id(Plain), id(Derived), id(Odd)} <= {id(found) for found in living.of(type)}


@pytest.mark.parametrize("kind", [Odd, StandIn])
def test_nobody_is_asked_what_it_is(kind: type) -> None:
    kept = kind()
    kept.others = []  # what holds nothing is not tracked
    assert [id(found) for found in living.of(kind)] == [id(kept)]
