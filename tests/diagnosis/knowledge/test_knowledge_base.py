"""Knowledge is a value: parts are added, and two that disagree are refused by name."""

import math

import pytest

from firstlight.diagnosis.case import Case
from firstlight.diagnosis.causes import Cause
from firstlight.diagnosis.engine import weigh
from firstlight.diagnosis.knowledge.catalogue import KNOWLEDGE
from firstlight.diagnosis.knowledge.declare import Advice, Context, Experiment, Level, Link, Observation
from firstlight.diagnosis.knowledge.knowledge_base import KnowledgeBase
from firstlight.errors import UsageError

MOON = Cause("data-moon", "data", "trained at full moon", 0.05)
EXTRA = KnowledgeBase(
    name="lunar",
    causes=(MOON,),
    observations=(Observation("wolves-howl", "wolves howl", rate=0.01, group="night", very_likely="data-moon"),),
    links=(Link(observation="loss-oscillates", level=Level.VERY_LIKELY, causes="data-moon"),),
    experiments=(Experiment(slug="wait-a-week", does="wait", cost=9.0, yields=("wolves-howl",), repairs="data-moon"),),
    advice=(Advice("data-moon", "look up", "wait"),),
    contexts=(Context("at-night", times=(("data-moon", 3.0),)),),
)


def small(observation: Observation) -> KnowledgeBase:
    causes = (Cause("a-one", "a", "one"), Cause("a-two", "a", "two"))
    return KnowledgeBase(name="small", causes=causes, observations=(observation,))


def row(**lists: str) -> Observation:
    return Observation("seen", "seen", rate=0.1, group="g", **lists)


def test_a_plug_in_adds_causes_rows_and_experiments() -> None:
    both = KNOWLEDGE + EXTRA
    assert both.problems() == ()
    assert both.name == "firstlight + lunar"
    belief = weigh(both, Case().observing({"wolves-howl": True, "loss-oscillates": True}))
    assert belief.ranked[0] == "data-moon"
    assert math.isclose(sum(belief.shares.values()), 1.0)


def test_wildcards_reach_the_causes_of_a_plug_in() -> None:
    assert (KNOWLEDGE + EXTRA).table["learns-synthetic-data-only"].levels["data-moon"] is Level.VERY_LIKELY


def test_the_sum_leaves_both_parts_as_they_were() -> None:
    before = KNOWLEDGE.slugs
    _ = KNOWLEDGE + EXTRA
    assert KNOWLEDGE.slugs == before


@pytest.mark.parametrize(
    ("part", "kind", "slug"),
    [
        (KnowledgeBase(name="other", causes=(MOON,)), "cause", "data-moon"),
        (KnowledgeBase(name="other", observations=EXTRA.observations), "observation", "wolves-howl"),
        (KnowledgeBase(name="other", experiments=EXTRA.experiments), "experiment", "wait-a-week"),
        (KnowledgeBase(name="other", advice=EXTRA.advice), "advice", "data-moon"),
        (KnowledgeBase(name="other", contexts=EXTRA.contexts), "context", "at-night"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_clash_names_both_sides(part: KnowledgeBase, kind: str, slug: str) -> None:
    with pytest.raises(UsageError, match=rf"{kind} `{slug}` is declared by `lunar` and by `other`"):
        _ = EXTRA + part


def test_one_part_that_repeats_itself_is_refused() -> None:
    with pytest.raises(UsageError, match=r"cause `data-moon` is declared 2 times by `twice`"):
        KnowledgeBase(name="twice", causes=(MOON, MOON))


def test_exact_names_win_over_wildcards_and_long_ones_over_short() -> None:
    base = KnowledgeBase(
        name="small",
        causes=tuple(Cause(slug, "x", "x") for slug in ("data-a", "data-leak-a", "data-leak-b", "unknown")),
        observations=(row(very_likely="data-leak-a", likely="data-leak-*", unlikely="*"),),
    )
    assert base.table["seen"].levels == {
        "data-leak-a": Level.VERY_LIKELY,
        "data-leak-b": Level.LIKELY,
        "data-a": Level.UNLIKELY,
    }


@pytest.mark.parametrize(
    ("observation", "message"),
    [
        (row(very_likely="a-one", likely="a-one"), "names `a-one` twice"),
        (row(very_likely="a-one a-one"), "names `a-one` twice"),
        (row(unlikely="a-three"), "names `a-three`, which is not a cause"),
        (row(unlikely="b-*"), r"names `b-\*`, which matches no cause"),
    ],
)
def test_a_row_that_is_wrong_says_what(observation: Observation, message: str) -> None:
    base = small(observation)
    assert len(base.problems()) == 1
    with pytest.raises(UsageError, match=message):
        _ = base.table


def test_a_link_may_not_repeat_the_row() -> None:
    again = KnowledgeBase(
        name="again", links=(Link(observation="loss-oscillates", level=Level.UNLIKELY, causes="hp-lr-high"),)
    )
    assert any("names `hp-lr-high` twice" in problem for problem in (KNOWLEDGE + again).problems())


def test_a_part_alone_tells_what_it_lacks() -> None:
    part = KnowledgeBase(
        name="part",
        links=(Link(observation="nowhere", level=Level.LIKELY, causes="x"),),
        experiments=(Experiment(slug="try", does="try", cost=1.0, yields=("nothing",), repairs="none-such"),),
        advice=(Advice("none-such", "a", "b"),),
        contexts=(Context("odd", times=(("none-such", 2.0),)),),
    )
    assert len(part.problems()) == 5
