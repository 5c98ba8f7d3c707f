"""How low the loss can get, from levels that are known."""

from firstlight.lab.ceiling import answer, plan
from firstlight.lab.copies import Known, Trial
from firstlight.records.flows import ReachSeen
from firstlight.records.places import Site


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


def test_a_model_that_learns_its_batch_is_not_what_limits() -> None:
    assert "more than it has learnt" in answer(known(1.0, 0.01), (), 0, ("t.py",)).answer


def test_a_program_as_low_as_its_batch_is_limited_by_size() -> None:
    assert "its size limits it" in answer(known(0.5, 0.45), (), 0, ("t.py",)).answer


def test_a_batch_that_cannot_be_learnt_is_said_so() -> None:
    told = answer(known(2.29, 2.28), (reach(0.0, 0.01),), 0, ("t.py",)).answer
    assert "cannot even learn one batch" in told
    assert "no better than without looking" in told


def test_an_activation_in_the_way_is_named_with_its_line() -> None:
    told = answer(known(1.5, 1.4), (reach(0.0, 1.3),), 0, ("t.py",)).answer
    assert "`sigmoid` (m.py:7) is the ceiling" in told


def test_short_programs_are_not_copied() -> None:
    assert not plan(Known(Trial(name="program", losses=(1.0,) * 5), finished=True, by_loader=True))
    assert not plan(Known(Trial(name="program", losses=(1.0,) * 50), finished=True))
    assert len(plan(known(1.0, 0.1))) == 4
