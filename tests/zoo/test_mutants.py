"""Mutants have ids that survive edits, fingerprints that do not, and an order that is fair."""

from collections import Counter
from dataclasses import replace

from tests.zoo.conftest import TRAIN, MakeProgram, mutant_of, replacing
from zoo.mutants import Mutant, content_of, in_fair_order, mutants_of
from zoo.records import Planted, Program, Site

MUTATION = replacing("lr=0.5", "lr=5e4", name="rate-enormous", cause="hp-lr-high")


def test_an_id_names_program_mutation_and_place_and_survives_edits_elsewhere(make_program: MakeProgram) -> None:
    before = mutant_of(make_program(), MUTATION)
    after = mutant_of(replace(before.program, files={"train.py": "# A comment.\n" + TRAIN}), MUTATION)
    assert before.id == after.id == "tiny/rate-enormous/rate-enormous#0"
    assert before.planted.line != after.planted.line
    assert before.content != after.content


def test_the_fingerprint_is_of_program_command_and_planted_text(make_program: MakeProgram) -> None:
    program = make_program()
    mutant = mutant_of(program, MUTATION)
    other = Mutant(program, MUTATION, Planted(mutant.planted.site, {"train.py": "pass\n"}, 1))
    contents = {mutant.content, other.content, content_of(program)}
    assert len(contents) == 3
    assert content_of(replace(program, command=("train.py", "--fast"))) != content_of(program)
    assert content_of(replace(program, title="Another title", seconds=9.0)) == content_of(program)


def test_a_mutant_keeps_the_files_it_does_not_change(make_program: MakeProgram) -> None:
    program = make_program(train=TRAIN, model="WIDTH = 4\n")
    mutant = mutant_of(program, MUTATION)
    assert mutant.files["model.py"] == "WIDTH = 4\n"
    assert "lr=5e4" in mutant.files["train.py"]


def test_mutations_that_do_not_apply_plant_nothing(make_program: MakeProgram) -> None:
    elsewhere = replacing("no such text", "x", name="elsewhere")
    found = list(mutants_of([make_program()], (MUTATION, elsewhere)))
    assert [mutant.mutation.name for mutant in found] == ["rate-enormous"]


def crowd(program: Program) -> list[Mutant]:
    """Many mutants of one cause, few of two others."""
    sizes = {"loss-sign": 30, "hp-lr-low": 4, "train-mode": 2}
    mutants = []
    for cause, size in sizes.items():
        for at in range(size):
            mutation = replacing("x", "y", name=f"{cause}-{at % 3}", cause=cause)
            one = replace(program, slug=f"program-{at % 5}")
            mutants.append(Mutant(one, mutation, Planted(Site("train.py", 1, f"place#{at}"), {}, 1)))
    return mutants


def test_a_sample_has_causes_in_equal_parts_and_a_longer_one_contains_it(make_program: MakeProgram) -> None:
    mutants = crowd(make_program())
    ordered = in_fair_order(mutants)
    assert sorted(mutant.id for mutant in ordered) == sorted(mutant.id for mutant in mutants)
    assert Counter(mutant.mutation.cause for mutant in ordered[:6]) == {"loss-sign": 2, "hp-lr-low": 2, "train-mode": 2}
    assert len({mutant.mutation.name for mutant in ordered if mutant.mutation.cause == "loss-sign"}) == 3
    assert ordered == in_fair_order(reversed(mutants))


def test_within_a_cause_mutations_and_then_programs_take_turns(make_program: MakeProgram) -> None:
    only = [mutant for mutant in in_fair_order(crowd(make_program())) if mutant.mutation.cause == "loss-sign"]
    assert len({mutant.mutation.name for mutant in only[:3]}) == 3
    of_one = [mutant.program.slug for mutant in only if mutant.mutation.name == "loss-sign-0"]
    assert len(set(of_one[:5])) == 5
