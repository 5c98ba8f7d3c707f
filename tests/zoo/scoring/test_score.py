"""A score of made-up judgements, counted by hand."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.zoo.conftest import MakeProgram, replacing
from zoo.mutants import Mutant, content_of
from zoo.records import Planted, Program, Site
from zoo.running import Outcome
from zoo.scoring import history
from zoo.scoring.case import Case, HealthyCase
from zoo.scoring.circumstances import Circumstances
from zoo.scoring.gather import choose
from zoo.scoring.judging import Claim, Judgement, Place
from zoo.scoring.page import page
from zoo.scoring.score import THE_REST, score
from zoo.split import half_of_program
from zoo.verified import Entry, Verified

CLEAN = Judgement("clean", None, (), 4.0)
SIGN = Judgement("ill", Claim("loss-sign", 0.95), (Place("train.py", 10),), 8.0)
RATE = Judgement("warn", Claim("hp-lr-high", 0.6), (), 8.0)
MADE = Circumstances("2026-01-01", "abc", "def", "2 cores", "check", "report", None)


def mutant(program: Program, cause: str = "loss-sign", line: int = 10, key: str = "place#0") -> Mutant:
    mutation = replacing("x", "y", name=f"{cause}-planted", cause=cause)
    return Mutant(program, mutation, Planted(Site("train.py", line, key), {}, line))


def case(program: Program, said: Judgement, cause: str = "loss-sign", twin: Judgement = CLEAN, line: int = 10) -> Case:
    return Case(mutant(program, cause, line), said, twin, plain_seconds=2.0)


def test_a_case_is_graded_by_verdict_first_cause_and_line(make_program: MakeProgram) -> None:
    program = make_program()
    graded = {
        "right": case(program, SIGN),
        "wrong cause": case(program, RATE),
        "missed": case(program, CLEAN),
        "unjudged": case(program, Judgement("unjudged", None, (), 1.0)),
        "said of the twin too": case(program, SIGN, twin=RATE),
    }
    grades = {name: (one.caught, one.right, one.line_right) for name, one in graded.items()}
    assert grades == {
        "right": (True, True, True),
        "wrong cause": (True, False, False),
        "missed": (False, False, False),
        "unjudged": (False, False, False),
        "said of the twin too": (False, False, False),
    }


def test_a_case_comes_to_one_end(make_program: MakeProgram) -> None:
    program = make_program()
    named = ("hp-lr-high", "loss-sign")
    ends = [
        (case(program, SIGN), "right cause first"),
        (case(program, replace(RATE, named=named)), "caught, the right cause further down"),
        (case(program, RATE), "caught, the right cause not named"),
        (case(program, SIGN, twin=RATE), "alarmed, and its healthy twin too"),
        (case(program, Judgement("unjudged", None, (), 1.0)), "no verdict"),
        (case(program, replace(CLEAN, named=named)), "clean, the right cause in a note"),
        (case(program, replace(CLEAN, certified=True)), "clean, and certified to learn"),
        (case(program, CLEAN), "clean, and not certified to learn"),
    ]
    assert [one.end for one, _ in ends] == [end for _, end in ends]
    found = score([one for one, _ in ends] + [ends[0][0]], [])
    assert found.ends[0] == ("right cause first", 2)
    assert sum(count for _, count in found.ends) == len(ends) + 1


@pytest.mark.parametrize(("line", "right"), [(6, False), (7, True), (13, True), (14, False)])
def test_three_lines_around_still_point_at_the_fault(make_program: MakeProgram, line: int, right: bool) -> None:
    assert case(make_program(), SIGN, line=line).line_right is right


def test_the_sums_are_those_of_the_cases(make_program: MakeProgram) -> None:
    one = make_program("one")
    other = replace(one, slug="other", domain="text")
    cases = [case(one, SIGN), case(one, RATE), case(other, CLEAN), case(other, RATE, cause="hp-lr-high")]
    healthy = [HealthyCase(one, CLEAN, 2.0), HealthyCase(other, RATE, 1.0), HealthyCase(other, SIGN, 4.0)]
    found = score(cases, healthy)
    assert (found.whole.caught.hits, found.whole.right.hits, found.whole.line_right.hits) == (3, 2, 1)
    assert (found.right_of_caught.hits, found.right_of_caught.total) == (2, 3)
    assert (found.false_alarms.hits, found.nags.hits, found.false_alarms.total) == (1, 1, 3)
    assert (found.unjudged.hits, found.unjudged.total) == (0, 7)
    assert found.programs == 2
    assert (found.calibration.certain, found.calibration.certain_right) == (2, 1)
    assert (found.healthy_times.seconds, found.healthy_times.ratio) == (8.0, 2.0)
    assert (found.mutant_times.seconds, found.mutant_times.ratio) == (8.0, 4.0)


def test_small_groups_are_put_together(make_program: MakeProgram) -> None:
    program = make_program()
    cases = [case(program, SIGN)] * 5 + [case(program, RATE, cause="hp-lr-high")] * 4
    groups = score(cases, []).groups["cause"]
    assert [(group.name, group.caught.total) for group in groups] == [("loss-sign", 5), (THE_REST, 4)]


def test_the_page_names_no_program_mutation_or_place(make_program: MakeProgram) -> None:
    program = make_program("secret-program")
    found = score([case(program, CLEAN)] * 6, [HealthyCase(program, RATE, 2.0)])
    row = history.row_of(found, MADE)
    text = page(found, MADE, [row])
    for secret in ("secret-program", "loss-sign-planted", "place#0", "train.py"):
        assert secret not in text
    assert "| mutants caught | 0.0% (0% to 0%) | 0 of 6, of 1 programs |" in text
    assert "| loss-sign | 6 | 0.0% (0% to 0%)" in text
    assert "| 2026-01-01 | abc | report | check | 6 | 0.0% | 0.0% | 0 / 1 of 1 |" in text


def test_history_is_kept_in_order(make_program: MakeProgram, tmp_path: Path) -> None:
    path = tmp_path / "history.json"
    assert history.load(path) == []
    found = score([case(make_program(), SIGN)], [])
    rows = [history.row_of(found, replace(MADE, date=date)) for date in ("1", "2")]
    history.save(rows, path)
    assert history.load(path) == rows


def test_only_kept_mutants_of_healthy_programs_of_the_half_are_chosen(make_program: MakeProgram) -> None:
    program = next(
        one for at in range(99) if half_of_program(one := replace(make_program(f"p-{at}"), slug=f"p-{at}")) == "tune"
    )
    named = [mutant(program, f"cause-{at}", key=f"{at}") for at in range(40)]
    own = [one for one in named if one.half == "tune"]
    runs = (Outcome("number", 0.5, 1.0),)
    known = Verified(
        {program.slug: Entry(content_of(program), True, "healthy", runs)},
        {one.id: Entry(one.content, at != 0, "", runs) for at, one in enumerate(own)},
    )
    everything = choose([program], named, known, "tune", None)
    assert {one.id for one in everything.mutants} == {one.id for one in own[1:]}
    assert everything.programs == (program,)
    sample = choose([program], named, known, "tune", 3)
    assert sample.mutants == everything.mutants[:3]
    assert choose([program], named, known, "report", None).programs == ()
    known.programs[program.slug] = replace(known.programs[program.slug], kept=False)
    assert choose([program], named, known, "tune", None).mutants == ()
