"""Which number is compared, and which way is better."""

import math

import pytest

from firstlight.errors import UsageError
from firstlight.lab.metric import TRAINING_LOSS, Metric, choose, value
from firstlight.records.trials import FinishedRun


def _trial(*names: str, **more: float) -> FinishedRun:
    return FinishedRun(
        name="a", seed=0, values={**dict.fromkeys(names, (0.5, 0.25)), **{k: (v,) for k, v in more.items()}}
    )


@pytest.mark.parametrize(
    ("names", "chosen", "higher"),
    [
        (("loss", "val_loss", "val_acc"), "val_acc", True),
        (("train_loss", "val_loss"), "val_loss", False),
        (("lr", "loss"), "loss", False),
        (("train_acc", "test error"), "test error", False),
        ((TRAINING_LOSS, "episode reward"), "episode reward", True),
        ((TRAINING_LOSS,), TRAINING_LOSS, False),
    ],
)
def test_the_likeliest_is_guessed_and_its_name_tells_the_way(names: tuple[str, ...], chosen: str, higher: bool) -> None:
    assert choose([_trial(*names)], None, None) == Metric(chosen, higher, guessed=True)


def test_a_name_is_found_however_it_is_punctuated() -> None:
    assert choose([_trial("val/acc")], "val_acc", None) == Metric("val/acc", higher=True)


def test_a_name_that_no_run_tells_is_an_error_that_lists_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"no run reports `vall_acc`; the nearest is `val_acc`.*`val_acc`"):
        choose([_trial("val_acc")], "vall_acc", None)


def test_nothing_told_at_all_is_an_error() -> None:
    with pytest.raises(UsageError, match="no number to compare"):
        choose([_trial("lr", "time")], None, None)


def test_a_name_that_says_nothing_is_assumed_and_said() -> None:
    metric = choose([_trial("zorp")], "zorp", None)
    assert metric.assumed
    assert "`--better` changes that" in metric.told()[0]
    assert not choose([_trial("zorp")], "zorp", "lower").told()


def test_the_value_of_a_run_is_its_last_and_a_failed_run_has_none() -> None:
    metric = Metric("val_acc", higher=True)
    assert value(_trial("val_acc"), metric) == 0.25
    assert math.isnan(value(FinishedRun(name="a", seed=0, values={"val_acc": (0.5,)}, exit_code=1), metric))
    assert math.isnan(value(_trial("other"), metric))
