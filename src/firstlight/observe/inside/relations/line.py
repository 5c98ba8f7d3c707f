"""Examples whose answers met their predictions on one line, as they are kept for all that is asked of them."""

import weakref
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
import torch

from firstlight.observe.inside.relations.counting import RowsCounted
from firstlight.observe.inside.relations.ending import EndsCounted
from firstlight.observe.inside.relations.in_order import BatchPlaces, places_of
from firstlight.observe.inside.relations.keeping import AnswersKept
from firstlight.observe.inside.relations.mixing import MOST_ROWS, InputsMixed
from firstlight.observe.inside.relations.places import PlaceByPlace
from firstlight.observe.inside.relations.reached import LastCall
from firstlight.observe.inside.relations.sample import Sample
from firstlight.observe.inside.relations.series import AnswerSeries, series_of
from firstlight.observe.inside.relations.skill import OwnSkill
from firstlight.observe.inside.relations.standing import LoadedFrom
from firstlight.observe.inside.relations.turning import BatchesChanged
from firstlight.observe.inside.tape.tail import Meeting
from firstlight.records.places import Site
from firstlight.records.relations import Lag

MOST_LAGS = 8
"""Steps at which the answer is looked for in the inputs."""
MOST_FEATURES = 8


class MeetingLine:
    def __init__(self, site: Site | None, meeting: Site | None) -> None:
        self.site, self.meeting = site, meeting
        self.sample = Sample()
        self.places = PlaceByPlace()
        self.kept = AnswersKept()
        self.counted = RowsCounted()
        self.ends = EndsCounted()
        self.mixed = InputsMixed()
        self.changed = BatchesChanged()
        self.skill = OwnSkill()
        self.last: LastCall | None = None
        self.left_when_sure: float | None = None
        self.of_data = False
        """Its answers are the data's own."""
        self.asked = 0
        self.lags: list[Lag] = []
        self.loaded: tuple[weakref.ref[Any], BatchPlaces] | None = None
        """The loader of the examples, and where in its batches they and their answers are."""
        self.source: tuple[LoadedFrom, BatchPlaces] | None = None
        """What that loader has them from."""

    def add(self, inputs: list[torch.Tensor], meeting: Meeting, step: int, origin: Sequence[int]) -> None:
        self.sample.add(inputs, meeting.answer, step, origin)
        self.places.step(inputs, meeting.answer)
        if not any(given.shape == meeting.answer.shape for given in inputs if given.ndim > 1):
            self.skill.add(meeting, step, inputs)  # what gives its input back is held back on purpose

    def look_for_answer(self, given: list[torch.Tensor], answer: torch.Tensor) -> None:
        """Among all that is given, also where it is the answer itself: a causal model is then asked to copy."""
        if self.asked < MOST_LAGS:
            self._lag(given, answer)

    def open(self, step: int) -> bool:
        return not (self.sample.full and self.kept.settled(step))

    def follow(
        self, loader: "weakref.ref[Any] | None", given: torch.Tensor, answer: torch.Tensor, batch: list[torch.Tensor]
    ) -> None:
        if self.loaded is None and loader is not None:
            places = places_of(given, answer, batch)
            self.loaded = None if places is None else (loader, places)
            alive = loader()
            if places is not None and alive is not None and hasattr(alive, "dataset"):
                self.source = LoadedFrom(alive.dataset, alive.collate_fn), places

    @property
    def begun(self) -> bool:
        return self.sample.kept > 0 or self.kept.begun

    def _lag(self, inputs: list[torch.Tensor], answer: torch.Tensor) -> None:
        rows = next((len(t) for t in inputs if t.ndim in (2, 3)), 0)
        if rows > MOST_ROWS and len(answer) == rows:
            inputs, answer, rows = (
                [t[:MOST_ROWS] for t in inputs if t.ndim],
                answer[:MOST_ROWS],
                MOST_ROWS,
            )
        series = [one for one, _ in zip(series_of(inputs, answer, rows), range(MOST_FEATURES), strict=False)]
        found = [(one, offset) for one in series if (offset := one.offset()) is not None]
        self.asked += bool(series)
        if found:
            # An input whose next place is asked for is what the model goes on from; others it is told besides.
            self.lags.append(_lag(*next((pair for pair in found if pair[1] == 1), found[0])))

    @property
    def lag(self) -> Lag | None:
        """The most frequent offset; sequences may be longer in one batch than in the next."""
        if not self.lags:
            return None
        offset, steps = Counter(lag.offset for lag in self.lags).most_common(1)[0]
        first = next(lag for lag in self.lags if lag.offset == offset)
        return msgspec.structs.replace(first, steps=steps, of=self.asked)


def _lag(series: AnswerSeries, offset: int) -> Lag:
    return Lag(
        offset=offset,
        length=series.given.shape[1],
        places=series.target.shape[1],
        whole_numbers=not series.given.is_floating_point(),
        aligned=series.aligned,
        feature=series.feature,
        steps=0,
        of=0,
    )
