"""The knowledge as one value: combined with `+`, checked, and compiled into tables."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TypeVar

from firstlight.diagnosis.causes import Cause
from firstlight.diagnosis.knowledge.declare import Advice, Context, Experiment, Level, Link, Observation, Phrase, chance
from firstlight.errors import UsageError

T = TypeVar("T")
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Row:
    """One observation against all causes, in their order."""

    chances: tuple[float, ...]
    """Of being present, under each cause."""
    present: tuple[float, ...]
    """What its presence says for each cause: the logarithm of its likelihood against that on healthy runs."""
    absent: tuple[float, ...]
    levels: Mapping[str, Level]

    def of(self, present: bool) -> tuple[float, ...]:
        return self.present if present else self.absent


@dataclass(frozen=True)
class KnowledgeBase:
    """`name` says whose it is, for the message when two of them clash."""

    name: str
    causes: tuple[Cause, ...] = ()
    observations: tuple[Observation, ...] = ()
    links: tuple[Link, ...] = ()
    experiments: tuple[Experiment, ...] = ()
    advice: tuple[Advice, ...] = ()
    contexts: tuple[Context, ...] = ()
    phrases: tuple[Phrase, ...] = ()

    def __post_init__(self) -> None:
        for kind, slugs in self._named():
            for slug, count in Counter(slugs).items():
                if count > 1:
                    raise UsageError(f"{kind} `{slug}` is declared {count} times by `{self.name}`. Remove all but one.")

    def __add__(self, extra: "KnowledgeBase") -> "KnowledgeBase":
        _refuse_clashes(self, extra)
        return KnowledgeBase(
            name=f"{self.name} + {extra.name}",
            causes=self.causes + extra.causes,
            observations=self.observations + extra.observations,
            links=self.links + extra.links,
            experiments=self.experiments + extra.experiments,
            advice=self.advice + extra.advice,
            contexts=self.contexts + extra.contexts,
            phrases=self.phrases + extra.phrases,
        )

    def _named(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return (
            ("cause", tuple(one.slug for one in self.causes)),
            ("observation", tuple(one.slug for one in self.observations)),
            ("experiment", tuple(one.slug for one in self.experiments)),
            ("advice", tuple(one.cause for one in self.advice)),
            ("context", tuple(one.slug for one in self.contexts)),
        )

    def problems(self) -> tuple[str, ...]:
        """What is referred to and does not exist. A plug-in's part is complete only once it is added to ours."""
        return tuple(_problems(self))

    @cached_property
    def slugs(self) -> tuple[str, ...]:
        return tuple(cause.slug for cause in self.causes)

    @cached_property
    def cause(self) -> Mapping[str, Cause]:
        return _index(self.causes, lambda cause: cause.slug)

    @cached_property
    def observation(self) -> Mapping[str, Observation]:
        return _index(self.observations, lambda observation: observation.slug)

    @cached_property
    def experiment(self) -> Mapping[str, Experiment]:
        return _index(self.experiments, lambda experiment: experiment.slug)

    @cached_property
    def advice_for(self) -> Mapping[str, Advice]:
        return _index(self.advice, lambda advice: advice.cause)

    @cached_property
    def context(self) -> Mapping[str, Context]:
        return _index(self.contexts, lambda context: context.slug)

    @cached_property
    def table(self) -> Mapping[str, Row]:
        """Every observation's row. Raises when a row names what does not exist, or one cause twice."""
        return MappingProxyType({one.slug: self._row(one) for one in self.observations})

    def _row(self, observation: Observation) -> Row:
        levels = self._levels(observation)
        rate = observation.rate
        chances = [chance(levels.get(slug, Level.NEUTRAL), rate) for slug in self.slugs]
        return Row(
            chances=tuple(chances),
            present=tuple(math.log(one / rate) for one in chances),
            absent=tuple(math.log((1.0 - one) / (1.0 - rate)) for one in chances),
            levels=MappingProxyType(levels),
        )

    def _levels(self, observation: Observation) -> dict[str, Level]:
        """Exact names first, then wildcards, the longer before the shorter."""
        named = [*_words(observation.rows), *self._linked(observation.slug)]
        levels: dict[str, Level] = {}
        for word, level in named:
            if word.endswith("*"):
                continue
            if word not in self.cause:
                raise UsageError(f"observation `{observation.slug}` names `{word}`, which is not a cause.")
            if word in levels:
                raise UsageError(f"observation `{observation.slug}` names `{word}` twice.")
            levels[word] = level
        wild = sorted((one for one in named if one[0].endswith("*")), key=lambda one: -len(one[0]))
        for word, level in wild:
            found = self.matching(word)
            if not found:
                raise UsageError(f"observation `{observation.slug}` names `{word}`, which matches no cause.")
            for slug in found:
                levels.setdefault(slug, level)
        return levels

    def _linked(self, slug: str) -> Iterator[tuple[str, Level]]:
        for link in self.links:
            if link.observation == slug:
                yield from _words(((link.level, link.causes),))

    def matching(self, word: str) -> tuple[str, ...]:
        """The causes that a word stands for: itself, or all that begin like `data-*`; never `unknown`."""
        if not word.endswith("*"):
            return (word,) if word in self.cause else ()
        return tuple(slug for slug in self.slugs if slug.startswith(word[:-1]) and slug != UNKNOWN)


def _index(items: Iterable[T], key: Callable[[T], str]) -> Mapping[str, T]:
    return MappingProxyType({key(item): item for item in items})


def _words(rows: Iterable[tuple[Level, str]]) -> Iterator[tuple[str, Level]]:
    for level, words in rows:
        for word in words.split():
            yield word, level


def _refuse_clashes(mine: KnowledgeBase, theirs: KnowledgeBase) -> None:
    for (kind, ours), (_, others) in zip(mine._named(), theirs._named(), strict=True):
        for slug in sorted(set(ours) & set(others)):
            raise UsageError(f"{kind} `{slug}` is declared by `{mine.name}` and by `{theirs.name}`. Rename one.")


def _problems(base: KnowledgeBase) -> Iterator[str]:
    try:
        _ = base.table
    except UsageError as problem:
        yield str(problem)
    yield from _problems_of_experiments(base)
    for link in base.links:
        if link.observation not in base.observation:
            yield f"a link names `{link.observation}`, which is not an observation"
    for context in base.contexts:
        for word, _ in context.times + context.gives:
            if not base.matching(word):
                yield f"context `{context.slug}` names `{word}`, which is not a cause"
    for advice in base.advice:
        if advice.cause not in base.cause:
            yield f"advice names `{advice.cause}`, which is not a cause"


def _problems_of_experiments(base: KnowledgeBase) -> Iterator[str]:
    for experiment in base.experiments:
        for slug in experiment.yields:
            if slug not in base.observation:
                yield f"experiment `{experiment.slug}` yields `{slug}`, which is not an observation"
        if experiment.repairs is not None and experiment.repairs not in base.cause:
            yield f"experiment `{experiment.slug}` repairs `{experiment.repairs}`, which is not a cause"
