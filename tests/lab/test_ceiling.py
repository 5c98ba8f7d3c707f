"""How low the loss can get, from levels that are known."""

import pytest
from msgspec import structs

from firstlight.lab.agreement import agreement
from firstlight.lab.ceiling import CeilingPlan, Oracle, Seen, answer
from firstlight.lab.copies import Known, Trial
from firstlight.records.places import Site
from firstlight.records.taped import FreeSeen, ReachSeen


def known(program: float, heart: float, blind: float = 2.3) -> Known:
    def run(name: str, end: float) -> Trial:
        return Trial(name=name, losses=(2.3, 2.3, 2.3, *(end,) * 100))

    trials = {"by-heart-1": run("by-heart-1", heart), "blind": run("blind", blind)}
    return Known(run("program", program), finished=True, trials=trials, by_loader=True)


def reach(free: float, bound: float) -> ReachSeen:
    site = Site(file="m.py", line=7, function="f")
    return ReachSeen(
        step=1, operation="sigmoid", site=site, meeting=None, into="mse_loss", loss=2.3, free=free, bound=bound
    )


def told(seen: Seen) -> str:
    return answer(seen, 0, ("t.py",)).answer


def with_copies(program: float, **ends: float) -> Known:
    found = known(program, 0.01)
    found.trials |= {name: Trial(name=name, losses=(2.3, 2.3, 2.3, *(end,) * 100)) for name, end in ends.items()}
    return found


def test_a_model_that_learns_its_batch_can_express_more() -> None:
    assert "can express more than it has learned" in told(Seen(known(1.0, 0.01)))


def test_a_program_as_low_as_its_batch_is_limited_by_size() -> None:
    assert "its size limits it" in told(Seen(known(0.5, 0.45)))


def test_a_batch_that_cannot_be_learnt_is_said_so() -> None:
    said = told(Seen(known(2.29, 2.28), (reach(0.0, 0.01),)))
    assert "cannot even overfit one batch (2.28)" in said
    assert "no better than without its inputs" in said


def test_an_activation_in_the_way_is_named_with_its_line() -> None:
    assert "`sigmoid` (m.py:7) is the ceiling" in told(Seen(known(1.5, 1.4), (reach(0.0, 1.3),)))


def test_a_loss_as_low_as_its_answers_allow_leaves_little_to_gain() -> None:
    floor = FreeSeen(step=1, free=0.5)
    assert "little is left to gain" in told(Seen(known(0.6, 0.55), free=(floor,)))
    assert "little is left to gain" not in told(Seen(known(0.9, 0.55), free=(floor,)))


def test_a_larger_copy_says_whether_size_is_in_the_way() -> None:
    assert "A wider copy gets to 0.2" in told(Seen(with_copies(1.0, wider=0.2, deeper=0.4)))
    assert "Made wider (0.95) or deeper (0.98), it gets hardly lower" in told(
        Seen(with_copies(1.0, wider=0.95, deeper=0.98))
    )


def test_a_copy_that_did_not_grow_is_not_taken_for_one_that_did() -> None:
    report = answer(Seen(with_copies(1.0, wider=1.0)), 0, ("t.py",))
    assert "the_program_wider" not in report.numbers
    assert any(limit.startswith("wider: the copy was not changed") for limit in report.limits)


@pytest.mark.parametrize("late", [True, False])
def test_a_copy_that_was_out_of_time_is_not_compared_with_the_whole_program(late: bool) -> None:
    found = with_copies(1.0, wider=0.2)
    found.trials["wider"] = structs.replace(found.trials["wider"], out_of_time=late)
    assert ("A wider copy gets to 0.2" in told(Seen(found))) is not late


def test_perfect_answers_of_a_stage_say_whether_it_is_in_the_way() -> None:
    oracle = Oracle("encoder", "truth:codes")
    assert "that stage is the bottleneck" in told(Seen(with_copies(1.0, oracle=0.2), oracle=oracle))
    assert "it is not the bottleneck" in told(Seen(with_copies(1.0, oracle=0.95), oracle=oracle))


FALLING = tuple(2.3 * 0.98**step for step in range(200))


def test_a_metric_that_stands_while_the_loss_falls_is_told() -> None:
    stands = agreement(FALLING, {"val_acc": (0.31, 0.30, 0.31, 0.30, 0.31, 0.30), "val_loss": (1.0,) * 6})
    assert stands is not None
    assert stands.course == "stands"
    assert "`val_acc` does not improve (0.305 → 0.305)" in told(Seen(known(1.0, 0.01), metric=stands))


def test_a_metric_that_rises_agrees_and_one_that_falls_parts() -> None:
    rises, falls = (0.3, 0.4, 0.5, 0.55, 0.6), (0.6, 0.5, 0.45, 0.3, 0.2)
    courses = [agreement(FALLING, {"val_acc": those}) for those in (rises, falls)]
    assert [one.course for one in courses if one is not None] == ["agrees", "parts"]
    assert [one.course for one in (agreement(FALLING, {"error": rises}),) if one is not None] == ["parts"]
    assert "val_acc" not in told(Seen(known(1.0, 0.01), metric=courses[0]))


def test_nothing_is_said_of_a_metric_without_a_course() -> None:
    assert agreement(FALLING, {"val_acc": (0.3, 0.3, 0.3)}) is None  # too few
    assert agreement(FALLING, {"val_acc": (0.99, 0.98, 0.99, 0.99)}) is None  # nowhere to go
    assert agreement(FALLING, {"val_acc": (0.3,) * 31}) is not None
    assert agreement(FALLING, {"val_acc": (0.3,) * 32}) is None  # its beginning is not known
    assert agreement(FALLING, {"val_loss": (1.0, 1.0, 1.0, 1.0)}) is None  # a loss itself
    assert agreement((2.3,) * 200, {"val_acc": (0.3, 0.3, 0.3, 0.3)}) is None  # the loss stands too


def test_short_programs_are_not_copied_and_those_without_a_loader_are_only_grown() -> None:
    assert not CeilingPlan()(Known(Trial(name="program", losses=(1.0,) * 5), finished=True, by_loader=True))
    bare = CeilingPlan()(Known(Trial(name="program", losses=(1.0,) * 50), finished=True))
    assert [order.name for order in bare] == ["wider", "deeper"]
    assert len(CeilingPlan(Oracle("a", "b:c"))(known(1.0, 0.1))) == 7
