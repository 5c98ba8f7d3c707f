"""Histories whose best epoch is known, given to the selector: does it find it, and does its choice follow?

A selector says by its `metric` and `lower_is_better` what it goes by; of one that does not, the metrics that `record`
takes are tried, in either direction where the name tells none.
"""

import copy
import inspect
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.stumbling import line_of, using
from firstlight.records.declared import Choice, SelectorTried
from firstlight.records.directions import grows

EPOCHS = 24
CLEAR = (3, 7, 11, 15, 19)
NOISE = 0.01
DEPTH = 0.5
FLATS = 12


USUAL = ("train_loss", "val_loss", "test_loss", "test_accuracy", "accuracy")
"""What a training loop usually has at hand."""
MOST_ASKED = 8
"""Metrics by other names that a selector may ask for."""


@dataclass(frozen=True)
class GoesBy:
    """What a selector goes by, and all that it is told."""

    metric: str
    lower: bool
    told: tuple[str, ...]

    def metrics(self, loss: float, test: float = 0.5) -> dict[str, float]:
        known = {"train_loss": 0.9, "val_loss": loss, "test_loss": test, "test_accuracy": test, "accuracy": 1 - loss}
        made = {name: known.get(name, 0.5) for name in self.told}
        return made | {self.metric: loss if self.lower else 1 - loss}


def selecting(bench: Bench) -> None:
    given = bench.experiment.selector
    generator = random.Random(0)
    way, clear = min(_clear(given, generator), key=lambda tried: _off(tried[1]))
    choices = [*clear, *(_choice(given, "noisy", best, _dip(best, NOISE, generator), way) for best in CLEAR)]
    choices += [_choice(given, "flat", None, _flat(generator), way) for _ in range(FLATS)]
    choices.append(_choice(given, "tied", None, [0.5] * EPOCHS, way))
    broken = _dip(7, 0.0, generator)
    broken[12] = float("nan")
    choices.append(_choice(given, "nan", 7, broken, way))
    again = _choice(given, "clear", CLEAR[0], _dip(CLEAR[0], 0.0, generator), way)
    bench.emit(
        SelectorTried(
            selector=type(_new(given)).__name__,
            metric=way.metric,
            lower_is_better=way.lower,
            choices=tuple(choices),
            repeatable=again.chosen == choices[0].chosen,
            reads_test=_reads_test(given, way),
            site=line_of(type(_new(given))),
        )
    )


def _clear(given: Any, generator: random.Random) -> Iterator[tuple[GoesBy, list[Choice]]]:
    for way in _ways(given):
        yield way, [_choice(given, "clear", best, _dip(best, 0.0, generator), way) for best in CLEAR]


def _off(choices: list[Choice]) -> int:
    """By how many epochs the choices miss what was planted."""
    return sum(EPOCHS if one.chosen is None else abs(one.chosen - (one.planted or 0)) for one in choices)


def _ways(given: Any) -> Iterator[GoesBy]:
    selector = _new(given)
    told = _told(given)
    declared, lower = getattr(selector, "metric", None), getattr(selector, "lower_is_better", None)
    own = [name for name in told if name == "val_loss" or name not in USUAL]
    names = [str(declared)] if declared else own or list(told) or ["val_loss"]
    for name in names:
        larger = grows(name) if lower is None else not lower
        for falls in (True, False) if larger is None else (not larger,):
            yield GoesBy(name, falls, told)


def _told(given: Any) -> tuple[str, ...]:
    """The metrics that `record` names. Where it takes any, the usual ones, or those whose lack it complains of."""
    taken = list(inspect.signature(_new(given).record).parameters.values())[1:]
    if not any(one.kind is inspect.Parameter.VAR_KEYWORD for one in taken):
        return tuple(one.name for one in taken if one.kind is not inspect.Parameter.VAR_POSITIONAL)
    told = [*USUAL, *(one.name for one in taken if one.kind is inspect.Parameter.KEYWORD_ONLY)]
    if metric := getattr(_new(given), "metric", None):
        return (*told, str(metric))
    for _ in range(MOST_ASKED):
        selector = _new(given)
        try:
            for epoch in range(2):
                selector.record(epoch, **GoesBy(told[-1], True, tuple(told)).metrics(0.5))
            selector.select()
        except KeyError as missing:
            told += [str(name) for name in missing.args[:1]]
        except Exception:  # noqa: BLE001  # a selector that fails on a history is judged for it
            break
        else:
            break
    return tuple(dict.fromkeys(told))


def _new(given: Any) -> Any:
    """A selector without history."""
    with using("selector", "making a new one"):
        ready = hasattr(given, "select") and not isinstance(given, type)
        return copy.deepcopy(given) if ready else given()


def _dip(best: int, noise: float, generator: random.Random) -> list[float]:
    """A loss that is lowest at `best`."""
    return [1 - DEPTH / (1 + (epoch - best) ** 2 / 8) + generator.gauss(0, noise) for epoch in range(EPOCHS)]


def _flat(generator: random.Random) -> list[float]:
    return [1 + generator.gauss(0, NOISE) for _ in range(EPOCHS)]


def _choice(given: Any, kind: str, planted: int | None, losses: list[float], way: GoesBy) -> Choice:
    selector = _new(given)
    try:
        for epoch, loss in enumerate(losses):
            selector.record(epoch, **way.metrics(loss))
        chosen = selector.select()
    except Exception as error:  # noqa: BLE001  # a selector that fails on a history is judged for it
        return Choice(
            kind=kind, planted=planted, epochs=len(losses), chosen=None, error=f"{type(error).__name__}: {error}"
        )
    return Choice(kind=kind, planted=planted, epochs=len(losses), chosen=_number(chosen))


def _number(chosen: Any) -> int | None:
    try:
        return int(getattr(chosen, "epoch", chosen))
    except (TypeError, ValueError):
        return None


def _reads_test(given: Any, way: GoesBy) -> bool:
    if way.metric.startswith("test"):
        return True
    chosen = []
    for best in (5, 18):
        selector = _new(given)
        for epoch in range(EPOCHS):
            test = 0.1 if epoch == best else 0.9
            loss = 1 - DEPTH / (1 + (epoch - 11) ** 2 / 8)
            try:
                selector.record(epoch, **way.metrics(loss, test))
            except Exception:  # noqa: BLE001  # told of by the other histories
                return False
        chosen.append(_number(selector.select()))
    return chosen[0] != chosen[1]
