"""Verdicts on variants, from runs that are over."""

import random
from collections.abc import Mapping, Sequence

import pytest

from firstlight.errors import UsageError
from firstlight.lab.compare import CompareQuestion, Variants, report
from firstlight.records.lab import LabReport
from firstlight.records.trials import FinishedRun


def _runs(**values: Sequence[float]) -> dict[str, list[FinishedRun]]:
    return {
        name: [FinishedRun(name=name, seed=seed, values={"val_acc": (number,)}) for seed, number in enumerate(numbers)]
        for name, numbers in values.items()
    }


def _report(runs: Mapping[str, list[FinishedRun]], **asked: object) -> LabReport:
    return report(Variants(dict(runs), CompareQuestion(**asked)), ("a.py", "b.py"))  # type: ignore[arg-type]


A = (0.80, 0.82, 0.79, 0.81, 0.83)


def test_a_gain_in_every_pair_is_a_winner() -> None:
    found = _report(_runs(a=A, b=[0.85, 0.875, 0.838, 0.862, 0.878]))
    assert found.answer.startswith("b is better than a in `val_acc`: +0.05")
    assert found.numbers["verdict"] == "better"


def test_pairs_that_share_their_luck_decide_where_means_alone_would_not() -> None:
    luck = random.Random(2)
    shared = [luck.gauss(0.8, 0.1) for _ in range(8)]
    found = _report(_runs(a=shared, b=[one + 0.02 + luck.gauss(0, 0.002) for one in shared]))
    assert found.numbers["verdict"] == "better"


def test_noise_has_no_winner_and_is_told_how_many_seeds_more() -> None:
    found = _report(_runs(a=A, b=[0.81, 0.81, 0.82, 0.80, 0.84]))
    assert found.answer.startswith("Undecided: b and a differ in `val_acc` by no more than luck explains")
    assert "more seeds" in found.advice[0]


def test_for_a_loss_less_is_better() -> None:
    runs = {
        name: [
            FinishedRun(name=name, seed=seed, values={"val_loss": (base + 0.01 * seed + 0.001 * seed * at,)})
            for seed in range(5)
        ]
        for at, (name, base) in enumerate({"a": 0.9, "b": 0.5}.items())
    }
    found = _report(runs)
    assert found.numbers["verdict"] == "better"
    assert found.numbers["gain"] == pytest.approx(0.4, abs=0.01)


def test_seeds_that_change_nothing_are_one_pair() -> None:
    found = _report(_runs(a=[0.8] * 6, b=[0.9] * 6))
    assert found.numbers["verdict"] == "undecided"
    assert "no seed changes either" in found.answer


def test_the_same_to_the_last_digit_is_said_as_such() -> None:
    assert "b and a have exactly the same `val_acc` in 5 pairs" in _report(_runs(a=A, b=A)).answer


def test_what_is_surely_too_small_to_matter_is_decided() -> None:
    runs = _runs(a=A, b=[one + (0.0001 if at % 2 else -0.0001) for at, one in enumerate(A)])
    assert _report(runs, worth=0.01).numbers["verdict"] == "same"
    assert _report(runs, worth=0.0001).numbers["verdict"] == "undecided"


def test_several_variants_need_more_evidence_each() -> None:
    """The same pairs that make a winner of one variant do not make one of it among twelve."""
    better = [0.85, 0.84, 0.85, 0.85, 0.86]
    assert _report(_runs(a=A, b=better)).numbers["verdict"] == "better"
    noise = random.Random(3)
    others = {f"n{at}": [one + noise.gauss(0, 0.02) for one in A] for at in range(11)}
    assert _report(_runs(a=A, b=better, **others)).numbers["b.verdict"] == "undecided"


def test_runs_that_failed_are_counted_and_in_no_pair() -> None:
    runs = _runs(a=A, b=[0.85, 0.875, 0.838, 0.862, float("nan")])
    found = _report(runs)
    assert found.numbers["pairs"] == 4
    assert any("1 of 5 runs of b failed" in limit for limit in found.limits)


def test_no_pair_at_all_cannot_be_compared() -> None:
    with pytest.raises(UsageError, match="no pair of runs"):
        _report(_runs(a=[0.8], b=[float("nan")]))


def test_variants_are_paired_by_their_seeds() -> None:
    runs = _runs(a=A, b=[one + 0.05 + 0.001 * at for at, one in enumerate(A)])
    runs["b"].reverse()
    assert _report(runs).numbers["gain"] == pytest.approx(0.052)


def test_a_variant_without_a_pair_is_in_the_table_as_such() -> None:
    found = _report(_runs(a=A, b=[0.9, 0.91, 0.89, 0.92, 0.93], c=[float("nan")] * 5))
    assert [row[5] for row in found.tables[0].rows] == ["reference", "better", "no pair"]
