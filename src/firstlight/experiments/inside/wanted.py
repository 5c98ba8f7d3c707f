"""What a model would have to put out to be right: in its loss, and where its answers are scored.

Where an output meets a target, by a difference or a loss of one, the target is taken back through the factor and the
offset that lie between. What is left is in the units of the output itself, whatever both sides were scaled by, and must
be alike in training and in evaluation. Outputs are known by their values, also once they have been in arrays or lists.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from firstlight.experiments.inside.choices import MOST_ELEMENTS
from firstlight.experiments.inside.gathered import LEAST_NUMBERS, MOST_COLUMNS, Gathered, floats
from firstlight.experiments.inside.put_out import PutOut
from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.identity import ByIdentity
from firstlight.observe.inside.observer import rank
from firstlight.records.places import Site
from firstlight.records.scoring import AnswersScored, NumbersMet, Wanted

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer
    from firstlight.observe.inside.taps.models import Call

DIFFERENCES = frozenset({"sub", "__sub__", "rsub", "__rsub__", "subtract"})
MEETINGS = DIFFERENCES | {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"}
LEFT = 1e-6
"""Of the square, at most, that one factor and offset leave unexplained."""
MOST_WAYS = 32
LEAST_STEPS = 3
"""Evaluations that come closer than this to the ones before are a part of the training itself."""
ALIKE = 2.0
"""Factor between deviations, within which what is wanted is as in training."""
EXACT = 1e-3
"""Within which the mean of a batch is zero, and its deviation one."""
Way = tuple[tuple[str, int], ...]
Part = tuple[int, int | None]
"""Which of the outputs, and which of its columns, where it is only one of them."""


@dataclass
class NumbersWanted:
    """The batches of what was wanted in one place, by mean, square deviation, lowest and highest of each."""

    batches: list[tuple[int, float, float, float, float]] = field(default_factory=list)

    def add(self, values: torch.Tensor) -> None:
        mean = values.mean()
        square = (values - mean).square().sum()
        self.batches.append((values.numel(), float(mean), float(square), float(values.min()), float(values.max())))

    def met(self) -> NumbersMet:
        count = sum(batch[0] for batch in self.batches)
        mean = sum(size * own for size, own, *_ in self.batches) / count
        within = sum(square for _, _, square, *_ in self.batches)
        between = sum(size * (own - mean) ** 2 for size, own, *_ in self.batches)
        parts, freedom = len(self.batches) - 1, count - len(self.batches)
        return NumbersMet(
            count=count,
            mean=mean,
            std=math.sqrt((within + between) / count),
            drift=between / parts / (within / freedom) if parts and freedom and within > 0 else 0.0,
            standard=self._is_standard(),
        )

    def _is_standard(self) -> bool:
        """Each batch by itself, which are not all of the same values."""
        known = {(low, high) for *_, low, high in self.batches}
        return len(known) > 1 and all(
            abs(mean) <= EXACT and min(abs(math.sqrt(square / of) - 1) for of in (size, size - 1)) <= EXACT
            for size, mean, square, *_ in self.batches
        )


@dataclass
class _Taught:
    """What the loss of one model wants, on which line, and the lines that lead to it."""

    site: Site | None
    lines: set[tuple[str, int]] = field(default_factory=set)
    numbers: dict[Part, NumbersWanted] = field(default_factory=dict)
    of_inputs: bool = False
    """Some of it is made of the inputs, as for an autoencoder."""


@dataclass
class _Asked:
    model: str
    part: Part
    taught: _Taught | None
    """None where nothing is known of the loss."""
    numbers: NumbersWanted = field(default_factory=NumbersWanted)
    step: int = 0
    crowded: int = 0
    times: int = 0
    answers: int = 0


class WantedOutputs:
    def __init__(
        self, observer: "Observer", gathered: Gathered, rests_on_answers: Callable[[torch.Tensor], bool]
    ) -> None:
        self.observer, self._gathered, self._rests_on_answers = observer, gathered, rests_on_answers
        self.put_out = PutOut()
        self._taught: ByIdentity[_Taught] = ByIdentity()
        self._training: tuple[torch.nn.Module, list[torch.Tensor]] | None = None
        self._model: torch.nn.Module | None = None
        self._inputs: list[torch.Tensor] = []
        self._asked: dict[tuple[Way, Part], _Asked] = {}
        self._iterated: ByIdentity[bool] = ByIdentity()
        """Models that are given what they gave: what is subtracted on the way is no error."""

    def trained(self, call: "Call") -> None:
        self._training, self._inputs = (call.module, floats(call.output)), call.question

    def asked(self, call: "Call") -> None:
        if call.module is self._model and any(map(self._rests_on_answers, call.question)):
            self._iterated[call.module] = True
        self._training, self._model, self._inputs = None, call.module, call.question

    def rest(self) -> None:
        """Training goes on."""
        self._training, self._model, self._inputs = None, None, []

    def meet(self, one: Any, other: Any) -> None:
        if not (_counts(one) and _counts(other)):
            return
        for side, target in ((one, other), (other, one)):
            if self._training is not None and not target.requires_grad:
                self._learn(*self._training, side, target)
            elif self._model is not None and not self._rests_on_answers(target):
                self._ask(self._model, side, target)

    def _learn(
        self, module: torch.nn.Module, outputs: list[torch.Tensor], side: torch.Tensor, target: torch.Tensor
    ) -> None:
        if self.put_out.rests(target):
            return
        if side.requires_grad and (found := _wanted(side, target, outputs)) is not None:
            taught = self._taught.get(module, None) or _Taught(sites.caller())
            taught.lines.update(sites.way())
            taught.numbers.setdefault(found[0], NumbersWanted()).add(found[1])
            alike = [given for given in self._inputs if given.numel() == target.numel() and reading.readable(given)]
            taught.of_inputs = taught.of_inputs or any(_line(given, target) is not None for given in alike)
            self._taught[module] = taught

    def _ask(self, module: torch.nn.Module, side: torch.Tensor, target: torch.Tensor) -> None:
        taught = self._taught.get(module, None)
        if module in self._iterated or (self._is_input(target) and not (taught is not None and taught.of_inputs)):
            return
        for given in self._gathered.of(side.numel()):
            if (found := _wanted(side, target, given.outputs)) is not None:
                self._note(self._by_way(module, found[0]), found[1])
                return

    def _by_way(self, module: torch.nn.Module, part: Part) -> _Asked:
        way = tuple(sites.way())
        taught = self._taught.get(module, None)
        made = _Asked(type(module).__name__, part, taught if taught and part in taught.numbers else None)
        return self._asked.setdefault((way, part), made) if len(self._asked) < MOST_WAYS else made

    def _note(self, asked: _Asked, values: torch.Tensor) -> None:
        asked.crowded += asked.times > 0 and 0 < self.observer.step - asked.step < LEAST_STEPS
        asked.step = self.observer.step
        asked.times += 1
        asked.answers += values.numel()
        asked.numbers.add(values)

    def _is_input(self, target: torch.Tensor) -> bool:
        """Or a part of it: the difference is then an answer, of a model that gives what is to be taken away."""
        return any(
            target.data_ptr() == given.data_ptr() or (target.shape == given.shape and torch.equal(target, given))
            for given in self._inputs
            if reading.readable(given) and not given.is_sparse and given.device == target.device
        )

    def seen(self) -> Iterator[AnswersScored]:
        found = [(asked, *self._told(way, asked)) for (way, _), asked in self._asked.items()]
        for asked, site, wanted in found:
            others = [(other, one) for other, _, one in found if other is not asked and other.model == asked.model]
            yield AnswersScored(
                step=self.observer.step,
                rank=rank(),
                site=site,
                model=asked.model,
                times=asked.times,
                answers=asked.answers,
                least=0,
                moved=0,
                elsewhere=False,
                wanted=wanted,
                fitting=sum(one is not None and 1 / ALIKE < one.wider < ALIKE and one.apart < 1 for _, one in others),
            )

    @staticmethod
    def _told(way: Way, asked: _Asked) -> tuple[Site | None, Wanted | None]:
        """At the innermost line that is not one of training: both may call the same function."""
        taught = asked.taught
        own = next((place for place in way if taught is None or place not in taught.lines), None)
        site = None if own is None else sites.site_of(*own)
        if taught is None:
            return site, None
        return site, Wanted(
            trained_at=taught.site,
            trained=taught.numbers[asked.part].met(),
            scored=asked.numbers.met(),
            crowded=asked.crowded,
        )


def _counts(side: Any) -> bool:
    if not isinstance(side, torch.Tensor) or not LEAST_NUMBERS <= side.numel() <= MOST_ELEMENTS:
        return False
    return reading.readable(side) and not side.is_complex() and side.dtype != torch.bool


def _wanted(
    side: torch.Tensor, target: torch.Tensor, outputs: Sequence[torch.Tensor]
) -> tuple[Part, torch.Tensor] | None:
    """The target in units of the output that one side is made of, where the other one is not made of it."""
    for part, output in _parts(outputs, side.numel()):
        if (line := _line(output, side)) is not None:
            if target.numel() == output.numel() and _line(output, target) is not None:
                return None
            found = (target.detach().cpu().double().reshape(-1) - line[1]) / line[0]
            return (part, found) if bool(torch.isfinite(found).all()) else None
    return None


def _parts(outputs: Sequence[torch.Tensor], count: int) -> Iterator[tuple[Part, torch.Tensor]]:
    for index, output in enumerate(outputs):
        if output.numel() == count:
            yield (index, None), output
        elif output.ndim > 1 and output.numel() == count * output.shape[1] and output.shape[1] <= MOST_COLUMNS:
            for column in range(output.shape[1]):
                yield (index, column), output[:, column]


def _line(output: torch.Tensor, side: torch.Tensor) -> tuple[float, float] | None:
    """Factor and offset that make the one of the other."""
    x, y = (tensor.detach().cpu().double().reshape(-1) for tensor in (output, side))
    across, up = x - x.mean(), y - y.mean()
    square = float(across.square().sum())
    factor = float((across * up).sum()) / square if square > 0 else 0.0
    left = float((up - factor * across).square().sum())
    if not (factor and left <= LEFT * float(up.square().sum())):
        return None
    return factor, float(y.mean() - factor * x.mean())
