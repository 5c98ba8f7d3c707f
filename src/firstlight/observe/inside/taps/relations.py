"""What is trained on, with the answers that belong to it: a sample is kept, and compared once the program is over."""

import weakref
from collections.abc import Sequence
from typing import Any

import torch

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.relations.beside import EvaluatedBeside
from firstlight.observe.inside.relations.held_out import HeldOut
from firstlight.observe.inside.relations.in_order import same_values, tensors_of
from firstlight.observe.inside.relations.line import MeetingLine
from firstlight.observe.inside.relations.questions import Questions
from firstlight.observe.inside.relations.reached import last_call
from firstlight.observe.inside.relations.sample import taken
from firstlight.observe.inside.relations.skill import EVERY
from firstlight.observe.inside.relations.texts import TextsHeld
from firstlight.observe.inside.tape.examples import is_of_pairs
from firstlight.observe.inside.tape.reach import left_when_sure
from firstlight.observe.inside.tape.recorder import PARAMETER, Mark, Recorder, Row, walk
from firstlight.observe.inside.tape.tail import Meeting, Tail, tail_of
from firstlight.observe.inside.taps.models import Call
from firstlight.records.places import Site

EVERY_STEP = 64
"""So many steps are looked at one by one, then one in `SAMPLE_EVERY`."""
SAMPLE_EVERY = 4
MOST_LINES = 4
ACTING = 0.3
"""Share of the steps with calls without gradients before them, from which on those are a part of the training."""


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
        self.beside, self.held_out, self.texts = EvaluatedBeside(), HeldOut(), TextsHeld()
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
            given = [tensor for tensor in call.question if tensor.ndim > 1 and tensor.is_floating_point()]
            if len(given) == 1 and self.observer.timeline is None and reading.readable(given[0]):
                loader = self._loader() if self._loader is not None else None
                self.beside.evaluates(given[0], loader if hasattr(loader, "dataset") else None)

    def batch_given(self, loader: Any, batch: Any) -> None:
        self.batch_asked(loader, batch)
        if not self.lines:
            self.site = sites.caller()

    def batch_asked(self, loader: Any, batch: Any) -> None:
        self._loader, self._batch = weakref.ref(loader) if loader is not None else None, tensors_of(batch)
        self._rows = self.observer.batch_rows

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
            self._look_at_all(tail, self.recorder.entered if call is None else call[0].question)
            if self.observer.timeline is None:
                given = call[0].question if call is not None else []
                self.lines[tail.line].ends.add(tail, [*given, *self.recorder.entered, *self._batch])

    def _look_at_all(self, tail: Tail, given: list[torch.Tensor]) -> None:
        """What is asked of a loss as a whole."""
        line = self.lines[tail.line]
        line.counted.add(tail, given)
        if line.left_when_sure is None and self.observer.timeline is None:
            line.left_when_sure = left_when_sure(tail)
        if given and len({id(meeting.answer) for meeting in tail.meetings}) == 1:
            line.mixed.add(given[0], tail.meetings[0].answer, self._batch)
            if self.observer.timeline is None:
                line.changed.add(given[0], tail.meetings[0].answer, self._batch, line.site)

    def _relate(self, meeting: Meeting, call: "tuple[Call, Site | None, int] | None") -> None:
        within = call is None or meeting.row.number < call[2]
        given = self.recorder.entered if call is None or within else call[0].question
        inputs = [tensor for tensor in given if not _same(tensor, meeting.answer)]
        line = self._line(meeting, call[1] if call is not None else None) if given else None
        if line is not None:
            line.look_for_answer(given, meeting.answer)
            line.add(inputs or given, meeting, self.observer.step, self._origin(meeting.answer))
            if call is not None and not within and self.observer.timeline is None and line.skill.possible:
                line.last = last_call(call[0], taken(inputs, len(meeting.answer)), meeting) or line.last
            if inputs and _is_answer(meeting) and not _is_of_pairs(meeting):
                line.of_data = True
                if not _puts_in_order(meeting):
                    line.kept.add(inputs, meeting.answer, self._batch, self.observer.step)
                line.follow(self._loader, inputs[0], meeting.answer, self._batch)
                if self.observer.timeline is None:
                    self.beside.trains(inputs[0])
                if self.observer.timeline is None and line.loaded is not None and not inputs[0].is_floating_point():
                    self.texts.look(line.loaded[0]())

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
        self.held_out.training_goes_on(self.observer.step)
        acting = self.with_asides > ACTING * max(1, self.steps)
        Questions(self.observer, self.lines.values(), self.texts).tell(self.beside, self.held_out, acting)


def _answers_met(tail: Tail) -> Sequence[Meeting]:
    """What predictions are multiplied by is a weight or an exposure, unless they meet nothing else. Which examples
    belong together is no answer that one of them has."""
    own = [meeting for meeting in tail.meetings if not is_of_pairs(meeting.answer)]
    return [meeting for meeting in own if not _weighs(meeting)] or own


def _weighs(meeting: Meeting) -> bool:
    return meeting.row.name.strip("_") in ("mul", "rmul", "imul", "multiply")


def _is_answer(meeting: Meeting) -> bool:
    """Something drawn that predictions are multiplied with is a mask."""
    return bool(meeting.marks & Mark.DATA) and not (_weighs(meeting) and meeting.marks & Mark.DRAWN)


def _is_of_pairs(meeting: Meeting) -> bool:
    """Made by holding each example of the batch against each: with other examples, it is another one."""
    made = next(made for tensor, _, made in meeting.row.inputs if tensor is meeting.answer)
    return made is not None and bool(made[0].kin)


def _puts_in_order(meeting: Meeting) -> bool:
    """Predictions are sorted on the way from the network, by time as for a risk: the rows of answers are not those of
    inputs any more."""
    predicted = [made for tensor, _, made in meeting.row.inputs if tensor.requires_grad and made is not None]
    return any(_reorders(row) for made in predicted for row in walk(made[0]))


def _reorders(row: Row) -> bool:
    if row.name not in ("__getitem__", "index_select"):
        return False
    predicted, *numbers = [tensor for tensor, _, _ in row.inputs]
    return any(
        one.ndim == 1
        and len(one) == len(predicted) > 1
        and torch.equal(one.sort().values, torch.arange(len(one)).to(one))
        for one in numbers
        if predicted.ndim and not one.is_floating_point() and reading.readable(one)
    )


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
    moments.batch_asked.append(observer.shielded("relations", relations.batch_asked))
    moments.ending.append(observer.shielded("relations", relations.tell))
    return relations
