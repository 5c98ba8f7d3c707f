"""Looks at the whole tape at a few steps: it is written down, and asked whether its flows go through."""

import contextlib
import itertools
from collections.abc import Iterable

import torch

from firstlight.observe.inside import sites
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.tape.again import predicted_twice
from firstlight.observe.inside.tape.bootstrap import TargetParts, bootstraps
from firstlight.observe.inside.tape.cards import written
from firstlight.observe.inside.tape.crossed import crossed
from firstlight.observe.inside.tape.examples import differing
from firstlight.observe.inside.tape.floor import floors
from firstlight.observe.inside.tape.influence import cancelling, mute_answers, scale_free
from firstlight.observe.inside.tape.levels import levelled, levelled_answers
from firstlight.observe.inside.tape.normalised import normalised_elsewhere
from firstlight.observe.inside.tape.penalty import WeightPenalty, penalty_of, wishes
from firstlight.observe.inside.tape.pull import pulls
from firstlight.observe.inside.tape.reach import best_guess, lowest_free, reaches
from firstlight.observe.inside.tape.recorder import Recorder, walk
from firstlight.observe.inside.tape.rounding import rounded
from firstlight.observe.inside.tape.runaway import runaways
from firstlight.observe.inside.tape.settling import settlings
from firstlight.observe.inside.tape.tail import CANNOT, Tail, tail_of
from firstlight.observe.inside.tape.terms import silent_derivatives, silent_terms, unfelt_terms
from firstlight.observe.inside.tape.volume import volumes
from firstlight.observe.inside.taps.comparisons import ComparisonTap
from firstlight.observe.inside.taps.dealings import Dealings
from firstlight.records.dealings import BootstrapSeen
from firstlight.records.sighting import Sighting
from firstlight.records.taped import FreeSeen, LevelledSeen, PenaltySeen, TapeSeen

STEPS = (1, 8, 24)
"""The first step is left out: layers may begin at zero."""
SEARCHED = (1, 8)
"""Steps at which the loss is minimised over free outputs."""
GUESSED = (1, 24, 96, 192, 384)
"""Steps at which the loss is compared with that of a guess: the tape is on, and nothing else is asked of it."""
FREE = "free-predictions"
"""Asked for by name: the loss is then minimised over free predictions even where no activation stands before it."""
PART = 300
"""Rows of one record, so that it fits a line of the event log."""
MOST_ROWS = 3000


class Looks:
    def __init__(self, observer: Observer, recorder: Recorder, comparisons: ComparisonTap, dealings: Dealings) -> None:
        self.observer = observer
        self.recorder = recorder
        self.comparisons = comparisons
        self.dealings = dealings
        self.generator = torch.Generator().manual_seed(0)
        self._penalty: WeightPenalty | None = None
        """Of the backward that is under way."""

    def wanted(self) -> bool:
        """The tape is on in this step."""
        return (self.observer.step in STEPS and not self.observer.light) or self._guesses()

    def _guesses(self) -> bool:
        """Of the program itself; its copies begin as it does."""
        return self.observer.step in GUESSED and not self.observer.light and self.observer.timeline is None

    def next_step(self) -> None:
        """The tape is read whole at few steps."""
        self.recorder.whole = self.observer.step in STEPS and not self.observer.light

    def backward_begins(self, root: torch.Tensor, _retain: bool, functional: bool) -> None:
        self._penalty = None
        tail = tail_of(self.recorder, root) if self.wanted() and not functional and root.numel() == 1 else None
        if tail is None:
            return
        if self._guesses():
            with _own_randomness(tail):
                guess = best_guess(tail)
            if guess is not None:
                self.observer.emit(guess)
        if self.observer.step not in STEPS:
            return
        with contextlib.suppress(*CANNOT):
            self._penalty = penalty_of(tail)
        self.comparisons.trained(tail)
        self._tell(silent_terms(tail), silent_derivatives(tail), unfelt_terms(tail))
        self._tell(normalised_elsewhere(tail, self.recorder.entered), predicted_twice(tail))
        lengths = {count_examples(tail, self.recorder), *map(len, self.recorder.entered)}
        with _own_randomness(tail):
            self._tell(
                crossed(tail, lengths),
                cancelling(tail, self.generator),
                scale_free(tail),
                mute_answers(tail, self.generator),
                pulls(tail),
                wishes(tail),
            )
        self._levels(tail)
        if self.dealings.exchanges:
            self._tell(map(self._bootstrap, bootstraps(tail)))
        if self.observer.step in SEARCHED:
            self._search(tail)
        self._write(tail)

    def backward_ended(self, _root: torch.Tensor) -> None:
        if self._penalty is None:
            return
        own, through = self._penalty.sizes()
        line = self._penalty.row.line
        self.observer.emit(PenaltySeen(site=line, own=own, through=through))
        self._penalty = None

    def _bootstrap(self, found: TargetParts) -> BootstrapSeen:
        rewards, negatives, nothing = self.dealings.compare(found.alone.tolist())
        taken = found.part[found.part != 0]
        return BootstrapSeen(
            site=found.row.line,
            examples=found.part.numel(),
            share=float(taken.median()),
            cut=found.part.numel() - taken.numel(),
            same=found.same,
            carries=found.carries,
            rewards=rewards,
            negatives=negatives,
            nothing=nothing,
            size=float(found.alone.square().mean().sqrt()),
            given=self.dealings.size,
            ends=self.dealings.ends / self.dealings.exchanges,
            episodes=sum(self.dealings.episodes.values()),
            even=self.dealings.even,
            apart=self.dealings.apart,
        )

    def _levels(self, tail: Tail) -> None:
        answers = levelled_answers(tail, self.recorder, count_examples(tail, self.recorder))
        inputs = self.recorder.entered
        rounding = *rounded(inputs, self.recorder), *rounded(self.recorder.constants, self.recorder, "constants")
        for found in (*levelled(inputs, self.recorder), *rounding, *answers):
            self.observer.emit(
                LevelledSeen(
                    operation=found.operation,
                    site=found.line,
                    of=found.of,
                    wrapped=found.wrapped,
                    cast=found.cast,
                    gone=found.gone,
                    ignored=found.ignored,
                    rounded=found.rounded,
                    **found.change._asdict(),
                )
            )

    def _search(self, tail: Tail) -> None:
        with _own_randomness(tail):
            self._tell(reaches(tail), floors(tail), runaways(tail), settlings(tail, self.generator), volumes(tail))
            if FREE in self.observer.spec.taps and (lowest := lowest_free(tail)) is not None:
                self.observer.emit(FreeSeen(free=lowest))

    def _tell(self, *found: Iterable[Sighting]) -> None:
        """As it is found: what fails later must not take it along."""
        for sighting in itertools.chain(*found):
            self.observer.emit(sighting)

    def _write(self, tail: Tail) -> None:
        rows = sorted(walk(tail.rows[-1], within=True), key=lambda row: row.number)[-MOST_ROWS:]
        batch = count_examples(tail, self.recorder)
        predictions = {
            made[0].number
            for meeting in tail.meetings
            for tensor, _, made in meeting.row.inputs
            if made is not None and tensor.requires_grad
        }
        fed = [differing(tensor, batch) or 0 for tensor in self.recorder.entered]
        files: dict[str, int] = {}
        cards = written(rows, tail.loss, batch, files)
        for part, start in enumerate(range(0, len(cards), PART)):
            self.observer.emit(
                TapeSeen(
                    site=sites.caller(),
                    part=part,
                    batch=batch,
                    fed=max(fed, default=0),
                    files=tuple(files),
                    predictions=tuple(sorted(predictions)),
                    rows=tuple(cards[start : start + PART]),
                )
            )


def _own_randomness(tail: Tail) -> contextlib.AbstractContextManager[None]:
    return torch.random.fork_rng(devices=[tail.loss.device] if tail.loss.is_cuda else [])


def count_examples(tail: Tail, recorder: Recorder) -> int:
    """As many as there are answers; where each example has several, in one long row, as many as were fed."""
    answers = min((len(meeting.answer) for meeting in tail.meetings), default=0)
    fed = {len(tensor) for tensor in recorder.entered}
    return answers if answers in fed else max((n for n in fed if n > 1 and answers % n == 0), default=answers)
