from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.parameters_without_gradient import CHECK
from firstlight.records.census import Census
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site
from firstlight.records.sighting import Some

NONE = Some()
ENCODER = Some(tensors=4, elements=900, names=("see.0.weight", "see.0.bias", "see.2.weight", "see.2.bias"))

HEALTHY = Census(
    step=120,
    rank=1,
    model=0,
    name="SceneModel",
    site=Site(file="train.py", line=32),
    steps=120,
    backwards=120,
    trainable=Some(tensors=8, elements=1000, names=ENCODER.names),
    frozen=NONE,
    optimized=Some(tensors=8, elements=1000, names=ENCODER.names),
    unoptimized=NONE,
    uncalled=NONE,
    cut_off=NONE,
    wasted=NONE,
    zero=NONE,
    own_code=True,
)
CUT = {"cut_off": ENCODER, "cut_by": "detach", "cut_site": Site(file="model.py", line=15)}


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(HEALTHY, **changes), CHECK.limits))


def tensors(elements: int) -> Some:
    return Some(tensors=1, elements=elements, names=("spare.weight",))


def test_everything_with_a_gradient_is_fine() -> None:
    assert found() == []


def test_a_cut_is_named_with_its_line() -> None:
    (evidence,) = found(**CUT)

    assert evidence.saw == (
        "4 tensors (90% of `SceneModel`: see.0.weight, see.0.bias, see.2.weight, see.2.bias) ran, and no gradient "
        "reaches them: the graph is cut (`detach` at model.py:15)"
    )
    assert evidence.wanted == "a differentiable path from them to the loss"
    assert evidence.cause == "loss-detached"
    assert evidence.severity is Severity.ERROR
    assert (evidence.where.file, evidence.where.line, evidence.where.module) == ("model.py", 15, "see.0.weight")
    assert (evidence.where.step, evidence.where.rank) == (120, 1)


def test_a_cut_without_a_line_points_at_the_model() -> None:
    (evidence,) = found(cut_off=ENCODER)

    assert evidence.saw.endswith("the graph is cut")
    assert evidence.where.line == 32


def test_a_part_called_without_gradients_in_the_loop_is_a_warning() -> None:
    (evidence,) = found(blind=Some(tensors=2, elements=30, names=("AdamW[0]", "AdamW[1]")))

    assert "2 tensors that the optimizer holds" in evidence.saw
    assert (evidence.cause, evidence.severity, evidence.where.line) == ("loss-detached", None, 32)


def test_a_branch_computed_in_vain_is_a_warning() -> None:
    (evidence,) = found(wasted=ENCODER)

    assert "are computed and never reach the loss" in evidence.saw
    assert evidence.wanted == "every trained module's output used in the loss"
    assert evidence.severity is Severity.WARNING
    assert evidence.cause is None


def test_a_branch_wasted_in_a_library_is_a_note() -> None:
    (evidence,) = found(wasted=ENCODER, own_code=False)

    assert evidence.severity is Severity.NOTE


def test_a_head_that_is_switched_off_is_a_note() -> None:
    (evidence,) = found(uncalled=tensors(125))

    assert evidence.saw == "1 tensors (12% of `SceneModel`: spare.weight) belong to modules that are never called"
    assert evidence.wanted == "modules that are used, or removed"
    assert evidence.severity is Severity.NOTE
    assert evidence.confidence == 0.4


def test_three_reasons_are_three_pieces_of_evidence() -> None:
    assert len(found(**CUT, wasted=tensors(1), uncalled=tensors(1))) == 3


@pytest.mark.parametrize(("backwards", "times"), [(1, 0), (2, 0), (3, 1), (4, 1)])
def test_each_side_of_backwards(backwards: int, times: int) -> None:
    assert len(found(**CUT, backwards=backwards)) == times


@pytest.mark.parametrize(("elements", "severity"), [(9, Severity.NOTE), (10, Severity.WARNING), (11, Severity.WARNING)])
def test_each_side_of_share_for_wasted_parameters(elements: int, severity: Severity) -> None:
    (evidence,) = found(wasted=tensors(elements))

    assert evidence.severity is severity


@pytest.mark.parametrize(("elements", "severity"), [(9, Severity.NOTE), (10, Severity.ERROR), (11, Severity.ERROR)])
def test_each_side_of_share_for_cuts_in_a_library(elements: int, severity: Severity) -> None:
    (evidence,) = found(cut_off=tensors(elements), own_code=False)

    assert evidence.severity is severity


@pytest.mark.parametrize(
    ("elements", "own", "severity"),
    [(501, True, Severity.WARNING), (500, True, Severity.NOTE), (900, False, Severity.NOTE)],
)
def test_more_than_half_of_a_model_that_is_never_called_is_a_warning(
    elements: int, own: bool, severity: Severity
) -> None:
    (evidence,) = found(uncalled=tensors(elements), own_uncalled=own)
    assert evidence.severity is severity


def test_a_table_of_positions_that_is_left_out_is_told_where_the_tokens_are_looked_up() -> None:
    site = Site(file="model.py", line=40)
    places = Some(tensors=1, elements=64, names=("wpe.weight",))
    (evidence,) = found(places=places, tokens_site=site)

    assert evidence.cause == "arch-position"
    assert (evidence.where.file, evidence.where.line, evidence.where.module) == ("model.py", 40, "wpe.weight")
    assert found(places=places, tokens_site=site, own_code=False) == []


def test_a_backward_of_the_programs_own_is_another_fault() -> None:
    (evidence,) = found(**{**CUT, "cut_by": "Sign.backward"})

    assert evidence.cause == "loss-gradient"
    assert evidence.likely == "a `backward` that gives zeros, whatever gradient it is given"
    assert evidence.saw.endswith("no gradient reaches them: the graph is cut (`Sign.backward` at model.py:15)")
