"""Every fact that a test of a check judges is judged again with each of its numbers lost."""

import dataclasses
import math
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import msgspec
import pytest

from firstlight.checks.declare import Check

SAYS_SO = re.compile(r"\bNaN\b|not finite|non-finite|nonfinite|not a number|infinite")


@pytest.fixture(autouse=True)
def _numbers_are_lost(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    check = getattr(request.module, "CHECK", None)
    if not isinstance(check, Check):
        yield
        return
    judged: list[Any] = []

    def find(fact: Any, limits: Any) -> Iterator[Any]:
        judged.append((fact, limits))
        return check.find(fact, limits)

    monkeypatch.setattr(request.module, "CHECK", dataclasses.replace(check, find=find))
    yield
    for fact, limits in judged:
        _hold(check, fact, limits)


def _hold(check: Check, fact: Any, limits: Any) -> None:
    """A number that is lost makes no illness, unless it is told that it is lost."""
    if list(check.find(fact, limits)):
        return
    for place, lost in with_each_number(fact, math.nan):
        unsaid = [found.saw for found in check.find(lost, limits) if not SAYS_SO.search(found.saw)]
        assert not unsaid, f"{check.name}: {place} is NaN, and that makes it ill: {unsaid}"


def with_each_number(value: Any, put: float) -> Iterator[tuple[str, Any]]:
    """A copy for each finite float inside, with that one replaced, and where it lay."""
    if isinstance(value, float) and math.isfinite(value):
        yield "", put
    for name, part, rebuild in _parts(value):
        for place, changed in with_each_number(part, put):
            yield f"{name}{place}", rebuild(changed)


def _parts(value: Any) -> Iterator[tuple[str, Any, Callable[[Any], Any]]]:
    if isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            yield f".{field}", getattr(value, field), partial(_with_field, value, field)
    elif isinstance(value, tuple):
        for at, part in enumerate(value):
            yield f"[{at}]", part, partial(_with_item, value, at)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield f"[{key!r}]", part, partial(_with_key, value, key)


def _with_field(value: Any, field: str, new: Any) -> Any:
    return msgspec.structs.replace(value, **{field: new})


def _with_item(value: tuple[Any, ...], at: int, new: Any) -> tuple[Any, ...]:
    return (*value[:at], new, *value[at + 1 :])


def _with_key(value: dict[Any, Any], key: Any, new: Any) -> dict[Any, Any]:
    return {**value, key: new}
