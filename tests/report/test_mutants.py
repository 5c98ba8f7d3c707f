"""What a clean verdict is worth, as reviewed text."""

from collections.abc import Callable

import msgspec
import pytest

from firstlight.records.mutants import Mutant, Outcome
from firstlight.records.report import Report
from firstlight.report.mutants import render

Tell = Callable[[str], Report]


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def mutant(fault: str, outcome: Outcome, flow: str = "answers", **more: object) -> Mutant:
    return msgspec.structs.replace(
        Mutant(fault=fault, flow=flow, does="the loss is maximised", causes=("loss-sign",), outcome=outcome), **more
    )


def written(tell: Tell, *mutants: Mutant) -> str:
    return render(msgspec.structs.replace(tell("x"), mutants=mutants), colour=False)


def test_the_answer_comes_first_then_each_flow_with_what_was_missed_last(tell: Tell) -> None:
    text = written(
        tell,
        mutant("shifted", Outcome.MISSED, reason="FL101 pairing-is-lost saw nothing"),
        mutant("sign", Outcome.CAUGHT, told="FL206 loss-sign-flipped at a.py:3", cause="loss-sign", right=True),
        mutant("frozen", Outcome.CAUGHT, flow="gradients", told="FL601 other", cause="hp-lr-low"),
        mutant("decay", Outcome.HARMLESS, flow="updates", reason="the loss is no worse than without it"),
        mutant("clip", Outcome.NOT_APPLICABLE, reason="the program has no clipping"),
        mutant("cut", Outcome.CRASHED, reason="it makes this program crash"),
    )
    assert (
        text
        == """a check of train.py x catches 2 of 3 planted faults, 1 of them with the right
cause

answers: 1 of 2
  caught  sign     the loss is maximised
              FL206 loss-sign-flipped at a.py:3 (loss-sign)
  missed  shifted  the loss is maximised
              FL101 pairing-is-lost saw nothing
gradients: 1 of 1
  caught  frozen   the loss is maximised
              FL601 other (hp-lr-low, where loss-sign was planted)

harmless here: decay
crash on their own: cut (it makes this program crash)
not applicable: clip (the program has no clipping)
kept in: .firstlight/runs/x
page: .firstlight/runs/x/report.html
"""
    )


def test_where_no_fault_counts_nothing_is_claimed(tell: Tell) -> None:
    text = written(tell, mutant("clip", Outcome.NOT_APPLICABLE, reason="the program has no clipping"))
    assert text.startswith("none of the planted faults says anything about a clean verdict on train.py x\n")
