"""The learning certificate: at each backward the tail of the loss is computed again with the answers permuted.

It goes on until it is certain that the gap between permuted and true answers grows; then it is asked now and then
whether the gap is still there. Nothing of the program is changed: the replay makes no graph, works on its own copies,
and the random state is put back.
"""

import math
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import torch

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import Observer, rank
from firstlight.observe.inside.tape.examples import Examples, differing, permuted
from firstlight.observe.inside.tape.growth import LOOKS, Growth, Measured, began, gone, growth, lowest_level
from firstlight.observe.inside.tape.recorder import Recorder
from firstlight.observe.inside.tape.sequences import sequences_of
from firstlight.observe.inside.tape.tail import CANNOT, Tail, tail_of
from firstlight.observe.inside.taps.stored import StoredRows
from firstlight.records.learning import CERTIFIED, NO_SIGN, NOT_CERTIFIED, SEEN, Gone, LearningSign
from firstlight.records.places import Site

PERMUTATIONS = 12
SAMPLE_EVERY = 4
SAME = 1e-4
"""Relative; a replay with the true answers must give the loss that the program got."""
LEAST_STEPS = 96
"""Steps measured before the absence of a sign is worth telling: healthy programs that learn slowly needed up to 73.

So many are measured one by one, so that a program of a hundred steps is measured often enough; then one in
`SAMPLE_EVERY`.
"""
ASKED_EVERY = 16
"""Measured steps, once the budget is spent and no sign was seen."""
RULED_OUT = 1e4
"""Times the loss, with answers of other examples: those were masked by a large number."""
RECALLED_EVERY = 8
"""Steps, once it is certain."""
LEVEL = 8
MOST_FAILURES = 5

NO_MEETING = "no place was found where predictions meet answers"
NOT_AGAIN = "the loss could not be computed again from its recorded operations"
ONE_EXAMPLE = "a batch holds one example, whose answer cannot be exchanged"
FORBIDDEN = "other examples' answers are ruled out by the loss itself: it is not finite, or enormous, with them"
ALIKE = "the loss is the same whichever example an answer belongs to"
LIKELY = "the gap seems to have grown, and was not measured often enough to be certain"
BLIND = "all examples of a batch are given the same prediction"
RELATED = "its predictions follow the answers from the first step on, and what training adds was not told apart"
OWN = "its answers rest on what the network itself did before"
UNDONE = "what it had learnt was lost again"
FUNCTIONAL = "gradients are taken with `torch.func`, which leaves nothing to compute again"


@dataclass
class Line:
    """The backwards of one line."""

    site: Site | None
    meeting: Site | None = None
    measured: list[Measured] = field(default_factory=list)
    unfit: Counter[str] = field(default_factory=Counter)
    """Why backwards were not measured."""
    own_answers: bool = False
    blind: bool = False
    """All examples were given the same prediction for answers that differ."""
    seconds: float = 0.0
    recalled: list[Measured] = field(default_factory=list)
    """Once it was certain."""
    growth: Growth | None = None
    """On examples that were new, as of the last look."""
    told: LearningSign | None = None
    undecided: tuple[int, bool] = (0, False)
    """After so many measured steps: whether more of them may still show a sign."""

    @property
    def certified(self) -> bool:
        return self.growth is not None and self.growth.certain

    def look(self) -> None:
        if sum(step.fresh for step in self.measured) in LOOKS:
            self.look_again()

    def look_again(self) -> None:
        if not self.certified:
            self.growth = growth([step for step in self.measured if step.fresh])

    def may_still_show(self) -> bool:
        """Asked anew after every few measured steps."""
        if len(self.measured) >= self.undecided[0] + ASKED_EVERY:
            self.look_again()
            status, reason = self.standing()
            self.undecided = len(self.measured), reason == LIKELY or (status == NO_SIGN and reason != BLIND)
        return self.undecided[1]

    def gone(self) -> Gone | None:
        """What had been learnt, where it was lost again. What the network did itself may be another task by then."""
        return None if self.own_answers else gone(self.measured, self.recalled)

    def standing(self) -> tuple[str, str]:
        """Status and reason."""
        if self.certified:
            return (CERTIFIED, "") if self.gone() is None else (NOT_CERTIFIED, UNDONE)
        if not self.measured:
            return NOT_CERTIFIED, self.unfit.most_common(1)[0][0] if self.unfit else NO_MEETING
        everything = growth(self.measured)
        if everything is None or len(self.measured) < LEAST_STEPS:
            return NOT_CERTIFIED, f"only {len(self.measured)} steps could be measured"
        if all(step.spread == 0 for step in self.measured):
            return (NO_SIGN, BLIND) if self.blind else (NOT_CERTIFIED, ALIKE)
        doubts = (
            (SEEN, everything.certain),
            (LIKELY, everything.likely or everything.there),
            (RELATED, everything.related),
            (OWN, self.own_answers),
        )
        for reason, holds in doubts:
            if holds:
                return NOT_CERTIFIED, reason
        return NO_SIGN, f"the gap did not grow in {len(self.measured)} measured steps"


class Exchange(NamedTuple):
    """What the loss is computed again with."""

    line: Site | None
    own: dict[int, torch.Tensor]
    others: Callable[[], dict[int, torch.Tensor]]
    """The answers given to other examples than their own."""


class Certificate:
    def __init__(self, observer: Observer, recorder: Recorder, stored: StoredRows) -> None:
        self.observer, self.recorder, self.stored = observer, recorder, stored
        self.examples = Examples()
        self.lines: dict[Site | None, Line] = {}
        self.generator = torch.Generator().manual_seed(0)
        self.decided = False
        observer.undecided = self.undecided

    def undecided(self) -> bool:
        """It was measured for a while, and shows no sign, or hardly one. Copies are given the steps of the program."""
        if self.decided or self.observer.light or self.observer.timeline is not None:
            return False
        return any(line.may_still_show() for line in self.lines.values())

    def wanted(self) -> bool:
        """The tape runs in this step."""
        step = self.observer.step
        if self.observer.light:
            return False
        if self.decided:
            return self.observer.timeline is None and step % RECALLED_EVERY == 0
        return step < LEAST_STEPS or step % SAMPLE_EVERY == 0

    def backward_begins(self, root: torch.Tensor, _retain: bool, functional: bool) -> None:
        if not self.wanted():
            return
        site = sites.caller()
        line = self.lines.setdefault(site, Line(site))
        if functional:
            line.unfit[FUNCTIONAL] += 1
        elif root.numel() == 1 and (line.certified or line.unfit.total() < MOST_FAILURES):
            begun = time.perf_counter()
            measured = self._measure(line, root)
            line.seconds += time.perf_counter() - begun
            if measured is not None:
                (line.recalled if line.certified else line.measured).append(measured)
        if self.decided:
            return
        line.look()
        if line.certified:
            self._decide()

    def _measure(self, line: Line, root: torch.Tensor) -> Measured | None:
        tail = tail_of(self.recorder, root, read_again=True)
        exchange = None if tail is None else self._exchange(tail)
        if tail is None or exchange is None:
            line.unfit[ONE_EXAMPLE if tail is not None and tail.meetings else NO_MEETING] += 1
            return None
        try:
            with torch.random.fork_rng(devices=[root.device] if root.is_cuda else []):
                true, others = self._losses(tail, exchange)
        except CANNOT:
            line.unfit[NOT_AGAIN] += 1
            return None
        value = reading.number(root)
        same = math.isclose(true, value, rel_tol=SAME, abs_tol=SAME) or not math.isfinite(value)
        if not same or (
            math.isfinite(value) and not all(other <= RULED_OUT * max(1.0, abs(value)) for other in others)
        ):
            line.unfit[FORBIDDEN if same else NOT_AGAIN] += 1
            return None
        scale = self.observer.scale
        mean = sum(others) / len(others)
        spread = math.sqrt(sum((other - mean) ** 2 for other in others) / (len(others) - 1))
        line.meeting, line.own_answers = exchange.line, line.own_answers or tail.own_answers or self._earned(tail)
        line.blind = spread == 0 and _blind(tail)
        entered = self.recorder.entered
        answers = [meeting.answer for meeting in tail.meetings] or list(exchange.own.values())
        fresh = self.examples.mostly_new(entered, self.stored.rows(entered), answers)
        return Measured(true / scale, mean / scale, spread / scale, fresh, self.observer.step)

    def _earned(self, tail: Tail) -> bool:
        """Where a program acts in an environment, what weighs its actions is what they earned."""
        dealings = self.observer.dealings
        return dealings is not None and dealings.exchanges > 0 and tail.weighted

    def _exchange(self, tail: Tail) -> Exchange | None:
        answers = {id(m.answer): m.answer for m in tail.meetings if len(m.answer) > 1}
        if answers:
            return Exchange(tail.meetings[0].row.line, answers, lambda: permuted(answers, self.generator))
        found = None if tail.meetings else next(sequences_of(tail), None)
        if found is None or len(found.lengths) < 2:
            return None
        return Exchange(found.row.line, found.own, lambda: found.exchanged(self.generator))

    def _losses(self, tail: Tail, exchange: Exchange) -> tuple[float, list[float]]:
        """With the true answers, and with each exchange; read in one transfer."""
        found = [tail.replay(exchange.own), *(tail.replay(exchange.others()) for _ in range(PERMUTATIONS))]
        true, *others = torch.stack([loss.detach().double().reshape(()) for loss in found]).tolist()
        return true, others

    def _decide(self) -> None:
        self.decided = True
        self.tell()

    def tell(self) -> None:
        """The last record of each line counts."""
        for line in self.lines.values():
            sign = self._sign(line)
            if line.told is None or sign != line.told:
                line.told = sign
                self.observer.emit(sign)

    def _sign(self, line: Line) -> LearningSign:
        status, reason = line.standing()
        steps = line.measured
        seen = line.growth if line.certified else growth(steps)
        losses = [step.loss for step in steps]
        count = min(LEVEL, max(1, len(losses) // 4))
        return LearningSign(
            step=self.observer.step,
            rank=rank(),
            status=status,
            reason=reason,
            site=line.site,
            meeting=line.meeting,
            own_answers=line.own_answers,
            steps=len(steps),
            fresh=sum(step.fresh for step in steps),
            examples=self.examples.count,
            first=began(losses[:count]) if losses else None,
            last=sum(losses[-count:]) / count if losses else None,
            without_inputs=lowest_level(steps) if steps else None,
            gap_first=None if seen is None else seen.gap_first,
            gap_last=None if seen is None else seen.gap_last,
            grown_low=None if seen is None else seen.low,
            grown_high=None if seen is None else seen.high,
            gone=line.gone() if line.certified else None,
            milliseconds=round(1000 * line.seconds / max(1, len(steps)), 3),
        )


def _blind(tail: Tail) -> bool:
    """The predictions are the same for all examples of the batch, and the answers are not."""
    given = [(meeting, tensor) for meeting in tail.meetings for tensor, _, _ in meeting.row.inputs]
    predicted = [differing(tensor, len(tensor)) for _, tensor in given if tensor.requires_grad and tensor.ndim]
    asked = [differing(meeting.answer, len(meeting.answer)) for meeting in tail.meetings]
    return all(count == 1 for count in predicted) and any(count != 1 for count in asked)
