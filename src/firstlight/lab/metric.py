"""Which of the numbers that runs tell is the one to compare, which way is better, and its value in one run."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from firstlight.errors import UsageError
from firstlight.facts import naming
from firstlight.facts.live import told
from firstlight.facts.live.told import words_of
from firstlight.records.trials import FinishedRun
from firstlight.settings import nearest

TRAINING_LOSS = "training loss"
"""The last values on which `backward` was called: what is left where a program tells nothing."""
HIGHER = (
    told.HIGHER | naming.ACCURACIES | {"reward", "return", "returns", "score", "psnr", "ssim", "mrr", "ndcg", "hits"}
)
LOWER = told.LOWER | naming.LOSSES | {"err", "bpb", "bpc", "fid", "regret", "rmsle", "mape", "smape", "brier", "ece"}
HELD_OUT = naming.HELD_OUT | naming.TESTED
NO_METRIC = frozenset("""lr rate time seconds sec ms eta elapsed epoch step steps it seq rank norm""".split())
MOST_NAMED = 12


@dataclass(frozen=True, slots=True)
class Metric:
    name: str
    higher: bool
    """Whether more of it is better."""
    guessed: bool = False
    """The user named none."""
    assumed: bool = False
    """Nothing in its name says which way is better."""

    @property
    def wanted(self) -> str:
        return "higher is better" if self.higher else "lower is better"

    def gain(self, other: float, reference: float) -> float:
        """By how much `other` is better."""
        return other - reference if self.higher else reference - other

    def told(self) -> tuple[str, ...]:
        """What the reader must know about the choice."""
        guessed = (
            f"the metric is `{self.name}`, the most likely of those the runs report; choose another with `--metric`"
        )
        assumed = f"for `{self.name}`, it is assumed that {self.wanted}; `--better` changes that"
        return (*((guessed,) if self.guessed else ()), *((assumed,) if self.assumed else ()))


def choose(trials: Sequence[FinishedRun], wanted: str | None, better: str | None) -> Metric:
    """From runs that came to their end. Raises where the wanted name is in none of them, or nothing is told at all."""
    names = list(dict.fromkeys(name for trial in trials for name, values in trial.values.items() if values))
    if wanted is not None:
        found = next((name for name in names if _alike(name, wanted)), None)
        if found is None:
            known = ", ".join(f"`{name}`" for name in names[:MOST_NAMED]) or "no number at all"
            raise UsageError(f"no run reports `{wanted}`{nearest(wanted, names)} The runs report {known}.")
        return _directed(found, better, guessed=False)
    usable = [name for name in names if _worth(name) > 0]
    if not usable:
        raise UsageError(
            "the runs report no number to compare: no name with a value is printed or logged, and no loss was "
            "seen. Print one at the end, such as `val_acc: 0.91`."
        )
    return _directed(max(usable, key=_worth), better, guessed=True)


def value(trial: FinishedRun, metric: Metric) -> float:
    """The last one; NaN where the run failed or did not tell it."""
    values = trial.values.get(metric.name, ())
    if trial.exit_code != 0 or not values:
        return math.nan
    return median(values) if metric.name == TRAINING_LOSS and all(map(math.isfinite, values)) else values[-1]


def _alike(name: str, wanted: str) -> bool:
    return words_of(name) == words_of(wanted)


def _directed(name: str, better: str | None, guessed: bool) -> Metric:
    words = set(words_of(name))
    if better is not None:
        return Metric(name, better == "higher", guessed)
    if words & LOWER:
        return Metric(name, False, guessed)
    return Metric(name, True, guessed, assumed=not words & HIGHER)


def _worth(name: str) -> int:
    """How likely a name is the one that counts: held-out before training, scores before losses; 0 for never."""
    words = set(words_of(name))
    if name == TRAINING_LOSS:
        return 1
    if words & NO_METRIC:
        return 0
    known = 2 * bool(words & HIGHER) or bool(words & LOWER)
    return 3 + 4 * bool(words & HELD_OUT) + known - bool(words & naming.TRAINED)
