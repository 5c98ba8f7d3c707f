"""What is trained on, with the answers that belong to it: a sample is kept, and compared once the program is over."""

import time
import weakref
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
import torch

from firstlight.observe.inside import aside, reading, sites
from firstlight.observe.inside.feed import named
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.relations.beside import EvaluatedBeside
from firstlight.observe.inside.relations.comparing import LEAST_EXAMPLES, compared
from firstlight.observe.inside.relations.counting import RowsCounted
from firstlight.observe.inside.relations.ending import EndsCounted
from firstlight.observe.inside.relations.held_out import HeldOut
from firstlight.observe.inside.relations.in_order import BatchPlaces, in_order, places_of, same_values, tensors_of
from firstlight.observe.inside.relations.keeping import AnswersKept
from firstlight.observe.inside.relations.mixing import InputsMixed
from firstlight.observe.inside.relations.orders import reordered
from firstlight.observe.inside.relations.places import PlaceByPlace
from firstlight.observe.inside.relations.reached import LastCall, behind, last_call, reached
from firstlight.observe.inside.relations.sample import Sample, taken
from firstlight.observe.inside.relations.series import AnswerSeries, series_of
from firstlight.observe.inside.relations.skill import EVERY, OwnSkill
from firstlight.observe.inside.relations.standing import LoadedFrom
from firstlight.observe.inside.relations.stored import keeps_arrays, stored
from firstlight.observe.inside.relations.transferring import transfer
from firstlight.observe.inside.tape.reach import left_when_sure
from firstlight.observe.inside.tape.recorder import PARAMETER, Mark, Recorder
from firstlight.observe.inside.tape.tail import Meeting, Tail, tail_of
from firstlight.observe.inside.taps.models import Call
from firstlight.records.places import Site
from firstlight.records.reach import InputsReached
from firstlight.records.relations import Encoded, Groups, Lag, Neighbours, Reordered, Skills, Spans, Transfer
from firstlight.records.stored import ExamplesStored

T = TypeVar("T")

EVERY_STEP = 64
"""So many steps are looked at one by one, then one in `SAMPLE_EVERY`."""
SAMPLE_EVERY = 4
MOST_LINES = 4
MOST_LAGS = 8
"""Steps at which the answer is looked for in the inputs."""
MOST_FEATURES = 8
MOST_ROWS = 64
SECONDS = 1.0
"""For all comparisons, the last one aside."""
LITTLE = 0.3
"""Of the likeness of neighbours' answers, where 1 is the same."""
ACTING = 0.3
"""Share of the steps with calls without gradients before them, from which on those are a part of the training."""


class MeetingLine:
    """Examples whose answers met their predictions on one line."""

    def __init__(self, site: Site | None, meeting: Site | None) -> None:
        self.site, self.meeting = site, meeting
        self.sample = Sample()
        self.places = PlaceByPlace()
        self.kept = AnswersKept()
        self.counted = RowsCounted()
        self.ends = EndsCounted()
        self.mixed = InputsMixed()
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
            inputs, answer, rows = [t[:MOST_ROWS] for t in inputs if t.ndim], answer[:MOST_ROWS], MOST_ROWS
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


class RelationsTap:
    def __init__(self, observer: Observer, recorder: Recorder) -> None:
        self.observer, self.recorder = observer, recorder
        self.lines: dict[Site | None, MeetingLine] = {}
        self.site: Site | None = None
        """Where batches come in: the loop over the loader that is trained from."""
        self._batch: list[torch.Tensor] = []
        """What a loader gave last, and below, that loader."""
        self._loader: weakref.ref[Any] | None = None
        self._rows: tuple[int, ...] = ()
        self._calls = 0
        """Of models since the last backward."""
        self._call: tuple[Call, Site | None, int] | None = None
        """The only one of them, with its line and the rows of the tape when it returned."""
        self._begun = self._asides = False
        self.beside, self.held_out = EvaluatedBeside(), HeldOut()
        self.steps = self.with_asides = 0

    def wanted(self) -> bool:
        """The tape runs in this step."""
        step = self.observer.step
        if self.observer.light or (step >= EVERY_STEP and step % SAMPLE_EVERY):
            return False
        if (
            step % EVERY == 0
            and self.observer.timeline is None
            and any(line.skill.kind for line in self.lines.values())
        ):
            return True
        open_ = [line for line in self.lines.values() if line.open(step)]
        return any(line.begun for line in open_) if step >= EVERY_STEP else not self.lines or bool(open_)

    def model_called(self, gradients: bool) -> None:
        if gradients and not self._begun:
            self._begun = True
            self.recorder.begin()

    def returned(self, call: Call) -> None:
        if call.training:
            self._calls += 1
            self._call = (call, sites.caller(), self.recorder.rows) if self._calls == 1 else None
        else:
            self._asides = True
            given = [tensor for tensor in _given(call) if tensor.ndim > 1 and tensor.is_floating_point()]
            if len(given) == 1 and self.observer.timeline is None and reading.readable(given[0]):
                loader = self._loader() if self._loader is not None else None
                self.beside.evaluates(given[0], loader if hasattr(loader, "dataset") else None)

    def batch_given(self, loader: Any, batch: Any) -> None:
        self._loader, self._batch = weakref.ref(loader) if loader is not None else None, tensors_of(batch)
        self._rows = self.observer.batch_rows
        if not self.lines:
            self.site = sites.caller()

    def backward_begins(self, root: torch.Tensor, _retain: bool, functional: bool) -> None:
        calls, call, self._calls, self._call = self._calls, self._call, 0, None
        self.steps += 1
        self.with_asides += self._asides
        self._asides = False
        if functional or root.numel() != 1 or not self.wanted() or calls > 1 or reading.transformed():
            return
        tail = tail_of(self.recorder, root)
        firsts: dict[Site | None, Meeting] = {}  # a line that serves several heads would mix their answers
        for meeting in _answers_met(tail) if tail is not None else ():
            firsts.setdefault(meeting.row.line, meeting)
        for meeting in firsts.values():
            if meeting.marks & (Mark.DATA | Mark.DRAWN) and not meeting.marks & PARAMETER:
                self._relate(meeting, call)
        if tail is not None and tail.line in self.lines:
            self._look_at_all(tail, self.recorder.entered if call is None else _given(call[0]))
            if self.observer.timeline is None:
                given = _given(call[0]) if call is not None else []
                self.lines[tail.line].ends.add(tail, [*given, *self.recorder.entered, *self._batch])

    def _look_at_all(self, tail: Tail, given: list[torch.Tensor]) -> None:
        """What is asked of a loss as a whole."""
        line = self.lines[tail.line]
        line.counted.add(tail, given)
        if line.left_when_sure is None and self.observer.timeline is None:
            line.left_when_sure = left_when_sure(tail)
        if given and len({id(meeting.answer) for meeting in tail.meetings}) == 1:
            line.mixed.add(given[0], tail.meetings[0].answer, self._batch)

    def _relate(self, meeting: Meeting, call: "tuple[Call, Site | None, int] | None") -> None:
        within = call is None or meeting.row.number < call[2]
        given = self.recorder.entered if call is None or within else _given(call[0])
        inputs = [tensor for tensor in given if not _same(tensor, meeting.answer)]
        line = self._line(meeting, call[1] if call is not None else None) if given else None
        if line is not None:
            line.look_for_answer(given, meeting.answer)
            line.add(inputs or given, meeting, self.observer.step, self._origin(meeting.answer))
            if call is not None and not within and self.observer.timeline is None and line.skill.possible:
                line.last = last_call(call[0], taken(inputs, len(meeting.answer)), meeting) or line.last
            if inputs and _is_answer(meeting):
                line.of_data = True
                line.kept.add(inputs, meeting.answer, self._batch, self.observer.step)
                line.follow(self._loader, inputs[0], meeting.answer, self._batch)
                if self.observer.timeline is None:
                    self.beside.trains(inputs[0])

    def _origin(self, answer: torch.Tensor) -> Sequence[int]:
        """Rows of the dataset that the batch was made of, while its answers are still in that order."""
        known = len(self._rows) == len(answer) and any(same_values(tensor, answer) for tensor in self._batch)
        return self._rows if known else ()

    def _line(self, meeting: Meeting, called: Site | None) -> MeetingLine | None:
        at, answer = meeting.row.line, meeting.answer
        if (at not in self.lines and len(self.lines) >= MOST_LINES) or answer.is_complex() or answer.is_sparse:
            return None
        return self.lines.setdefault(at, MeetingLine(self.site or called or at, at))

    def tell(self) -> None:
        """A line that cannot be compared in time is not: the program is waited for."""
        end = time.monotonic() + SECONDS
        for line in self.lines.values():
            begun = time.perf_counter()
            if time.monotonic() > end:
                return
            skills = line.skill.beside(line.sample) if self.observer.timeline is None else Skills()
            found = compared(line.sample, doubting=self.observer.timeline is None)
            self.observer.emit(
                found(
                    **self._in_order(line, found.keywords.get("near", Neighbours())),
                    site=line.site,
                    meeting=line.meeting,
                    places=line.places.seen(),
                    lag=line.lag,
                    kept=line.kept.seen(),
                    drawn=line.kept.drawn.seen(),
                    counted=line.counted.seen(),
                    ends=line.ends.seen(),
                    mixed=line.mixed.seen(),
                    skills=skills,
                    reach=self._reach(line, skills),
                    stored=self._stored(line),
                    **self._beside(line),
                    transfer=self._transfer(line),
                    left_when_sure=line.left_when_sure or 0.0,
                    acting=self.with_asides > ACTING * max(1, self.steps),
                    seconds=round(time.perf_counter() - begun, 3),
                )
            )

    def _in_order(self, line: MeetingLine, near: Neighbours) -> dict[str, Any]:
        """Asked where examples that are alike have hardly more alike answers than any two."""
        little = near.examples > 0 and near.likeness < LITTLE
        if not little:
            return {}
        return {
            "in_order": self._asked(line, in_order, Neighbours()),
            "reordered": self._asked(line, reordered, Reordered()),
        }

    def _reach(self, line: MeetingLine, skills: Skills) -> InputsReached:
        """Of the model as it is in the end, in a copy of the process."""
        last = line.last
        if last is None or not behind(skills):
            return InputsReached()
        answer = aside.asked(self.observer, lambda: msgspec.json.encode(reached(last, line.sample, line.skill.kind)))
        return msgspec.json.decode(answer, type=InputsReached) if answer else InputsReached()

    def _beside(self, line: MeetingLine) -> dict[str, Any]:
        """Where examples are the data's own, of a program that is not one itself."""
        acting = self.with_asides > ACTING * max(1, self.steps)
        if acting or self.observer.timeline is not None or line.sample.kept < LEAST_EXAMPLES:
            return {}
        questions: dict[str, Callable[[], Groups | Spans | Encoded]] = {
            "groups": lambda: self.beside.groups(line.sample),
            "groups_named": lambda: self.beside.groups_named(line.sample),
            "spans": lambda: self.beside.spans(line.sample, line.source),
            "encoded": lambda: self.beside.encoded(line.sample, line.source),
        }
        told = {name: aside.asked(self.observer, _encoded(question)) for name, question in questions.items()}
        kinds = {"groups": Groups, "groups_named": Groups, "spans": Spans, "encoded": Encoded}
        return {name: msgspec.json.decode(answer, type=kinds[name]) for name, answer in told.items() if answer}

    def _transfer(self, line: MeetingLine) -> Transfer:
        """Between what is trained on and what is evaluated, of answers that are the data's own."""
        self.held_out.training_goes_on(self.observer.step)
        parts = list(self.held_out.parts.values())
        if self.observer.timeline is not None or not parts or not self._is_scored(line):
            return Transfer()
        answer = aside.asked(self.observer, lambda: msgspec.json.encode(transfer(line.sample, parts)))
        return msgspec.json.decode(answer, type=Transfer) if answer else Transfer()

    def _is_scored(self, line: MeetingLine) -> bool:
        """Evaluated answers can only be those of this line: no other one is given answers of its own."""
        others = [one for one in self.lines.values() if one.of_data and one is not line]
        return line.of_data and all(line.sample.has_answers_of(one.sample) for one in others)

    def _stored(self, line: MeetingLine) -> ExamplesStored:
        loader = line.loaded[0]() if line.loaded is not None else None
        return (
            self._asked(line, stored, ExamplesStored())
            if loader is not None and keeps_arrays(loader)
            else ExamplesStored()
        )

    def _asked(self, line: MeetingLine, question: Callable[[Any, BatchPlaces], T], nothing: T) -> T:
        """Of the dataset that the examples are from, in a copy of the process."""
        loader = line.loaded[0]() if line.loaded is not None else None
        if line.loaded is None or loader is None or self.observer.timeline is not None:
            return nothing
        places = line.loaded[1]
        answer = aside.asked(self.observer, lambda: msgspec.json.encode(question(loader, places)))
        return msgspec.json.decode(answer, type=type(nothing)) if answer else nothing


def _encoded(question: Callable[[], Any]) -> Callable[[], bytes]:
    return lambda: msgspec.json.encode(question())


def _answers_met(tail: Tail) -> Sequence[Meeting]:
    """What predictions are multiplied by is a weight or an exposure, unless they meet nothing else."""
    return [meeting for meeting in tail.meetings if not _weighs(meeting)] or tail.meetings


def _weighs(meeting: Meeting) -> bool:
    return meeting.row.name.strip("_") in ("mul", "rmul", "imul", "multiply")


def _is_answer(meeting: Meeting) -> bool:
    """Something drawn that predictions are multiplied with is a mask."""
    return bool(meeting.marks & Mark.DATA) and not (_weighs(meeting) and meeting.marks & Mark.DRAWN)


def _given(call: Call) -> list[torch.Tensor]:
    """What a model is given, less what is named as a target in a batch that is given as a whole."""
    whole = [item for item in call.arguments if isinstance(item, Mapping)]
    parts: dict[str, Any] = {str(key): value for batch in whole for key, value in batch.items()}
    others = tuple(item for item in call.arguments if not isinstance(item, Mapping))
    return list(named(others, {**parts, **call.keywords}).values())


def _same(given: torch.Tensor, answer: torch.Tensor) -> bool:
    """A model that is given the whole batch is given the answer too."""
    if given is answer or given.numel() != answer.numel():
        return given is answer
    strided = given.layout is answer.layout is torch.strided and reading.readable(given) and reading.readable(answer)
    return strided and given.data_ptr() == answer.data_ptr()


def install(observer: Observer, recorder: Recorder) -> RelationsTap:
    relations = RelationsTap(observer, recorder)
    moments = observer.moments
    moments.backward_begins.insert(0, observer.shielded("relations", relations.backward_begins))
    moments.model_called.append(observer.shielded("relations", relations.model_called))
    moments.model_returned.append(observer.shielded("relations", relations.returned))
    moments.batch_given.append(observer.shielded("relations", relations.batch_given))
    moments.ending.append(observer.shielded("relations", relations.tell))
    return relations
