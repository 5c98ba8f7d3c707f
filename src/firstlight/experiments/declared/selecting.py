"""Histories whose best epoch is known, given to the selector: does it find it, and does its choice follow?"""

import copy
import random
from typing import Any

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.stumbling import line_of, using
from firstlight.records.declared import Choice, SelectorTried

EPOCHS = 24
CLEAR = (3, 7, 11, 15, 19)
NOISE = 0.01
DEPTH = 0.5
FLATS = 12


def selecting(bench: Bench) -> None:
    given = bench.experiment.selector
    metric = str(getattr(_new(given), "metric", "val_loss"))
    lower = bool(getattr(_new(given), "lower_is_better", "acc" not in metric and "score" not in metric))
    generator = random.Random(0)
    choices = [_choice(given, "clear", best, _dip(best, 0.0, generator), (metric, lower)) for best in CLEAR]
    choices += [_choice(given, "noisy", best, _dip(best, NOISE, generator), (metric, lower)) for best in CLEAR]
    choices += [_choice(given, "flat", None, _flat(generator), (metric, lower)) for _ in range(FLATS)]
    choices.append(_choice(given, "tied", None, [0.5] * EPOCHS, (metric, lower)))
    broken = _dip(7, 0.0, generator)
    broken[12] = float("nan")
    choices.append(_choice(given, "nan", 7, broken, (metric, lower)))
    again = _choice(given, "clear", CLEAR[0], _dip(CLEAR[0], 0.0, generator), (metric, lower))
    bench.emit(
        SelectorTried(
            selector=type(_new(given)).__name__,
            metric=metric,
            lower_is_better=lower,
            choices=tuple(choices),
            repeatable=again.chosen == choices[0].chosen,
            reads_test=_reads_test(given, metric, lower),
            site=line_of(type(_new(given))),
        )
    )


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


def _choice(given: Any, kind: str, planted: int | None, losses: list[float], told: tuple[str, bool]) -> Choice:
    metric, lower = told
    selector = _new(given)
    try:
        for epoch, loss in enumerate(losses):
            selector.record(epoch, **_metrics(metric, loss if lower else 1 - loss))
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


def _metrics(metric: str, value: float, test: float = 0.5) -> dict[str, float]:
    """What a training loop usually has at hand; the metric in question among it."""
    usual = {"train_loss": 0.9, "val_loss": value, "test_loss": test, "test_accuracy": test, "accuracy": 1 - value}
    return usual | {metric: value}


def _reads_test(given: Any, metric: str, lower: bool) -> bool:
    if metric.startswith("test"):
        return True
    chosen = []
    for best in (5, 18):
        selector = _new(given)
        for epoch in range(EPOCHS):
            test = 0.1 if epoch == best else 0.9
            loss = 1 - DEPTH / (1 + (epoch - 11) ** 2 / 8)
            try:
                selector.record(epoch, **_metrics(metric, loss if lower else 1 - loss, test))
            except Exception:  # noqa: BLE001  # told of by the other histories
                return False
        chosen.append(_number(selector.select()))
    return chosen[0] != chosen[1]
