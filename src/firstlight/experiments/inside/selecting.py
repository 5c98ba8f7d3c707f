"""By which numbers a program chooses what it keeps and when its rate falls, and what these numbers are."""

import functools
import linecache
import re
from collections.abc import Iterator
from typing import Any

import torch

from firstlight.experiments.inside import choosing
from firstlight.experiments.inside.choosing import Choosing
from firstlight.experiments.inside.measured import MeasuredLosses
from firstlight.experiments.inside.shortening import prelude
from firstlight.experiments.inside.shortening.comparisons import MOST_VALUES, Comparison, Comparisons
from firstlight.observe.inside import sites
from firstlight.observe.inside.observer import Observer, rank
from firstlight.records.places import Site
from firstlight.records.selection import Selection

MOST_PLATEAUS = 8
LEAST_TIMES = 2
GIVEN = re.compile(r"\.step\((?:metrics\s*=\s*)?([^,]+?)(?:,[^()]*)?\)\s*(?:#.*)?$")


class Selecting:
    def __init__(self, observer: Observer, compared: Comparisons) -> None:
        self.observer, self.compared = observer, compared
        self.measured = MeasuredLosses(observer)
        self._plateaus: dict[int, tuple[Site, Comparison]] = {}
        self.choosing = Choosing(observer, compared)
        compared.names = self.measured.names

    def seen(self) -> Iterator[Selection]:
        for one in self.compared.found:
            if one.times:
                yield self._selection("kept", sites.site_of(one.file, one.line), one)
        for site, one in self._plateaus.values():
            yield self._selection("plateau", site, one)
        for made_at, one in self.choosing:
            yield self._selection("kept", made_at, one)

    def chooses(self, site: Site | None) -> bool:
        """Whether the line lies in a branch that a comparison opens."""
        return site is not None and any(
            one.line <= site.line <= one.last and (place := sites.site_of(one.file, 0)) and place.file == site.file
            for one in self.compared.found
        )

    def _selection(self, kind: str, site: Site | None, one: Comparison) -> Selection:
        return Selection(
            step=self.observer.step,
            rank=rank(),
            kind=kind,
            site=site,
            metric=one.metric,
            best=one.best,
            larger=one.larger,
            measures=measures(one),
            met=tuple(one.met),
            against=tuple(one.against),
            times=one.times,
            kept=one.kept,
            noted=one.noted,
            itself=one.itself,
        )

    def plateau_asked(self, schedule: Any, metric: Any) -> None:
        site = sites.caller()
        if id(schedule) not in self._plateaus:
            if site is None or len(self._plateaus) >= MOST_PLATEAUS:
                return
            self._plateaus[id(schedule)] = (site, _plateau(schedule, site))
        one = self._plateaus[id(schedule)][1]
        one.times += 1
        if len(one.met) < MOST_VALUES:
            one.met.append(float(metric))
            one.against.append(float(schedule.best))
            one.known.append(self.measured.names(float(metric)))


def measures(one: Comparison) -> str:
    """What the number was, every time; nothing where it never changed, or could be several things."""
    common = frozenset.intersection(*one.known) if one.known else frozenset()
    common -= {"score"} if "accuracy" in common else set()  # which is one
    certain = len(common) == 1 and len(one.known) >= LEAST_TIMES and len(set(one.met)) > 1
    return next(iter(common)) if certain else ""


def _plateau(schedule: Any, site: Site) -> Comparison:
    line = linecache.getline(site.file, site.line).strip()
    found = GIVEN.search(line)
    metric = found.group(1) if found else ""
    return Comparison(site.file, site.line, metric, "best", max, True, schedule.mode == "max", when=True)


def follow(selecting: Selecting) -> None:
    observer, measured = selecting.observer, selecting.measured
    observer.chooses = selecting.chooses
    measured.arithmetic = prelude.computed
    prelude.computed.share = observer.shielded("averages", measured.divided)
    prelude.computed.arrays = observer.shielded("measured", measured.arrays)
    asked = observer.shielded("selecting", selecting.plateau_asked)
    kind: Any = torch.optim.lr_scheduler.ReduceLROnPlateau
    original = kind.step

    @functools.wraps(original)
    def step(self: Any, metrics: Any, *arguments: Any, **options: Any) -> Any:
        asked(self, metrics)
        return original(self, metrics, *arguments, **options)

    kind.step = step
    prelude.computed.pairs = measured.pairs
    for tap in (measured.scoring, measured.gathered):
        for moment in (observer.moments.batch_given, observer.moments.batch_asked):
            moment.append(observer.unable_to_raise("measured", tap.batch_given))
    observer.moments.model_returned.append(observer.unable_to_raise("measured", measured.returned))
    observer.moments.step_begins.append(observer.unable_to_raise("measured", measured.step_begins))
    choosing.follow(selecting.choosing)
