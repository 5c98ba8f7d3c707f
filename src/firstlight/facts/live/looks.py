"""What is looked at on sampled steps only: activations, and predictions on a fixed batch."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from firstlight.facts.live import robust
from firstlight.facts.live.series import middle
from firstlight.records.live import ActivationTrack, ModuleState, PredictionTrack

KEPT = 3
PREDICTIONS_KEPT = 5
LEVELS_KEPT = 16


@dataclass(frozen=True, slots=True)
class Output:
    """One module at one sampled step."""

    name: str
    kind: str
    rms: float
    absmax: float
    dead: float
    saturated: float
    half: bool
    mean: float = 0.0
    std: float = 0.0


@dataclass(slots=True)
class _Module:
    kind: str
    rms_first: float
    saturated_first: float
    looks: int = 0
    half: bool = False
    absmax: float = 0.0
    rms: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT))
    dead: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT))
    saturated: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT))


class ActivationWindow:
    def __init__(self) -> None:
        self._modules: dict[str, _Module] = {}
        self._looks = 0

    def add(self, outputs: Sequence[Output]) -> None:
        self._looks += 1
        for output in outputs:
            module = self._modules.get(output.name)
            if module is None:
                module = self._modules[output.name] = _Module(output.kind, output.rms, output.saturated)
            module.looks += 1
            module.absmax, module.half = output.absmax, output.half
            module.rms.append(output.rms)
            module.dead.append(output.dead)
            module.saturated.append(output.saturated)

    def fact(self, step: int, rank: int) -> ActivationTrack | None:
        if not self._looks:
            return None
        states = tuple(
            ModuleState(
                name=name,
                kind=module.kind,
                looks=module.looks,
                dead=min(module.dead) if len(module.dead) == KEPT else 0.0,
                saturated=min(module.saturated) if len(module.saturated) == KEPT else 0.0,
                saturated_start=module.saturated_first,
                rms_start=module.rms_first,
                rms_now=middle(list(module.rms)),
                absmax=module.absmax,
                half=module.half,
            )
            for name, module in self._modules.items()
        )
        return ActivationTrack(rank=rank, step=step, looks=self._looks, modules=states)


@dataclass(frozen=True, slots=True)
class Prediction:
    """The fixed batch at one look: a class an example, or a number."""

    classes: tuple[int, ...]
    spread: float
    confidence: float
    level: float = 0.0
    """Mean logarithm of the sum of exponentials of the scores, which a softmax divides by."""


class PredictionWindow:
    def __init__(self, truths: tuple[int, ...] = ()) -> None:
        self._truths = truths
        self._looks = 0
        self._first: Prediction | None = None
        self._last: Prediction | None = None
        self._shares: deque[float] = deque(maxlen=PREDICTIONS_KEPT)
        self._flips: deque[float] = deque(maxlen=PREDICTIONS_KEPT)
        self._levels: deque[float] = deque(maxlen=LEVELS_KEPT)

    def add(self, now: Prediction) -> None:
        self._looks += 1
        self._first = self._first or now
        if now.classes:
            self._levels.append(abs(now.level))
            self._shares.append(top_share(now.classes))
            if self._last is not None and len(self._last.classes) == len(now.classes):
                pairs = zip(self._last.classes, now.classes, strict=True)
                self._flips.append(sum(a != b for a, b in pairs) / len(now.classes))
        self._last = now

    def fact(self, step: int, rank: int, remaining: float) -> PredictionTrack | None:
        if self._first is None or self._last is None:
            return None
        full = len(self._shares) == PREDICTIONS_KEPT
        return PredictionTrack(
            rank=rank,
            step=step,
            looks=self._looks,
            classes=len(set(self._truths or self._first.classes)),
            top_share=min(self._shares) if full else 0.0,
            true_share=top_share(self._truths or self._first.classes),
            spread=self._last.spread / self._first.spread if self._first.spread > 0 else 1.0,
            flips=middle(list(self._flips)) if len(self._flips) == PREDICTIONS_KEPT else 0.0,
            confidence=self._last.confidence,
            score_level=middle(list(self._levels)[-KEPT:]) if self._levels else 0.0,
            score_rising=robust.rising(list(self._levels)),
            remaining=remaining,
        )


def top_share(classes: Sequence[int]) -> float:
    return max(classes.count(each) for each in set(classes)) / len(classes) if classes else 0.0
