"""What holds for all mutations: names, causes, flows, and that each plants what it says and nothing elsewhere."""

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator

import pytest
from tests.zoo.mutations.conftest import BYSTANDER, SPECIMENS, source_of
from zoo import mutations
from zoo.mutations.catalogue import CATALOGUE
from zoo.mutations.source import Source
from zoo.programs import load_all
from zoo.records import Mutation, Planted

from firstlight.diagnosis.causes import BY_SLUG

FLOWS = {"values", "gradients", "influence", "updates", "answers", "life", "data"}
PLACES = {"loop", "helper", "class", "other-file", "data", "config", "framework", "api"}
# Causes that hardly any program has a place for, or that there is hardly another way to.
FEW_FORMS = {
    *("arch-shared", "data-leak-future", "data-leak-split", "data-leak-target", "data-outlier"),
    "data-tokenizer",
    *("pinn-bc", "pinn-scale", "rl-stale", "train-swallowed"),
}


def test_forms_are_named_once_and_in_kebab_case() -> None:
    names = [mutation.name for mutation in CATALOGUE]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) for name in names)


def test_causes_flows_and_places_are_known() -> None:
    assert {mutation.cause for mutation in CATALOGUE} <= set(BY_SLUG)
    assert {mutation.flow for mutation in CATALOGUE} == FLOWS
    assert {mutation.form for mutation in CATALOGUE} == PLACES


def test_each_form_says_in_a_sentence_what_was_done_wrong() -> None:
    says = [mutation.says for mutation in CATALOGUE]
    assert len(set(says)) == len(says)
    assert all(re.fullmatch(r"[A-Z`].*\.", sentence) for sentence in says)


def test_at_least_45_causes_have_150_forms_and_three_each_where_possible() -> None:
    forms = Counter(mutation.cause for mutation in CATALOGUE)
    assert len(forms) >= 45
    assert forms.total() >= 150
    assert {cause for cause, count in forms.items() if count < 3} <= FEW_FORMS


def test_every_family_is_in_the_catalogue() -> None:
    folder = SPECIMENS.parents[3] / "zoo" / "mutations"
    families = {path.stem for path in folder.glob("*.py") if "\nMUTATIONS = (" in path.read_text()}
    listed = re.findall(r"\*(\w+)\.MUTATIONS", (folder / "catalogue.py").read_text())
    assert sorted(listed) == sorted(families)
    assert mutations.__doc__


@pytest.mark.parametrize("mutation", CATALOGUE, ids=lambda mutation: mutation.name)
def test_a_mutation_plants_in_a_program_that_has_the_place(mutation: Mutation, specimens: list[Source]) -> None:
    planted = [(source, one) for source in specimens for one in mutation.plant(source)]
    assert planted
    for source, one in planted:
        assert_is_one_fault(source, one)
        for path, text in one.files.items():
            assert list(comments(path, text)) == list(comments(path, source.program.files[path]))


@pytest.mark.parametrize("mutation", CATALOGUE, ids=lambda mutation: mutation.name)
def test_a_mutation_refuses_a_program_that_does_not_train(mutation: Mutation) -> None:
    bystander = source_of(train=(SPECIMENS / f"{BYSTANDER}.txt").read_text())
    assert not list(mutation.plant(bystander))


def test_ids_are_unique_and_survive_edits_elsewhere(specimens: list[Source]) -> None:
    for source in specimens:
        text = source.program.files["train.py"]
        later = source_of(source.program.slug, train="# A comment.\n\n" + text, config_json='{"lr": 0.001}\n')
        for mutation in CATALOGUE:
            keys = [one.site.key for one in mutation.plant(source)]
            assert len(set(keys)) == len(keys)
            assert [one.site.key for one in mutation.plant(later)] == keys


def test_in_all_programs_each_mutant_is_one_fault_on_its_line() -> None:
    programs, _ = load_all()
    for program in programs:
        source = Source(program)
        for mutation in CATALOGUE:
            for one in mutation.plant(source):
                assert_is_one_fault(source, one)


def assert_is_one_fault(source: Source, planted: Planted) -> None:
    """The mutant parses, has all lines where they were, and differs on the line it names."""
    assert planted.site.file in planted.files
    for path, text in planted.files.items():
        before, after = source.program.files[path].split("\n"), text.split("\n")
        assert len(after) == len(before)
        assert after != before
        if path.endswith(".py"):
            ast.parse(text)
    changed = zip(
        source.program.files[planted.site.file].split("\n"), planted.files[planted.site.file].split("\n"), strict=True
    )
    assert planted.line in [number for number, (old, new) in enumerate(changed, 1) if old != new]


def comments(path: str, text: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline) if path.endswith(".py") else []:
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
