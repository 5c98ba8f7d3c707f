"""What libraries are told to go by, and what the number was each time they asked."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from firstlight.experiments.inside import choosing
from firstlight.experiments.inside.choosing import Choosing
from firstlight.experiments.inside.shortening.comparisons import Comparison, Comparisons

WATCHES: Any = SimpleNamespace(shielded=lambda _, function: function)


@pytest.fixture
def chooses() -> Choosing:
    return Choosing(WATCHES, Comparisons())


class Keeper:
    """As callbacks of Lightning are."""

    def __init__(self, monitor: str | None, mode: str = "min") -> None:
        self.monitor, self.mode = monitor, mode

    def asked(self, trainer: object, current: float | None = None) -> str:
        return f"{trainer} {current}"


@dataclass
class Arguments:
    """As those of the Trainer are."""

    metric_for_best_model: str | None = None
    greater_is_better: bool | None = None

    def __post_init__(self) -> None:
        self.metric_for_best_model = self.metric_for_best_model


class Trainer:
    def __init__(self, args: Arguments) -> None:
        self.args = args

    def _determine_best_metric(self, metrics: dict[str, float], trial: None) -> int:
        return len(metrics)


def keeper(chooses: Choosing, *given: Any) -> Any:
    kind = type("Keeper", (Keeper,), dict(vars(Keeper)))
    choosing._follow_callback(chooses, "Keeper", "asked", SimpleNamespace(Keeper=kind))  # type: ignore[arg-type]
    return kind(*given)


def trainer(chooses: Choosing, *given: Any) -> Any:
    arguments = type("Arguments", (Arguments,), dict(vars(Arguments)))
    kind = type("Trainer", (Trainer,), dict(vars(Trainer)))
    module: Any = SimpleNamespace(TrainingArguments=arguments, Trainer=kind)
    choosing._follow_arguments(chooses, module)
    choosing._follow_trainer(chooses, module)
    return kind(arguments(*given))


def only(chooses: Choosing) -> Comparison:
    ((site, found),) = chooses
    assert site is not None
    assert site.file.endswith("test_choosing.py")
    return found


@pytest.mark.parametrize(("mode", "kept", "against"), [("min", 2, (0.5, 0.5)), ("max", 2, (0.5, 0.9))])
def test_a_callback_is_asked_by_the_number_it_was_made_for(
    chooses: Choosing, mode: str, kept: int, against: tuple[float, ...]
) -> None:
    one = keeper(chooses, "val_f1", mode)

    told = [one.asked("trainer", 0.5), one.asked("trainer", current=0.9), one.asked("trainer", 0.2)]

    found = only(chooses)
    assert told == ["trainer 0.5", "trainer 0.9", "trainer 0.2"]
    assert (found.metric, found.larger, found.noted) == ("val_f1", mode == "max", True)
    assert (found.met, found.times, found.kept) == ([0.5, 0.9, 0.2], 3, kept)
    assert tuple(found.against[1:]) == against


def test_a_callback_that_goes_by_nothing_chooses_nothing(chooses: Choosing) -> None:
    keeper(chooses, None).asked("trainer", 0.5)

    assert not list(chooses)


def test_a_callback_that_was_never_asked_is_known_by_name(chooses: Choosing) -> None:
    keeper(chooses, "val_f1").asked("trainer", None)

    assert only(chooses).times == 0


def test_the_trainer_goes_by_what_its_arguments_say(chooses: Choosing) -> None:
    one = trainer(chooses, "mae", True)

    told = [one._determine_best_metric(metrics={"eval_mae": value}, trial=None) for value in (3.0, 2.0)]

    found = only(chooses)
    assert told == [1, 1]
    assert (found.metric, found.larger, found.met, found.kept) == ("mae", True, [3.0, 2.0], 1)


@pytest.mark.parametrize(("metric", "times"), [("eval_mae", 1), ("other", 0)])
def test_a_number_is_found_under_either_name(chooses: Choosing, metric: str, times: int) -> None:
    trainer(chooses, metric, False)._determine_best_metric({"eval_mae": 3.0}, None)

    assert only(chooses).times == times


def test_a_trainer_that_is_told_of_no_number_chooses_nothing(chooses: Choosing) -> None:
    trainer(chooses)._determine_best_metric({"eval_loss": 3.0}, None)

    assert not list(chooses)


def test_what_was_measured_is_noted_with_the_number(chooses: Choosing) -> None:
    chooses._compared.names = lambda number: frozenset({"loss"} if number == 3.0 else ())
    trainer(chooses, "quality", True)._determine_best_metric({"eval_quality": 3.0}, None)

    assert only(chooses).known == [frozenset({"loss"})]
