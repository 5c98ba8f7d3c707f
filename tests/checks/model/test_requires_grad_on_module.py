from typing import Any

from msgspec.structs import replace

from firstlight.checks.model.requires_grad_on_module import CHECK
from firstlight.records.census import Census
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.sighting import Some

NONE = Some()
ALL = Some(tensors=5, elements=5764, names=("embedding.weight", "classifier.0.weight"))
FLAGGED = Census(
    step=100,
    rank=1,
    model=0,
    name="TextClassifier",
    site=Site(file="train.py", line=33),
    steps=100,
    backwards=100,
    trainable=ALL,
    frozen=NONE,
    optimized=ALL,
    unoptimized=NONE,
    uncalled=NONE,
    cut_off=NONE,
    wasted=NONE,
    zero=NONE,
    flagged=("embedding", "classifier"),
    flag_site=Site(file="train.py", line=28),
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(FLAGGED, **changes), CHECK.limits))


def test_names_the_modules_and_counts_what_is_frozen() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "`requires_grad` is a plain attribute of the module(s) embedding, classifier; "
        "0 tensors of `TextClassifier` are frozen"
    )
    assert evidence.wanted == "`module.requires_grad_(True)` or `(False)`, which reaches the parameters"
    assert (evidence.where.file, evidence.where.line, evidence.where.module) == ("train.py", 28, "embedding")
    assert (evidence.where.step, evidence.where.rank) == (100, 1)


def test_without_its_line_the_model_is_pointed_at() -> None:
    (evidence,) = found(flag_site=None)

    assert evidence.where.line == 33


def test_no_such_attribute_is_fine() -> None:
    assert found(flagged=()) == []
