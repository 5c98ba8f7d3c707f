"""What an evaluation measures, so that a number which the program goes by can be told for what it is.

Between a call of a model without gradients and the next step, loss functions, differences and comparisons of answers
with targets are listened to, of torch and of numpy, for each model and each way that leads to its call; so are
functions that compute a metric. A number that equals their mean or sum is a loss, or a share of right answers, whatever
its name.
"""

import math
import weakref
from collections.abc import Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from firstlight.experiments.inside.averages import Averages, Heard, Phase, number_of
from firstlight.experiments.inside.carried import MixedScores
from firstlight.experiments.inside.gathered import Gathered
from firstlight.experiments.inside.scoring import Scoring
from firstlight.experiments.inside.shortening.arithmetic import Arithmetic
from firstlight.experiments.inside.side_by_side import PAIRS, SideBySide
from firstlight.experiments.inside.wanted import MEETINGS, WantedOutputs
from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps.losses import FUNCTIONS
from firstlight.observe.inside.taps.models import Call
from firstlight.observe.inside.taps.operations import may_push

SAME = 1e-4
"""Relative: sums of single precision, taken in another order."""
MOST_HEARD = 10_000
MOST_SENSED = 3
"""Training calls after which the loss is listened to."""
MOST_NUMBERS = 100_000
COMPARED = {"eq": True, "__eq__": True, "ne": False, "__ne__": False}
"""Whether what holds is right."""
TAKEN = frozenset({"item", "__float__", "__int__"})
DIFFERENCES = frozenset({"sub", "__sub__", "rsub", "__rsub__"})


class MeasuredLosses(TorchFunctionMode):
    def __init__(self, observer: Observer) -> None:
        super().__init__()
        self.observer = observer
        self._heard_of: dict[tuple[Any, ...], Phase] = {}
        """By the lines of the user's that lead to the call of a model, and that model; or by the line that computes."""
        self._phase = Phase()
        self._computed: list[tuple[str, float]] = []
        """What functions that compute a metric came to."""
        self.arithmetic = Arithmetic()
        """Of the user's own code: switched on and off with this."""
        self._on = False
        self._sensed = 0
        self._heard = observer.shielded("measured", self._hear)
        self.scoring = Scoring(observer)
        self._scored = observer.shielded("scoring", self.scoring.heard)
        self.gathered = Gathered()
        self.wanted = WantedOutputs(observer, self.gathered, self.scoring.rests_on_answers)
        self._wants = observer.shielded("wanted", self.wanted.meet)
        self._follows = observer.shielded("put-out", self.wanted.put_out.heard)
        self.side_by_side = SideBySide(observer, self.gathered, self.scoring.rests_on_answers)
        self._meet_as = observer.shielded("side-by-side", self.side_by_side.meet)
        self.averages = Averages(observer)
        self.carried = MixedScores(observer)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        if not self.observer.reading:
            name = getattr(func, "__name__", "")
            if self.arithmetic.on:
                self._heard(name, args, found, (kwargs or {}).get("reduction", "mean"))
            given = (*args, *(kwargs or {}).values())
            self._scored(name, given, found)
            self._follows(name, given, found)
            if name in MEETINGS and len(given) > 1:
                self._wants(*given[:2])
            if name in PAIRS and len(given) > 1:
                self._meet_as(name.strip("_"), *given[:2])
        return found

    def _hear(self, name: str, given: tuple[Any, ...], found: Any, reduction: str) -> None:
        if name in TAKEN and given and not isinstance(found, torch.Tensor):
            self._take(given[0], found)
        phase = self._phase
        if len(phase.losses) + len(phase.right) > MOST_HEARD or not isinstance(found, torch.Tensor):
            return
        if not found.numel() or not reading.readable(found):
            return
        first = given[0] if given and isinstance(given[0], torch.Tensor) else found
        if name in FUNCTIONS:
            phase.losses.append((reading.number(found.float().mean()), len(first) if first.ndim else 1))
            phase.summed = phase.summed or reduction == "sum"
        elif name in COMPARED and _are_answers(given):
            held = int(found.sum())
            self.counted(len(found))
            phase.right.append((held if COMPARED[name] else found.numel() - held, found.numel()))
        elif name in DIFFERENCES and _are_answers(given) and found.numel() <= MOST_NUMBERS:
            apart = found.detach().double()
            self._apart(apart.square().mean(), apart.abs().mean(), len(found))

    def _take(self, source: torch.Tensor, number: Any) -> None:
        """A number leaves torch; the first that this line takes of the answers to a batch stands for them."""
        phase, site = self._phase, sites.caller()
        if not phase.batches or not isinstance(number, (int, float)):
            return
        many, total = phase.taken.get(site, (0, 0.0))
        phase.taken[site] = many + 1, total + number
        if self.scoring.rests_on_answers(source):
            taken = phase.numbers.setdefault(site, [])
            if len(taken) == len(phase.batches) - 1:
                taken.append((float(number), phase.batches[-1]))

    def arrays(self, name: str, one: Any, other: Any, found: Any) -> None:
        """The same of numpy."""
        if not self._on or len(self._heard_of) > MOST_HEARD:
            return
        self.meet(name, one, other)
        if name in DIFFERENCES:
            self.counted(len(one))
            self._apart((found * found).mean(), abs(found).mean(), len(one))
        else:
            held = int(found.sum())
            self.counted(len(found))
            self.scoring.arrays(one, other)
            phase = self._heard_of.setdefault(("array", sites.caller()), Phase())
            phase.right.append((held if COMPARED[name] else found.size - held, found.size))

    def _apart(self, squared: Any, absolute: Any, rows: int) -> None:
        """Predictions and answers, subtracted: the mean square of it is a loss, and so is its mean size."""
        site = sites.caller()
        for way, value in (("square", squared), ("size", absolute)):
            losses = self._heard_of.setdefault((way, site), Phase()).losses
            if len(losses) < MOST_HEARD:
                losses.append((float(value), rows))

    def meet(self, how: str, one: Any, other: Any) -> None:
        """Arrays, or lists of numbers, are held against each other."""
        if self._on:
            self._meet_as(how, one, other)
            self._wants(*(torch.as_tensor(side, dtype=torch.float64) for side in (one, other)))

    def pairs(self, one: Any, other: Any) -> None:
        """They are gone through side by side."""
        if self._on:
            self._meet_as("beside", one, other)

    def metric(self, improves_upwards: bool, value: float) -> None:
        """A function that computes a metric came to it."""
        if self._on and len(self._computed) < MOST_HEARD:
            self._computed.append(("score" if improves_upwards else "loss", value))

    def divided(self, total: Any, count: Any) -> None:
        if self._on:
            self.averages.divided(self._heard_of.values(), total, count)
            self.carried.divided(self._heard_of.values(), number_of(total), number_of(count))

    def counted(self, examples: int) -> None:
        """Of so many a metric is computed at once."""
        if self._on:
            self.carried.counted(self._heard_of.values(), examples)

    def returned(self, call: Call) -> None:
        """A model was called: in eval mode or without gradients an evaluation may have begun."""
        self.wanted.put_out.returned(call)
        if call.training and call.module.training:
            self.training_goes_on()
            self.scoring.given(call.inputs)
            if self._sensed < MOST_SENSED:  # a few are heard too: they tell what the answers stand for
                self._sensed += 1
                self.scoring.trained(call)
                self.wanted.trained(call)
                self._listen()
        elif self.observer.step:
            self.gathered.asked(call)
            self.wanted.asked(call)
            self.scoring.asked(call)
            self._phase = self._heard_of.setdefault((id(call.module), *sites.way()), Phase())
            self._phase.model = self._phase.model or weakref.ref(call.module)
            if len(self._phase.batches) < MOST_HEARD:
                self._phase.batches.append(next((len(given) for given in call.inputs if given.ndim), 0))
            self._listen()
        else:  # nothing is trained yet, but what it is trained to give may be made of this
            self._listen()
            self.arithmetic.on = False

    def _listen(self) -> None:
        if not self._on and may_push():
            self._on = True
            self.__enter__()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        self.arithmetic.on = self._on

    def step_begins(self, *_: Any) -> None:
        """At first the classes of losses are listened to on until a model has returned: they may be a part of it."""
        if self._sensed >= MOST_SENSED or not self._sensed:
            self.training_goes_on()
        self.arithmetic.on = False
        self._forget()

    def _forget(self) -> None:
        self.carried.training_goes_on(self._heard_of.values())
        self._heard_of.clear()

    def training_goes_on(self) -> None:
        self.arithmetic.on = False
        if self._on and _is_last(self):  # else one of the program's own was begun after it, and ends first
            self._on = False
            self.__exit__(None, None, None)  # type: ignore[no-untyped-call]
        self._forget()
        self._computed.clear()
        self.scoring.rest()
        self.wanted.rest()
        self.gathered.rest()
        self._phase = Phase()

    def names(self, number: float) -> frozenset[str]:
        """Everything that the number may be."""
        return frozenset(name for name, value in self._values() if math.isclose(number, value, rel_tol=SAME))

    def _values(self) -> Iterator[tuple[str, float]]:
        yield from self._computed
        for phase in self._heard_of.values():
            for value in _sums(phase.losses):
                yield "loss", value
                yield "loss, negated", -value
                yield "loss", math.sqrt(abs(value))
                yield "loss", math.exp(min(value, MOST_EXPONENT))
            for value in _shares(phase.right):
                yield "accuracy", value
                yield "accuracy", 100 * value
                yield "error rate", 1 - value
                yield "error rate", 100 * (1 - value)
            if phase.right:
                yield "accuracy", sum(held for held, _ in phase.right)


MOST_EXPONENT = 700.0


def _is_last(mode: TorchFunctionMode) -> bool:
    count = torch._C._len_torch_function_stack()
    return count > 0 and torch._C._get_function_stack_at(count - 1) is mode


def _are_answers(given: tuple[Any, ...]) -> bool:
    """Two tensors, compared one for one."""
    match given:
        case (torch.Tensor() as one, torch.Tensor() as other):
            return one.shape == other.shape and one.ndim > 0
    return False


def _sums(losses: Heard) -> Iterator[float]:
    if losses:
        rows = sum(count for _, count in losses)
        total, weighted = sum(value for value, _ in losses), sum(value * count for value, count in losses)
        yield from (total, total / len(losses), weighted, weighted / rows, losses[-1][0])


def _shares(right: Heard) -> Iterator[float]:
    if right:
        yield sum(held for held, _ in right) / sum(count for _, count in right)
        yield sum(held / count for held, count in right) / len(right)
