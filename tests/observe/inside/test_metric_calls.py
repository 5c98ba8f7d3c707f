"""scikit-learn's metrics are followed where they are looked up, and go on as they were."""

import pickle
from types import ModuleType
from typing import Any

import pytest
from sklearn.metrics import _classification as real  # where they are made: nobody follows them there
from sklearn.metrics._ranking import auc

from firstlight.observe.inside import metric_calls

Told = list[tuple[str, tuple[Any, ...], Any]]


@pytest.fixture
def module() -> ModuleType:
    copy = ModuleType("sklearn.metrics")
    copy.__dict__.update(accuracy_score=real.accuracy_score, log_loss=real.log_loss, auc=auc)
    copy.__dict__["__all__"] = ["accuracy_score", "log_loss", "auc"]
    return copy


def test_a_call_is_told_with_what_it_came_to(module: ModuleType) -> None:
    told: Told = []
    metric_calls.follow(module, lambda *call: told.append(call))

    assert module.accuracy_score([0, 1, 1, 1], y_pred=[0, 1, 1, 0]) == 0.75
    assert told == [("accuracy_score", ([0, 1, 1, 1], [0, 1, 1, 0]), 0.75)]


def test_what_is_no_metric_is_left_as_it_is(module: ModuleType) -> None:
    metric_calls.follow(module, lambda *_: None)

    assert module.auc is auc
    assert module.log_loss is not real.log_loss


def test_whoever_listens_cannot_break_it(module: ModuleType) -> None:
    def fails(*_: Any) -> None:
        raise ValueError

    metric_calls.follow(module, fails)

    assert module.accuracy_score([0, 1], [0, 1]) == 1.0


def test_a_worker_gets_the_function_itself(module: ModuleType) -> None:
    metric_calls.follow(module, lambda *_: None)

    assert pickle.loads(pickle.dumps(module.accuracy_score)) is real.accuracy_score
