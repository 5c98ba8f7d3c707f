import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.diagnosis.answer import Role, answer, credence
from firstlight.diagnosis.case import Case, Claim, Hint
from firstlight.diagnosis.engine import nothing_wrong, weigh
from firstlight.diagnosis.knowledge.catalogue import KNOWLEDGE

OBSERVATIONS = st.dictionaries(st.sampled_from(sorted(KNOWLEDGE.observation)), st.booleans(), max_size=8)


@given(observations=OBSERVATIONS, most=st.integers(min_value=1, max_value=8))
def test_there_is_always_a_likely_a_subtle_and_a_null(observations: dict[str, bool], most: int) -> None:
    suspects = answer(KNOWLEDGE, Case().observing(observations), most)
    by_role = {suspect.role: suspect for suspect in suspects if suspect.role is not Role.FURTHER}
    assert set(by_role) == {Role.LIKELY, Role.SUBTLE, Role.NULL}
    assert by_role[Role.LIKELY].category != by_role[Role.SUBTLE].category
    assert by_role[Role.NULL].category == "null"
    assert max(3, most) <= len(suspects) <= most + 3
    chances = [suspect.probability for suspect in suspects]
    assert chances == sorted(chances, reverse=True)
    assert len({suspect.cause for suspect in suspects}) == len(suspects)


def test_being_healthy_is_one_hypothesis() -> None:
    case = Case().observing({"loss-falls-steadily": True})
    nulls = [suspect for suspect in answer(KNOWLEDGE, case) if suspect.category == "null"]
    assert len(nulls) == 1
    assert nulls[0].probability == pytest.approx(nothing_wrong(KNOWLEDGE, weigh(KNOWLEDGE, case)))


def test_a_suspect_says_what_supports_it_and_what_to_do() -> None:
    case = Case().observing(
        {"loss-negative": True, "loss-rises-from-start": True, "init-gradient-far-too-small": False}
    )
    first = answer(KNOWLEDGE, case.claiming([Claim("loss-sign", 0.9, "FL205")]))[0]
    assert first.cause == "loss-sign"
    assert first.supported_by == (("loss-negative", True), ("loss-rises-from-start", True))
    assert first.opposed_by == ()
    assert first.because == ("FL205",)
    assert first.falsifier == "take one tiny step and compare the loss"
    assert first.fix.startswith("minimize")
    assert not first.verified


def test_a_suspect_says_what_opposes_it() -> None:
    case = Case().observing({"plateau-at-double-activation-floor": False, "overfits-one-batch": True})
    case = case.claiming([Claim("loss-double-activation", 0.9, "FL201")])
    first = answer(KNOWLEDGE, case)[0]
    assert first.opposed_by == (("plateau-at-double-activation-floor", False), ("overfits-one-batch", True))


def test_a_proven_cause_is_marked() -> None:
    first = answer(KNOWLEDGE, Case().repairing("sign-flipped", worked=True))[0]
    assert (first.cause, first.verified, first.credence) == ("loss-sign", True, "almost certain")


def settings(case: Case) -> bool:
    return next(suspect.withheld for suspect in answer(KNOWLEDGE, case, 10) if suspect.cause == "hp-lr-high")


RATE = Case().claiming([Claim("hp-lr-high", 0.8, "FL501")])


@pytest.mark.parametrize(("confidence", "withheld"), [(0.11, True), (0.05, False)])
def test_advice_on_settings_waits_for_open_bugs(confidence: float, withheld: bool) -> None:
    assert settings(RATE.claiming([Claim("train-swallowed", confidence, "x")])) is withheld


def test_a_proven_bug_is_no_longer_open() -> None:
    assert settings(RATE.claiming([Claim("train-no-zero-grad", 0.5, "x")]))
    assert not settings(
        RATE.claiming([Claim("train-no-zero-grad", 0.5, "x")]).repairing("zeroed-gradients", worked=True)
    )


def test_only_advice_on_settings_is_withheld() -> None:
    suspects = answer(KNOWLEDGE, RATE.claiming([Claim("train-mode", 0.5, "x")]))
    assert {suspect.category for suspect in suspects if suspect.withheld} == {"hp"}


@pytest.mark.parametrize(
    ("percent", "words"),
    [
        (100, "almost certain"),
        (95, "almost certain"),
        (94, "highly likely"),
        (80, "highly likely"),
        (79, "likely"),
        (60, "likely"),
        (59, "about even"),
        (40, "about even"),
        (39, "unlikely"),
        (20, "unlikely"),
        (19, "highly unlikely"),
        (5, "highly unlikely"),
        (4, "remote"),
        (0, "remote"),
    ],
)
def test_credences(percent: int, words: str) -> None:
    assert credence(percent / 100.0) == words


def test_a_check_that_found_nothing_speaks_against_its_cause() -> None:
    case = Case().observing({"cannot-overfit-one-batch": True})
    hints = [Hint("loss-double-activation", 0.1, "FL203 found nothing"), Hint("hp-lr-high", 20.0, "it explodes")]
    found = {suspect.cause: suspect for suspect in answer(KNOWLEDGE, case.hinting(hints), len(KNOWLEDGE.slugs))}
    doubted = found["loss-double-activation"]
    assert (doubted.because, doubted.doubted) == ((), ("FL203 found nothing",))
    assert (found["hp-lr-high"].because, found["hp-lr-high"].doubted) == (("it explodes",), ())
