from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.facts.derive import derive
from firstlight.facts.relations import foretold, with_settled
from firstlight.facts.standing import BELOW
from firstlight.records.declared import LabelsSeen, LagSeen
from firstlight.records.learning import LearningSign
from firstlight.records.places import Site
from firstlight.records.relations import Lag, Neighbours, Relations, RelationsSeen, Repeats, Skills
from firstlight.records.taped import LevelledSeen
from firstlight.records.timelines import Dependence

SITE = Site(file="train.py", line=9)
LAG = Lag(offset=0, length=12, places=12, whole_numbers=True, aligned=True, feature=0, steps=8, of=8)
SEEN = RelationsSeen(
    step=60,
    site=Site(file="train.py", line=5),
    meeting=SITE,
    examples=300,
    met=900,
    answers="classes",
    classes=3,
    lag=LAG,
    repeats=Repeats(repeated=600, conflicting=8, pair=(0, 2), room=90.0),
)


def facts(*records: Any, kind: type) -> list[Any]:
    return [fact for fact in derive(records) if isinstance(fact, kind)]


def sign(line: int, status: str) -> LearningSign:
    return LearningSign(
        step=60, status=status, reason="", site=None, meeting=Site(file="train.py", line=line), steps=60, fresh=60
    )


def test_relations_stand_beside_the_certificate_of_their_own_line() -> None:
    early, late, other = sign(9, "not-certified"), sign(9, "certified"), sign(30, "no-sign")

    assert facts(SEEN, early, other, kind=Relations) == [Relations(seen=SEEN, unlearnt=60)]
    assert facts(SEEN, early, late, other, kind=Relations) == [Relations(seen=SEEN, learnt=True)]
    assert facts(SEEN, kind=Relations) == [Relations(seen=SEEN)]


def test_what_copies_have_shown_since_of_its_learning_counts() -> None:
    known = Relations(seen=SEEN, unlearnt=60)
    better = replace(sign(9, "not-certified"), reason=BELOW)

    assert with_settled([sign(9, "certified"), known])[1] == Relations(seen=SEEN, learnt=True)
    assert with_settled([better, known])[1] == Relations(seen=SEEN)
    assert with_settled([sign(30, "certified"), sign(9, "no-sign"), known])[2] == known


def test_relations_stand_beside_what_the_program_makes_of_its_inputs() -> None:
    look = LevelledSeen(step=1, operation="clamp", site=SITE, before=0.25, after=1.0)

    assert facts(SEEN, look, kind=Relations) == [Relations(seen=SEEN, levelled=0.75)]


def test_a_lag_is_causal_where_a_copy_of_the_program_was_asked() -> None:
    asked = Dependence(step=0, kind="same", site=None, own=True, others=0, of=5)

    (alone,) = facts(SEEN, kind=LagSeen)
    (both,) = facts(SEEN, asked, kind=LagSeen)

    assert (alone.offset, alone.causal, alone.site) == (0, None, SEEN.site)
    assert both.causal is True


def test_a_lag_must_be_steady() -> None:
    def told(steps: int, of: int) -> bool:
        lag = Lag(offset=1, length=9, places=9, whole_numbers=True, aligned=True, feature=0, steps=steps, of=of)
        return bool(facts(replace(SEEN, lag=lag), kind=LagSeen))

    assert (told(3, 4), told(2, 2), told(5, 8)) == (True, False, False)


@pytest.mark.parametrize(
    ("asked", "offset", "whole", "told"),
    [
        ((), 9, True, False),
        (("examples", "future"), 9, True, False),
        (("examples", "future"), 8, True, False),
        (("examples",), 9, True, True),
        (("examples", "positions"), 8, True, True),
        (("examples", "future"), 7, True, True),
        (("examples", "future"), 9, False, True),
    ],
    ids=[
        "not known yet",
        "the next place",
        "the labels among the inputs",
        "no answers by place",
        "answers by place that are not the next",
        "a window that ends before the input",
        "a series of numbers",
    ],
)
def test_the_answer_after_a_prompt_is_no_window(asked: tuple[str, ...], offset: int, whole: bool, told: bool) -> None:
    lag = Lag(offset=offset, length=17, places=9, whole_numbers=whole, aligned=False, feature=0, steps=8, of=8)
    known = [Dependence(step=0, kind=kind, site=None, own=True, others=0, of=5) for kind in asked]

    assert bool(facts(replace(SEEN, lag=lag), *known, kind=LagSeen)) is told


def test_conflicts_of_a_run_are_told_unless_the_experiment_declares_its_data() -> None:
    (found,) = facts(SEEN, kind=LabelsSeen)
    acting = replace(SEEN, acting=True)
    unrelated = replace(SEEN, near=Neighbours(examples=300, deviations=0.3))
    related = replace(SEEN, near=Neighbours(examples=300, deviations=30.0))

    assert (found.conflicting, found.train, found.site) == (8, 300, SEEN.site)
    assert facts(SEEN, found, kind=LabelsSeen) == [found]
    assert facts(acting, kind=LabelsSeen) == facts(unrelated, kind=LabelsSeen) == []
    assert len(facts(related, kind=LabelsSeen)) == 1


def test_the_best_plain_fit_to_answers_of_the_data_counts() -> None:
    lines = [Relations(seen=replace(SEEN, skills=Skills(rows=640, plain=plain))) for plain in (0.2, 0.7)]
    own = Relations(seen=replace(SEEN, skills=Skills(rows=640, plain=0.9), acting=True))

    assert foretold([*lines, own, "another fact"]) == pytest.approx(0.7 * 640**0.5)
    assert foretold([own, Relations(seen=SEEN)]) == 0.0


@pytest.mark.parametrize(("begins", "told"), [(0, True), (1, False), (None, True)])
def test_what_is_asked_two_places_later_of_outputs_that_begin_one_later_is_the_next(
    begins: int | None, told: bool
) -> None:
    shifted = replace(LAG, offset=2, length=31, places=30, whole_numbers=True, aligned=True)
    asked = Dependence(step=0, kind="future", site=None, own=True, others=0, of=9, begins=begins)

    assert bool(facts(replace(SEEN, lag=shifted), asked, kind=LagSeen)) is told
