"""What a model makes of inputs that it does not name."""

import functools
from typing import Any

import pytest

from firstlight.observe.inside.taps.columns import takes


def named(_size: Any, labels: Any = None) -> Any:
    return labels


def unused(_size: Any, labels: Any = None, **_features: Any) -> Any:
    return labels


def picked(size: Any, **features: Any) -> Any:
    return size + features["extra"]


def passed_on(size: Any, **features: Any) -> Any:
    return picked(size, **features)


def within(size: Any, **features: Any) -> Any:
    return [one + features["extra"] for one in size]


@functools.wraps(picked)
def wrapped(*arguments: Any, **keywords: Any) -> Any:
    return picked(*arguments, **keywords)


@pytest.mark.parametrize("forward", [named, unused])
def test_inputs_that_are_not_looked_at_are_not_taken(forward: Any) -> None:
    assert takes(forward) is None


@pytest.mark.parametrize("forward", [picked, passed_on, within, wrapped])
def test_those_that_are_read_or_passed_on_are(forward: Any) -> None:
    assert takes(forward) == "features"
