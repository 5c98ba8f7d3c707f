from typing import Any

from msgspec.structs import replace

from firstlight.checks.model.modules_in_plain_container import CHECK
from firstlight.records.census import Census, HiddenModules
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.sighting import Some

NONE = Some()
EDGES = Some(tensors=4, elements=129, names=("first.weight", "first.bias", "last.weight", "last.bias"))
LAYERS = HiddenModules(
    owner="DeepNet",
    attribute="hidden",
    container="list",
    parameters=Some(tensors=6, elements=3168, names=("hidden[0].weight", "hidden[0].bias")),
    site=Site(file="model.py", line=13),
)
HIDING = Census(
    step=120,
    rank=1,
    model=0,
    name="DeepNet",
    site=Site(file="train.py", line=34),
    steps=120,
    backwards=120,
    trainable=EDGES,
    frozen=NONE,
    optimized=EDGES,
    unoptimized=NONE,
    uncalled=NONE,
    cut_off=NONE,
    wasted=NONE,
    zero=NONE,
    hidden=(LAYERS,),
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(HIDING, **changes), CHECK.limits))


def test_names_the_attribute_and_what_it_hides() -> None:
    (evidence,) = found()

    assert evidence.saw == (
        "`DeepNet.hidden` is a plain list with 6 parameter tensors (3168 values) that no optimizer holds"
    )
    assert evidence.wanted == "an `nn.ModuleList`, which registers them"
    assert evidence.do == "wrap the list in `nn.ModuleList(…)`"
    assert (evidence.where.file, evidence.where.line, evidence.where.module) == ("model.py", 13, "DeepNet")
    assert (evidence.where.step, evidence.where.rank) == (120, 1)
    assert evidence.numbers == {"tensors": 6, "elements": 3168}


def test_a_dict_wants_a_module_dict() -> None:
    (evidence,) = found(hidden=(replace(LAYERS, container="dict"),))

    assert evidence.wanted == "an `nn.ModuleDict`, which registers them"


def test_without_its_line_the_model_is_pointed_at() -> None:
    (evidence,) = found(hidden=(replace(LAYERS, site=None),))

    assert (evidence.where.file, evidence.where.line) == ("train.py", 34)


def test_each_container_is_told() -> None:
    assert len(found(hidden=(LAYERS, replace(LAYERS, attribute="norms")))) == 2


def test_nothing_hidden_is_fine() -> None:
    assert found(hidden=()) == []
