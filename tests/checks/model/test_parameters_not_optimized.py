from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.parameters_not_optimized import CHECK, listed
from firstlight.records.census import Census
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site
from firstlight.records.sighting import Some

BACKBONE = Some(
    tensors=4, elements=3424, names=("backbone.0.weight", "backbone.0.bias", "backbone.2.weight", "backbone.2.bias")
)
HEAD = Some(tensors=2, elements=165, names=("head.weight", "head.bias"))
NONE = Some()

REPLACED_HEAD = Census(
    step=100,
    rank=1,
    model=0,
    name="Network",
    site=Site(file="train.py", line=29),
    steps=100,
    backwards=100,
    trainable=Some(tensors=6, elements=3589, names=BACKBONE.names + HEAD.names),
    frozen=NONE,
    optimized=BACKBONE,
    unoptimized=HEAD,
    uncalled=NONE,
    cut_off=NONE,
    wasted=NONE,
    zero=NONE,
    strangers=Some(tensors=2, elements=3300, names=("AdamW[4]", "AdamW[5]")),
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(REPLACED_HEAD, **changes), CHECK.limits))


def test_counts_what_is_left_out_and_what_is_held_instead() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "2 of 6 trainable tensors of `Network` (5% of its parameters: head.weight, head.bias) get gradients "
        "and are in no optimizer; it holds 2 tensors that no model in use has"
    )
    assert evidence.wanted == "every trainable parameter in an optimizer, or frozen"
    assert evidence.likely == "the optimizer was created before a layer was replaced, or for another model"
    assert evidence.severity is None
    assert (evidence.where.file, evidence.where.line, evidence.where.module) == ("train.py", 29, "head.weight")
    assert (evidence.where.step, evidence.where.rank) == (100, 1)


def test_it_is_told_where_the_optimizer_is_made() -> None:
    (evidence,) = found(built=Site(file="train.py", line=70))

    assert evidence.where.line == 70


def test_an_optimizer_of_another_model_holds_only_strangers() -> None:
    (evidence,) = found(optimized=NONE, unoptimized=Some(tensors=6, elements=3589, names=HEAD.names))

    assert evidence.severity is None
    assert "6 of 6" in evidence.saw


def test_training_one_branch_alone_is_a_note() -> None:
    (evidence,) = found(optimized=HEAD, unoptimized=BACKBONE, strangers=NONE)

    assert evidence.severity is Severity.NOTE
    assert evidence.confidence == 0.6


@pytest.mark.parametrize(("elements", "severity"), [(1712, Severity.NOTE), (1713, Severity.WARNING)])
def test_one_branch_on_top_of_what_was_only_drawn_is_a_warning(elements: int, severity: Severity) -> None:
    drawn = Some(tensors=1, elements=elements, names=("backbone.0.weight",))

    (evidence,) = found(optimized=HEAD, unoptimized=BACKBONE, strangers=NONE, unoptimized_drawn=drawn)

    assert evidence.severity is severity
    assert ("backbone.0.weight still have their random initialization" in evidence.saw) is (
        severity is Severity.WARNING
    )


def test_leaving_out_a_part_of_several_branches_is_a_warning() -> None:
    both = Some(tensors=4, elements=3000, names=("backbone.0.weight", "neck.weight"))

    (evidence,) = found(optimized=both, strangers=NONE)

    assert evidence.severity is Severity.WARNING
    assert "it holds" not in evidence.saw


@pytest.mark.parametrize(
    "changes",
    [
        {"unoptimized": NONE},
        {"optimized": NONE, "strangers": NONE},
    ],
    ids=["everything is held", "no optimizer at all"],
)
def test_other_models_are_fine(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


def test_long_lists_name_the_first_and_count_the_rest() -> None:
    assert listed(Some(tensors=9, elements=90, names=("a", "b"))) == "a, b and 7 more"
    assert listed(HEAD) == "head.weight, head.bias"


def test_layers_that_join_a_training_under_way_are_told_at_their_line() -> None:
    (one,) = found(
        unoptimized=NONE, strangers=NONE, optimized=HEAD, joined=BACKBONE, joined_site=Site(file="train.py", line=112)
    )

    assert (one.where.line, one.severity) == (112, Severity.WARNING)
    assert "were unfrozen or added during training" in one.saw
    assert found(unoptimized=NONE, strangers=NONE, optimized=HEAD) == []


IN_PLACE_OF_ANOTHER: dict[str, Any] = {
    "optimized": NONE,
    "strangers": NONE,
    "unoptimized": Some(tensors=6, elements=3589, names=HEAD.names),
    "left": Some(tensors=6, elements=3589, names=("AdamW[0]",)),
}


def test_a_model_in_the_place_of_another_whose_tensors_the_optimizer_keeps() -> None:
    (one,) = found(**IN_PLACE_OF_ANOTHER, left_steps=10)

    assert "while the 6 tensors that the optimizers hold got none for the last 10 steps: nothing trains" in one.saw
    assert one.severity is None


def test_a_phase_without_gradients_is_shorter() -> None:
    assert found(**IN_PLACE_OF_ANOTHER, left_steps=9) == []


def test_in_a_rehearsal_a_few_steps_tell_and_the_line_that_made_it_is_named() -> None:
    anew = {**IN_PLACE_OF_ANOTHER, "unoptimized": NONE, "joined": Some(tensors=6, elements=3589, names=HEAD.names)}

    (one,) = found(**anew, left_steps=3, joined_site=Site(file="train.py", line=68))

    assert (one.where.line, one.severity, one.confidence) == (68, Severity.WARNING, 0.9)
    assert "got none for the last 3 steps" in one.saw
