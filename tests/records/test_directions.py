"""Which way numbers improve, by their names."""

import pytest

from firstlight.records.directions import grows


@pytest.mark.parametrize("name", ["val_acc", "exact match", "eval_exact", "rouge1", "NDCG", "test_f1", "mrr", "kappa"])
def test_scores_grow(name: str) -> None:
    assert grows(name) is True


@pytest.mark.parametrize("name", ["loss/val", "test mse", "ppl", "eval_wer", "cer", "bpc", "mape"])
def test_errors_fall(name: str) -> None:
    assert grows(name) is False


@pytest.mark.parametrize("name", ["epoch", "lr", "certain", "power", "exactly_once", "accuracy_loss"])
def test_others_do_neither(name: str) -> None:
    assert grows(name) is None
