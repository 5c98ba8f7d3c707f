import pytest

from firstlight.diagnosis.case import Case, Claim, Hint
from firstlight.diagnosis.choose import Choice, Limits, Reason, choose
from firstlight.diagnosis.engine import weigh
from firstlight.diagnosis.knowledge.catalogue import KNOWLEDGE
from firstlight.diagnosis.knowledge.declare import Experiment
from firstlight.diagnosis.trail import Kind, Trail, render

START = Case().given("full-precision")
SEEN = START.observing({"loss-flat-from-start": True})
MORE = (
    SEEN.given("no-clipping")
    .observing({"gradients-missing": False})
    .claiming([Claim("train-frozen", 0.6, "FL303")])
    .hinting([Hint("train-frozen", 3.0, "LN-012")])
    .repairing("thawed", worked=True)
)
LIMITS = Limits(handles=frozenset({"model", "optimizer", "loss"}), baseline_seconds=5.0, seconds_left=60.0)


def running(cost: float) -> Choice:
    return Choice(experiment=Experiment(slug="try", does="try", cost=cost), reason=Reason.GAIN)


def told() -> Trail:
    trail = Trail().learning(KNOWLEDGE, START, SEEN)
    trail = trail.choosing(choose(KNOWLEDGE, SEEN, LIMITS, trail.entropies))
    trail = trail.learning(KNOWLEDGE, SEEN, MORE)
    return trail.choosing(choose(KNOWLEDGE, MORE, LIMITS, trail.entropies))


def test_every_part_of_the_case_is_a_step() -> None:
    assert [step.kind for step in told().steps] == [
        Kind.BEGAN,
        Kind.OBSERVED,
        Kind.CHOSE,
        Kind.KNOWN,
        Kind.OBSERVED,
        Kind.FOUND,
        Kind.HINTED,
        Kind.REPAIRED,
        Kind.STOPPED,
    ]


def test_shifts_begin_where_the_last_ended_and_end_at_the_belief() -> None:
    steps = [step for step in told().steps if step.shifts and step.kind is not Kind.BEGAN]
    after_first = {shift.cause: shift.after for shift in steps[0].shifts}
    before_second = {shift.cause: shift.before for shift in steps[1].shifts}
    shared = after_first.keys() & before_second.keys()
    assert shared
    assert all(after_first[cause] == before_second[cause] for cause in shared)
    belief = weigh(KNOWLEDGE, MORE)
    assert {shift.cause: shift.after for shift in steps[-1].shifts}["train-frozen"] == belief.probabilities[
        "train-frozen"
    ]


def test_entropies_are_those_before_and_after_each_round() -> None:
    trail = Trail().learning(KNOWLEDGE, START, SEEN)
    first = weigh(KNOWLEDGE, SEEN).entropy
    assert trail.entropies == (first,)
    trail = trail.choosing(running(2.0)).learning(KNOWLEDGE, SEEN, MORE)
    assert trail.entropies == (first, weigh(KNOWLEDGE, MORE).entropy)


def test_a_round_that_taught_nothing_is_a_round() -> None:
    trail = Trail().learning(KNOWLEDGE, START, SEEN)
    for _ in range(2):
        trail = trail.choosing(running(2.0)).learning(KNOWLEDGE, SEEN, SEEN)
    assert trail.entropies == (trail.entropies[0],) * 3
    assert choose(KNOWLEDGE, SEEN, LIMITS, trail.entropies).reason is Reason.NO_PROGRESS


@pytest.mark.parametrize(("cost", "rounds"), [(0.9, 0), (1.0, 1), (2.0, 2)])
def test_a_round_is_two_baselines_of_experiments(cost: float, rounds: int) -> None:
    trail = Trail().learning(KNOWLEDGE, START, SEEN)
    for _ in range(2):
        trail = trail.choosing(running(cost)).learning(KNOWLEDGE, SEEN, SEEN)
    assert len(trail.entropies) == 1 + rounds


def test_a_trail_of_nothing_has_the_priors() -> None:
    trail = Trail().learning(KNOWLEDGE, START, START)
    assert [step.kind for step in trail.steps] == [Kind.BEGAN]
    assert Trail().entropies == ()


def test_lines_name_what_was_seen_chosen_and_why() -> None:
    text = "\n".join(render(told()))
    assert "priors for: full-precision" in text
    assert "the loss does not move from its first value [loss-flat-from-start]" in text
    assert "not seen: parameters that should be trained get no gradient [gradients-missing]" in text
    assert "nats expected for" in text
    assert "FL303 names train-frozen with confidence 0.60" in text
    assert "LN-012 makes train-frozen 3 times as likely" in text
    assert "let every parameter require a gradient: fixes it [thawed, the repair of train-frozen]" in text
    assert text.splitlines()[-1].endswith(Reason.DOMINATES.value)
    assert "train-frozen: " in text
    assert " -> " in text


def test_a_failed_repair_is_said_to_change_nothing() -> None:
    trail = Trail().learning(KNOWLEDGE, SEEN, SEEN.repairing("thawed", worked=False))
    assert "changes nothing" in trail.steps[-1].what


def test_stopping_alone_can_be_told() -> None:
    trail = Trail().choosing(Choice(experiment=None, reason=Reason.BUDGET))
    assert render(trail) == ("  1  stopped  the time is used up",)
