"""The split is fixed by names, and the halves share neither a program nor a mutation."""

from collections import Counter
from dataclasses import replace

from tests.zoo.conftest import MakeProgram, replacing
from zoo.split import half_of, half_of_mutation, half_of_program

MUTATION = replacing("a", "b")


def test_the_split_never_moves(make_program: MakeProgram) -> None:
    """These were computed once; a change of the hash would let what was tuned on into the report."""
    program = make_program()
    slugs = ("digits-cnn", "wine-notebook", "tiny-vit-digits", "maml-sinusoids", "ema-spirals")
    assert [half_of_program(replace(program, slug=slug)) for slug in slugs] == [
        "tune",
        "report",
        "report",
        "report",
        "report",
    ]
    names = ("zero-grad-removed-from-loop", "rate-of-zero", "misspelt", "one-step-more")
    assert [half_of_mutation(replace(MUTATION, name=name)) for name in names] == ["tune", "report", "report", "report"]


def test_a_mutant_is_in_a_half_only_with_both_its_parents(make_program: MakeProgram) -> None:
    program = make_program()
    for at in range(40):
        one, mutation = replace(program, slug=f"program-{at}"), replace(MUTATION, name=f"form-{at * 7 % 40}")
        halves = {half_of_program(one), half_of_mutation(mutation)}
        assert half_of(one, mutation) == (halves.pop() if len(halves) == 1 else None)


def test_programs_and_mutations_are_divided_evenly_and_independently(make_program: MakeProgram) -> None:
    program = make_program()
    names = [f"name-{at}" for at in range(2000)]
    pairs = Counter(
        (half_of_program(replace(program, slug=name)), half_of_mutation(replace(MUTATION, name=name))) for name in names
    )
    assert len(pairs) == 4
    assert all(abs(count - 500) < 100 for count in pairs.values())
