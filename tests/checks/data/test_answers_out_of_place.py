from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.data.relating import found, related

from firstlight.checks.data.answers_out_of_place import CHECK
from firstlight.records.finding import Severity
from firstlight.records.relations import Neighbours, Places, Relations, Skills, Tells


def shifted(**changes: Any) -> Relations:
    usual = Neighbours(examples=1000, deviations=0.5, offset=1, offset_deviations=60.0)
    return related(near=replace(usual, **changes))


def mixed(unlearnt: int = 150, others: float = 0.02, **changes: Any) -> Relations:
    near = replace(Neighbours(examples=1000, deviations=0.5, could=40.0), **changes)
    return related(unlearnt=unlearnt, near=near, tells=Tells(of=10, others=others))


def placed(**changes: Any) -> Relations:
    usual = Places(steps=8, fit=0.1, best="1 places later", best_fit=0.6, share=1.0)
    return related(places=replace(usual, **changes))


def test_answers_of_the_next_row_are_told_with_their_offset() -> None:
    (evidence,) = found(CHECK, shifted())

    assert evidence.severity is Severity.ERROR
    assert evidence.saw.startswith("similar examples have similar labels 1 row further down (60 standard deviations")
    assert (evidence.where.file, evidence.where.line) == ("train.py", 20)


def test_and_so_are_those_of_another_row_of_the_dataset() -> None:
    there = Neighbours(examples=1000, deviations=0.5, offset=-7, offset_deviations=60.0)
    (evidence,) = found(CHECK, related(near=Neighbours(examples=1000, deviations=0.5), in_order=there))

    assert evidence.saw.startswith("similar examples have similar labels 7 rows further up (60 standard deviations")


@pytest.mark.parametrize(("own", "times"), [(3.9, 1), (4.0, 0), (float("nan"), 0)])
def test_each_side_of_by_chance(own: float, times: int) -> None:
    assert len(found(CHECK, shifted(deviations=own))) == times


@pytest.mark.parametrize(("there", "times"), [(9.9, 0), (10.0, 1)])
def test_each_side_of_certain(there: float, times: int) -> None:
    assert len(found(CHECK, shifted(offset_deviations=there))) == times


def test_answers_that_nothing_is_related_to_are_told_where_nothing_is_learnt() -> None:
    (evidence,) = found(CHECK, mixed())

    far = "(0.5 standard deviations from chance, where labels that belong to them could show 40), no feature"
    assert far in evidence.saw
    assert found(CHECK, mixed(unlearnt=0)) == []
    assert found(CHECK, replace(mixed(), seen=replace(mixed().seen, acting=True))) == []


def test_that_none_is_seen_among_names_says_nothing() -> None:
    """Of users and items: what is alike is what is to be learnt. Answers that fit those of another row do."""
    for one, times in ((mixed(), 0), (shifted(), 1)):
        assert len(found(CHECK, replace(one, seen=replace(one.seen, named=True)))) == times


@pytest.mark.parametrize(("levelled", "times"), [(0.49, 1), (0.5, 0), (float("nan"), 0)])
def test_nothing_is_said_of_data_whose_values_the_program_made_alike(levelled: float, times: int) -> None:
    assert len(found(CHECK, replace(mixed(), levelled=levelled))) == times


@pytest.mark.parametrize(("unlearnt", "times"), [(95, 0), (96, 1)])
def test_each_side_of_unlearnt(unlearnt: int, times: int) -> None:
    assert len(found(CHECK, mixed(unlearnt=unlearnt))) == times


@pytest.mark.parametrize(("examples", "times"), [(511, 0), (512, 1)])
def test_each_side_of_examples(examples: int, times: int) -> None:
    assert len(found(CHECK, mixed(examples=examples))) == times


@pytest.mark.parametrize(("could", "times"), [(9.9, 0), (10.0, 1), (float("nan"), 0)])
def test_answers_that_could_show_nothing_prove_nothing(could: float, times: int) -> None:
    assert len(found(CHECK, mixed(could=could))) == times


@pytest.mark.parametrize(("deviations", "times"), [(2.4, 1), (2.6, 0), (float("nan"), 0)])
def test_each_side_of_shown(deviations: float, times: int) -> None:
    assert len(found(CHECK, mixed(deviations=deviations, could=10.0))) == times


@pytest.mark.parametrize(("plain", "times"), [(0.49, 1), (0.5, 0), (float("nan"), 0)])
def test_answers_that_a_plain_fit_foretells_belong_to_their_rows(plain: float, times: int) -> None:
    assert len(found(CHECK, skilled(shifted(), plain=plain))) == times


def skilled(one: Relations, **skills: float) -> Relations:
    return replace(one, seen=replace(one.seen, skills=replace(Skills(rows=400), **skills)))


@pytest.mark.parametrize(
    ("skills", "times"),
    [
        ({"plain": 0.19}, 1),
        ({"plain": 0.2}, 0),
        ({"plain": float("nan")}, 0),
        ({"plain": 0.39, "common": 0.8}, 1),
        ({"plain": 0.41, "common": 0.8}, 0),
        ({"own": 0.49}, 1),
        ({"own": 0.5}, 0),
        ({"own": float("nan")}, 0),
    ],
)
def test_that_nothing_is_related_is_not_said_of_what_is_foretold(skills: dict[str, float], times: int) -> None:
    """By the program, be it by heart, or better than by luck by a plain fit: as with brackets that close, or not."""
    assert len(found(CHECK, skilled(mixed(), **skills))) == times


@pytest.mark.parametrize(("others", "times"), [(0.09, 1), (0.1, 0), (float("nan"), 0)])
def test_each_side_of_no_power(others: float, times: int) -> None:
    assert len(found(CHECK, mixed(others=others))) == times


@pytest.mark.parametrize(("fit", "times"), [(0.19, 1), (0.21, 0)])
def test_each_side_of_places(fit: float, times: int) -> None:
    assert len(found(CHECK, placed(fit=fit))) == times


@pytest.mark.parametrize(("best", "times"), [(0.29, 0), (0.3, 1)])
def test_each_side_of_told(best: float, times: int) -> None:
    assert len(found(CHECK, placed(fit=0.0, best_fit=best))) == times


@pytest.mark.parametrize(("share", "times"), [(0.24, 0), (0.25, 1)])
def test_each_side_of_share(share: float, times: int) -> None:
    assert len(found(CHECK, placed(kind="pixels", best="mirrored left to right", share=share))) == times


@pytest.mark.parametrize(("steps", "times"), [(3, 0), (4, 1)])
def test_each_side_of_steps(steps: int, times: int) -> None:
    assert len(found(CHECK, placed(steps=steps))) == times


def test_answers_in_place_are_fine() -> None:
    assert found(CHECK, related()) == []
    assert found(CHECK, placed(best="", share=0.0)) == []
