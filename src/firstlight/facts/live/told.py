"""What the program tells of: evaluations, scores, and the terms of its loss. Their names say what they are."""

import math
import re
from collections import deque

from firstlight.facts.live import robust
from firstlight.facts.live.series import middle
from firstlight.records.live import EvalTrack, ScoreTrack, TermTrack, Turned

PREFIXES = ("val", "valid", "validation", "eval", "test")
HIGHER = frozenset({"acc", "accuracy", "f1", "auc", "auroc", "precision", "recall", "map", "iou", "dice", "bleu", "r2"})
LOWER = frozenset({"error", "rmse", "mae", "mse", "wer", "cer", "perplexity", "ppl"})
TOTALS = frozenset({"loss", "total", "train", "training", "running", "epoch", "avg", "mean"})
"""Words in the name of the whole loss, rather than of a term of it."""
MOST_EVALUATIONS = 64
MOST_TERMS = 16
RECENT = 64


def words_of(name: str) -> list[str]:
    return [word for word in re.split(r"[^a-z0-9]+", name.lower()) if word]


class EvalWindow:
    """`val_…`, `valid_…`, `eval_…` and `test_…` among the numbers, each beside the training loss at that time."""

    def __init__(self) -> None:
        self._values: dict[str, deque[float]] = {}
        self._train: dict[str, deque[float]] = {}
        self._lately: dict[str, deque[float]] = {}
        self._bad: list[str] = []
        """Those of the last call that are not finite."""

    def add(self, told: dict[str, float], train: float, lately: float) -> None:
        """`train` and `lately`: levels of the training loss over more and over fewer steps."""
        losses = {name: value for name, value in told.items() if _is_evaluation(name)}
        self._bad = [name for name, value in losses.items() if not math.isfinite(value)]
        for name, value in losses.items():
            if math.isfinite(value) and math.isfinite(train):
                self._values.setdefault(name, deque(maxlen=MOST_EVALUATIONS)).append(value)
                self._train.setdefault(name, deque(maxlen=MOST_EVALUATIONS)).append(train)
                self._lately.setdefault(name, deque(maxlen=MOST_EVALUATIONS)).append(lately)

    def facts(self, step: int, rank: int) -> list[EvalTrack]:
        return [
            EvalTrack(
                rank=rank,
                step=step,
                name=name,
                values=tuple(values),
                train=tuple(self._train[name]),
                lately=tuple(self._lately[name]),
            )
            for name, values in self._values.items()
        ]

    def turned(self, step: int, rank: int) -> list[Turned]:
        """Those that were just told and are not finite."""
        return [
            Turned(
                rank=rank,
                step=step,
                kind="evaluation",
                name=None,
                bad=1,
                tensors=0,
                lr=None,
                earlier=tuple(self._values.get(name, ())),
                norms=(),
                evaluation=name,
            )
            for name in self._bad
        ]


class ScoreWindow:
    """A score whose good direction is known by its name, beside the loss that was told with it."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[str, str], deque[tuple[float, float]]] = {}

    def add(self, told: dict[str, float]) -> None:
        seen = {name: words_of(name) for name, value in told.items() if math.isfinite(value)}
        evaluated = {name: words for name, words in seen.items() if words and words[0] in PREFIXES}
        losses = [name for name, words in evaluated.items() if words[-1] == "loss"]
        if len(losses) != 1:
            return
        for name, words in evaluated.items():
            if words[-1] in HIGHER | LOWER:
                pairs = self._pairs.setdefault((name, losses[0]), deque(maxlen=MOST_EVALUATIONS))
                pairs.append((told[name], told[losses[0]]))

    def facts(self, step: int, rank: int, train: float, mixture: tuple[float, ...]) -> list[ScoreTrack]:
        found = []
        for (name, loss), pairs in self._pairs.items():
            values, losses = tuple(value for value, _ in pairs), tuple(loss for _, loss in pairs)
            good = values if words_of(name)[-1] in HIGHER else tuple(-value for value in values)
            falling = [-each for each in losses]
            found.append(
                ScoreTrack(
                    rank=rank,
                    step=step,
                    name=name,
                    values=values,
                    loss=loss,
                    losses=losses,
                    improving=robust.together(range(len(losses)), falling),
                    agreement=robust.together(good, falling),
                    train=train,
                    mixture=mixture,
                )
            )
        return found


class TermWindow:
    """Two or more numbers of training whose names end in `loss` and which are not the whole."""

    def __init__(self) -> None:
        self._terms: dict[str, deque[float]] = {}
        self._steps = 0

    def add(self, told: dict[str, float]) -> None:
        terms = {name: value for name, value in told.items() if _is_term(name) and math.isfinite(value)}
        if len(terms) < 2 or len(self._terms.keys() | terms.keys()) > MOST_TERMS:
            return
        self._steps += 1
        for name, value in terms.items():
            self._terms.setdefault(name, deque(maxlen=RECENT)).append(abs(value))

    def facts(self, step: int, rank: int) -> list[TermTrack]:
        if not self._steps:
            return []
        sizes = {name: middle(list(values)) for name, values in self._terms.items()}
        return [TermTrack(rank=rank, step=step, steps=self._steps, terms=sizes)]


def _is_evaluation(name: str) -> bool:
    prefix, _, rest = name.replace("/", "_").partition("_")
    return prefix in PREFIXES and rest.endswith("loss")


def _is_term(name: str) -> bool:
    words = words_of(name)
    return len(words) > 1 and "loss" in words and words[0] not in PREFIXES and bool(set(words) - TOTALS)
