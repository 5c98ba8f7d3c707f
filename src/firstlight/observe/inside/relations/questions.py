"""What is told of the examples of a program, once it is over: each line by itself, and beside what is evaluated."""

import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from firstlight.observe.inside import aside
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.relations.beside import EvaluatedBeside
from firstlight.observe.inside.relations.comparing import LEAST_EXAMPLES, compared
from firstlight.observe.inside.relations.drifting import drifting
from firstlight.observe.inside.relations.held_out import HeldOut
from firstlight.observe.inside.relations.in_order import BatchPlaces, in_order
from firstlight.observe.inside.relations.line import MeetingLine
from firstlight.observe.inside.relations.orders import reordered
from firstlight.observe.inside.relations.reached import behind, reached
from firstlight.observe.inside.relations.stored import keeps_arrays, stored
from firstlight.observe.inside.relations.texts import TextsHeld
from firstlight.observe.inside.relations.transferring import transfer
from firstlight.observe.inside.relations.turning import classes_turned
from firstlight.records import wire
from firstlight.records.held_out import Encoded, Groups, Spans, Transfer
from firstlight.records.merged import Merged
from firstlight.records.reach import InputsReached
from firstlight.records.relations import Drift, Neighbours, Reordered, Skills
from firstlight.records.stored import ClassesTurned, ExamplesStored

T = TypeVar("T")

SECONDS = 1.0
"""For all comparisons, the last one aside."""
LITTLE = 0.3
"""Of the likeness of neighbours' answers, where 1 is the same."""


class Questions:
    """Copies of a program are asked for less: their examples are those of the program."""

    def __init__(self, observer: Observer, lines: Iterable[MeetingLine], texts: TextsHeld) -> None:
        self.observer, self.lines, self.texts = observer, list(lines), texts

    def tell(self, beside: EvaluatedBeside, held_out: HeldOut, acting: bool) -> None:
        """A line that cannot be compared in time is not: the program is waited for."""
        end = time.monotonic() + SECONDS
        for line in self.lines:
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
                    turned=self._turned(line),
                    merged=self._asked(line, self.texts.merged, Merged()) if self.texts.any else Merged(),
                    **({} if acting else self._beside(line, beside)),
                    transfer=self._transfer(line, held_out),
                    left_when_sure=line.left_when_sure or 0.0,
                    acting=acting,
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
            "drift": self._asked(line, drifting, Drift()),
        }

    def _reach(self, line: MeetingLine, skills: Skills) -> InputsReached:
        """Of the model as it is in the end, in a copy of the process."""
        last = line.last
        if last is None or not behind(skills):
            return InputsReached()
        answer = aside.asked(self.observer, lambda: wire.encode(reached(last, line.sample, line.skill.kind)))
        return wire.decode(answer, InputsReached) if answer else InputsReached()

    def _beside(self, line: MeetingLine, beside: EvaluatedBeside) -> dict[str, Any]:
        """Where examples are the data's own, of a program that is not one itself."""
        if self.observer.timeline is not None or line.sample.kept < LEAST_EXAMPLES:
            return {}
        questions: dict[str, Callable[[], Groups | Spans | Encoded]] = {
            "groups": lambda: beside.groups(line.sample),
            "groups_named": lambda: beside.groups_named(line.sample),
            "spans": lambda: beside.spans(line.sample, line.source),
            "encoded": lambda: beside.encoded(line.sample, line.source),
        }
        told = {name: aside.asked(self.observer, _encoded(question)) for name, question in questions.items()}
        kinds: dict[str, type[Any]] = {"groups": Groups, "groups_named": Groups, "spans": Spans, "encoded": Encoded}
        return {name: wire.decode(answer, kinds[name]) for name, answer in told.items() if answer}

    def _transfer(self, line: MeetingLine, held_out: HeldOut) -> Transfer:
        """Between what is trained on and what is evaluated, of answers that are the data's own."""
        parts = list(held_out.parts.values())
        if self.observer.timeline is not None or not parts or not self._is_scored(line):
            return Transfer()
        answer = aside.asked(self.observer, lambda: wire.encode(transfer(line.sample, parts)))
        return wire.decode(answer, Transfer) if answer else Transfer()

    def _is_scored(self, line: MeetingLine) -> bool:
        """Evaluated answers can only be those of this line: no other one is given answers of its own."""
        others = [one for one in self.lines if one.of_data and one is not line]
        return line.of_data and all(line.sample.has_answers_of(one.sample) for one in others)

    def _stored(self, line: MeetingLine) -> ExamplesStored:
        loader = line.loaded[0]() if line.loaded is not None else None
        return (
            self._asked(line, stored, ExamplesStored())
            if loader is not None and keeps_arrays(loader)
            else ExamplesStored()
        )

    def _turned(self, line: MeetingLine) -> ClassesTurned:
        """Between loader and model, or where nothing is changed there, as the loader reads."""
        if not line.changed.any:
            return self._asked(line, classes_turned, ClassesTurned())
        answer = aside.asked(self.observer, lambda: wire.encode(line.changed.turned()))
        return wire.decode(answer, ClassesTurned) if answer else ClassesTurned()

    def _asked(self, line: MeetingLine, question: Callable[[Any, BatchPlaces], T], nothing: T) -> T:
        """Of the dataset that the examples are from, in a copy of the process."""
        loader = line.loaded[0]() if line.loaded is not None else None
        if line.loaded is None or loader is None or self.observer.timeline is not None:
            return nothing
        places = line.loaded[1]
        answer = aside.asked(self.observer, lambda: wire.encode(question(loader, places)))
        return wire.decode(answer, type(nothing)) if answer else nothing


def _encoded(question: Callable[[], Any]) -> Callable[[], bytes]:
    return lambda: wire.encode(question())
