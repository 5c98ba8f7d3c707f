"""All windows of one run, told of every step, and asked every few."""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from firstlight.facts.live.feeding import InputWindow, LabelWindow
from firstlight.facts.live.looks import ActivationWindow, PredictionWindow
from firstlight.facts.live.losses import Gradients, Losses, Rates
from firstlight.facts.live.moments import Memory, MomentWindow
from firstlight.facts.live.order import OrderWindow
from firstlight.facts.live.stepping import ClipWindow, FeedWindow, PaceWindow, RateWindow, ScaleWindow
from firstlight.facts.live.tensors import Look, TensorWindow
from firstlight.facts.live.told import EvalWindow, ScoreWindow, TermWindow
from firstlight.facts.live.turning import Bad, Turning
from firstlight.records.telemetry import StepRow


@dataclass(frozen=True, slots=True)
class Seen:
    """What goes with a step beyond its numbers."""

    bad: Bad = field(default_factory=Bad)
    kinds: dict[str, tuple[bool, bool]] = field(default_factory=dict)
    look: Look | None = None
    """Every parameter by itself, on the steps at which the windows are judged."""
    adaptive: bool = False
    memory: float | None = None
    on_device: bool = False
    """The weights are on an accelerator."""
    largest: Callable[[], str | None] = lambda: None
    """Names the parameter with the largest gradient, when asked."""


@dataclass
class _Of:
    """The windows of one optimizer."""

    turning: Turning = field(default_factory=Turning)
    rates: Rates = field(default_factory=Rates)
    losses: Losses = field(default_factory=Losses)
    gradients: Gradients = field(default_factory=Gradients)
    tensors: TensorWindow = field(default_factory=TensorWindow)
    rate: RateWindow = field(default_factory=RateWindow)
    clip: ClipWindow = field(default_factory=ClipWindow)
    scale: ScaleWindow = field(default_factory=ScaleWindow)
    pace: PaceWindow = field(default_factory=PaceWindow)
    moments: MomentWindow = field(default_factory=MomentWindow)
    labels: LabelWindow = field(default_factory=LabelWindow)
    inputs: InputWindow = field(default_factory=InputWindow)
    adaptive: bool = False
    largest: Callable[[], str | None] = lambda: None
    last: StepRow = field(default_factory=lambda: StepRow(step=0))


class Windows:
    def __init__(self, rank: int = 0) -> None:
        self.rank = rank
        self.feed = FeedWindow()
        self.order = OrderWindow()
        self.activations = ActivationWindow()
        self.predictions = PredictionWindow()
        self.evaluations = EvalWindow()
        self.scores = ScoreWindow()
        self.terms = TermWindow()
        self._of: dict[int, _Of] = {}

    def sees(self, row: StepRow, seen: Seen) -> list[Any]:
        """Facts that cannot wait."""
        of = self._of.setdefault(row.optimizer, _Of())
        turned = of.turning.sees(row, self.rank, seen.bad)
        if turned is not None and of.gradients.leap is not None:
            turned = msgspec.structs.replace(turned, leapt_at=of.gradients.leap.step)
        of.last, of.adaptive, of.largest = row, seen.adaptive, seen.largest
        for window in (of.losses, of.gradients, of.rate, of.clip, of.scale):
            window.add(row)
        of.rates.add(row.lr)
        of.pace.add(row, seen.memory)
        self.feed.add(row, seen.on_device)
        self.order.add(row)
        if seen.look is not None:
            of.tensors.add(seen.kinds, seen.look)
        if row.components:
            self.hears(row.optimizer, row.components)
        return [] if turned is None else [turned]

    def hears(self, optimizer: int, told: dict[str, float]) -> None:
        """Numbers that the program tells."""
        of = self._of.setdefault(optimizer, _Of())
        self.evaluations.add(told, of.losses.series.level, of.losses.series.lately)
        self.scores.add(told)
        self.terms.add(told)

    def fed(self, optimizer: int, labels: Mapping[int, int], size: float | None) -> None:
        """With what the last batch before a step held."""
        of = self._of.setdefault(optimizer, _Of())
        of.labels.add(labels)
        of.inputs.add(size)

    def negated(self, optimizer: int, loss: str | None) -> None:
        """The loss function whose negative drives the optimizer, if one does."""
        self._of.setdefault(optimizer, _Of()).losses.negated = loss

    def remembers(self, optimizer: int, memory: Memory) -> None:
        self._of.setdefault(optimizer, _Of()).moments.add(memory)

    def succeeds(self, optimizer: int, older: int) -> None:
        """It trains what the older one trained: its course is the same course."""
        if older in self._of:
            self._of[optimizer] = self._of[older]

    def is_urgent(self, row: StepRow) -> bool:
        """Something leapt: the windows are judged now, not at the next regular time."""
        of = self._of[row.optimizer]
        return of.gradients.leaps or of.losses.leaps

    @property
    def is_shaken(self) -> bool:
        """Gradients leapt, and have not come back yet."""
        return any(of.gradients.leap is not None for of in self._of.values())

    def clipped(self) -> tuple[int, int]:
        """Steps with clipping, and those at which it cut."""
        clips = [of.clip for of in self._of.values()]
        return sum(clip.steps for clip in clips), sum(clip.engaged for clip in clips)

    def remaining(self) -> float:
        """How much of the loss is left, of the first optimizer."""
        of = next(iter(self._of.values()), None)
        if of is None or not of.losses.series.count or not of.losses.series.start > 0:
            return 1.0
        return of.losses.series.level / of.losses.series.start

    def facts(self, optimizer: int, needs: Collection[type]) -> list[Any]:
        """What the windows of one optimizer, and those of the whole run, say now."""
        of, rank = self._of[optimizer], self.rank
        row, remaining = of.last, self.remaining()
        found = [
            of.losses.fact(row, rank, of.rates, (len({id(each) for each in self._of.values()}), self.feed.fed)),
            of.gradients.fact(row, rank, of.rates, of.largest()),
            of.tensors.fact(row, rank, remaining if math.isfinite(remaining) else 1.0, of.rates.share),
            of.rate.fact(row, rank),
            of.clip.fact(row, rank, of.adaptive),
            of.scale.fact(row, rank),
            of.pace.fact(row, rank),
            of.moments.fact(row, rank, of.losses.series),
            self.feed.fact(row, rank),
            of.labels.fact(row, rank),
            of.inputs.fact(row, rank),
            self.order.fact(row, rank),
        ]
        return [fact for fact in found if fact is not None and type(fact) in needs]

    def looked(self, step: int, needs: Collection[type]) -> list[Any]:
        """After a sampled step."""
        found = [self.activations.fact(step, self.rank), self.predictions.fact(step, self.rank, self.remaining())]
        return [fact for fact in found if fact is not None and type(fact) in needs]

    def told(self, step: int, needs: Collection[type]) -> list[Any]:
        """After the program told something. Of several optimizers the first counts."""
        of = next(iter(self._of.values()), _Of())
        found = [
            *self.evaluations.turned(step, self.rank),
            *self.evaluations.facts(step, self.rank),
            *self.scores.facts(step, self.rank, of.losses.series.level, of.labels.mixture()),
            *self.terms.facts(step, self.rank),
        ]
        return [fact for fact in found if type(fact) in needs]
