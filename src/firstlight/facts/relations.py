"""Relations in the data, as checks take them. Where an experiment declares its data, what its probes read counts."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from firstlight.facts.flows import alike, levellings
from firstlight.facts.learning import rate_rises
from firstlight.facts.sightings import Sightings, groups
from firstlight.facts.standing import BELOW
from firstlight.records.declared import LabelsSeen, LagSeen
from firstlight.records.flows import Levelling, Place
from firstlight.records.learning import CERTIFIED, LearningSign
from firstlight.records.relations import Lag, Relations, RelationsSeen
from firstlight.records.timelines import Dependence
from firstlight.records.training import StepSeen

LEAST_STEPS = 3
"""At which the answer lay at the same offset in the input."""
BY_CHANCE = 4.0
"""Deviations within which answers have nothing to do with their examples: that they conflict is the least of it."""
MOST_SHARE = 0.75
"""Of the steps at which it was looked for."""


def _lasts(seen: Sightings) -> list[RelationsSeen]:
    """The last of each line."""
    return [told[-1] for told in groups(seen.of(RelationsSeen), lambda one: (one.rank, one.meeting))]


def relations(seen: Sightings) -> Iterator[Relations]:
    levelled = max((one.after - one.before for one in levellings(seen) if one.of == "inputs"), default=0.0)
    for one in _lasts(seen):
        signs = [sign for sign in seen.of(LearningSign) if sign.rank == one.rank and sign.meeting == one.meeting]
        learnt = bool(signs) and signs[-1].status == CERTIFIED
        unlearnt = signs[-1].steps if signs and not learnt else 0
        warming = rate_rises([step for step in seen.of(StepSeen) if step.rank == one.rank])
        yield Relations(seen=one, unlearnt=unlearnt, learnt=learnt, levelled=levelled, warming=warming)


def with_settled(facts: Sequence[Any]) -> list[Any]:
    """With what copies of the program have shown since of its learning, where they did."""
    learnt = {(one.rank, one.meeting) for one in facts if isinstance(one, LearningSign) and one.status == CERTIFIED}
    below = {(one.rank, one.meeting) for one in facts if isinstance(one, LearningSign) and one.reason == BELOW}

    def told(fact: Any) -> Any:
        if not isinstance(fact, Relations) or (fact.rank, fact.seen.meeting) not in learnt | below:
            return fact
        return replace(fact, learnt=(fact.rank, fact.seen.meeting) in learnt, unlearnt=0)

    return [told(fact) for fact in facts]


def levelled_in_datasets(seen: Sightings) -> Iterator[Levelling]:
    """What a dataset does to the examples that it keeps, where no call on tensors shows it."""
    for one in _lasts(seen):
        if one.stored.name:
            call = Place(operation=f"{one.stored.name}.__getitem__", site=one.stored.site)
            yield Levelling(rank=one.rank, call=call, looks=1, step=one.step, before=0.0, after=0.0, stored=one.stored)


def lags(seen: Sightings) -> Iterator[LagSeen]:
    if any(seen.all_of(LagSeen)):
        return
    asked = tuple(seen.of(Dependence))
    causal = [dependence.others == 0 for dependence in asked if dependence.kind == "same"]
    for one in _lasts(seen):
        if one.lag is not None and _steady(one.lag) and not (_goes_on(one.lag, asked) or _is_next(one.lag, asked)):
            yield LagSeen(
                rank=one.rank,
                length=one.lag.length,
                places=one.lag.places,
                offset=one.lag.offset,
                whole_numbers=one.lag.whole_numbers,
                aligned=one.lag.aligned,
                feature=one.lag.feature,
                causal=causal[0] if causal else None,
                site=one.site,
            )


def _is_next(lag: Lag, asked: Sequence[Dependence]) -> bool:
    """The loss leaves out the first outputs and as many more of the answers: each is asked for the next id."""
    begun = {dependence.begins for dependence in asked if dependence.begins is not None}
    return lag.aligned and lag.offset - 1 in begun


def _goes_on(lag: Lag, asked: Sequence[Dependence]) -> bool:
    """Ids that are asked for at the last places of a model which answers place by place, each the next one: the answer
    after a prompt. Whether the model sees them is asked of it (`future-leaks`); until then, nothing is known."""
    ends = lag.offset + lag.places - lag.length
    if lag.aligned or not lag.whole_numbers or lag.offset < 1 or ends not in (0, 1):
        return False
    return not asked or any(dependence.kind == "future" for dependence in asked)


def foretold(facts: Iterable[Any]) -> float:
    """Deviations from luck of the best plain fit on any line, to answers that are the data's own; 0 where none is."""
    return max((one.seen.skills.deviations for one in facts if isinstance(one, Relations) and one.scored), default=0.0)


def _steady(lag: Lag) -> bool:
    return lag.steps >= LEAST_STEPS and lag.steps >= MOST_SHARE * lag.of


def conflicts(seen: Sightings) -> Iterator[LabelsSeen]:
    """Where the program itself makes its examples alike, equal inputs say nothing about the data."""
    if any(seen.all_of(LabelsSeen)) or any(alike(seen)):
        return
    for one in _lasts(seen):
        unrelated = one.near.examples > 0 and one.near.deviations < BY_CHANCE
        if one.answers == "classes" and not one.acting and not unrelated:
            yield LabelsSeen(
                rank=one.rank,
                train=one.examples,
                val=0,
                classes=one.classes,
                whole=False,
                unseen=(),
                unseen_classes=0,
                unseen_examples=0,
                repeated=one.repeats.repeated,
                conflicting=one.repeats.conflicting,
                pair=one.repeats.pair,
                room=one.repeats.room,
                site=one.site,
            )
