from typing import Any

from msgspec.structs import replace

from firstlight.checks.model.modules_repeated import CHECK
from firstlight.records.census import Census, RepeatedModule
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.sighting import Some

NONE = Some()
EDGES = Some(tensors=4, elements=129, names=("first.weight", "first.bias", "last.weight", "last.bias"))
BLOCKS = RepeatedModule(
    container="encoder.blocks",
    kind="ModuleList",
    module="Block",
    times=4,
    parameters=Some(tensors=2, elements=2352, names=("0.weight", "0.bias")),
    site=Site(file="model.py", line=13),
)
REPEATING = Census(
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
    repeated=(BLOCKS,),
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(REPEATING, **changes), CHECK.limits))


def test_names_the_container_and_counts_the_weights() -> None:
    (evidence,) = found()

    assert evidence.saw == "`encoder.blocks` holds one and the same `Block` 4 times: 2352 weights in all"
    assert evidence.wanted == "4 layers, each with its own weights, 9408 in all"
    assert evidence.do == "build each layer separately: `nn.ModuleList([… for _ in range(4)])`"
    assert (evidence.where.file, evidence.where.line, evidence.where.module) == ("model.py", 13, "encoder.blocks")
    assert (evidence.where.step, evidence.where.rank) == (120, 1)
    assert evidence.numbers == {"times": 4, "elements": 2352}


def test_a_sequence_is_not_told_to_be_a_list() -> None:
    (evidence,) = found(repeated=(replace(BLOCKS, kind="Sequential"),))

    assert evidence.do is None


def test_without_its_line_the_model_is_pointed_at() -> None:
    (evidence,) = found(repeated=(replace(BLOCKS, site=None),))

    assert (evidence.where.file, evidence.where.line) == ("train.py", 34)


def test_each_container_is_told() -> None:
    assert len(found(repeated=(BLOCKS, replace(BLOCKS, container="decoder.blocks")))) == 2


def test_nothing_repeated_is_fine() -> None:
    assert found(repeated=()) == []
