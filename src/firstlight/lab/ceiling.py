"""`ceiling`: how low the loss could get, and what keeps it from there.

Measured beside the program's own level are those of

- a copy that learns one batch by heart without regularisation, at several rates: what its parameters can express;
- copies whose layers are wider, or followed by further ones: what more of them could;
- the loss over free predictions, and through the last activation: what the answers allow, and what that lets through;
- a copy whose inputs do not belong to its targets: what is left without looking;
- a copy in which a stage that the user declares gives perfect answers.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from firstlight.experiments.plan import Order
from firstlight.lab.agreement import Agreement, agreement
from firstlight.lab.copies import Known, Workbench
from firstlight.lab.keeping import LabRun
from firstlight.observe.printed import numbers_in
from firstlight.records.finding import Scalar
from firstlight.records.lab import LabCurve, LabPlot, LabReport, LabTable
from firstlight.records.taped import FreeSeen, ReachSeen

FREE = ("no-dropout", "no-decay")
"""Smoothed labels stay: they are part of what is measured."""
RATES = (1.0, 3.0, 10.0)
SIZES = {"wider": "wider=2", "deeper": "deeper=1"}
"""Copies that can express more, by name."""
TAPS = ("loaders", "operations", "tape", "free-predictions")
TAIL = 10
"""One in so many of the last steps is a level."""
LEAST_STEPS = 20
ORACLE = "oracle"
UNTOLD = "the copy was not changed, or did not finish"
NEAR = 0.1
"""Share of the way from the blind level down that counts as nothing."""


@dataclass(frozen=True, slots=True)
class Oracle:
    """A stage of the program, and what gives its perfect answers."""

    stage: str
    """A module by its name within the model."""
    function: str
    """`module:function`, from what the stage made and the batch to what it should have made."""

    @property
    def intervention(self) -> str:
        return f"oracle={self.stage}={self.function}"

    @property
    def level(self) -> str:
        return f"with a perfect {self.stage}"


@dataclass(frozen=True, slots=True)
class CeilingPlan:
    """Which copies are made; all at once, because none depends on another."""

    oracle: Oracle | None = None

    def __call__(self, known: Known) -> Sequence[Order]:
        steps = len(known.program.losses)
        if steps < LEAST_STEPS:
            return ()
        seconds = known.seconds_for(steps)
        wanted: dict[str, tuple[str, ...]] = {}
        if known.by_loader:
            wanted |= {f"by-heart-{rate:g}": ("repeat-batch", *FREE, f"lr={rate:g}") for rate in RATES}
            wanted |= {"blind": ("permute-inputs",)}
        wanted |= {name: (word,) for name, word in SIZES.items()}
        wanted |= {ORACLE: (self.oracle.intervention,)} if self.oracle is not None else {}
        return [Order(name=name, interventions=words, steps=steps, seconds=seconds) for name, words in wanted.items()]


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of the program and its copies."""

    known: Known
    reached: Sequence[ReachSeen] = ()
    free: Sequence[FreeSeen] = ()
    metric: Agreement | None = None
    oracle: Oracle | None = None


def ceiling(bench: Workbench, _kept: LabRun, oracle: Oracle | None = None) -> LabReport:
    copies = bench.asked(CeilingPlan(oracle))
    watched, known = copies.watched, copies.known
    told = agreement(known.program.losses, numbers_in(watched.lines))
    seen = Seen(known, watched.of(ReachSeen), watched.of(FreeSeen), told, oracle)
    return answer(seen, copies.left, bench.target.words)


def level(losses: Sequence[float]) -> float | None:
    tail = losses[-max(3, len(losses) // TAIL) :]
    return median(tail) if tail and all(map(math.isfinite, tail)) else None


def levels(seen: Seen) -> dict[str, float]:
    """By their names, the highest first; those that could not be measured are left out."""
    known = seen.known
    ends = {name: level(trial.losses) for name, trial in known.trials.items() if _counts(known, name)}
    by_heart = [end for name, end in ends.items() if name.startswith("by-heart")]
    free = [one.free for one in seen.reached] + [one.free for one in seen.free]
    found: dict[str, float | None] = {
        "at the start": fmean(known.program.losses[:3]),
        "without looking": ends.get("blind"),
        "the program": level(known.program.losses),
        **{f"the program, {name}": ends.get(name) for name in SIZES},
        **({seen.oracle.level: ends.get(ORACLE)} if seen.oracle is not None else {}),
        "one batch by heart": min((one for one in by_heart if one is not None), default=None),
        "what the last activation allows": min((one.bound for one in seen.reached), default=None),
        "free predictions": min(free, default=None),
    }
    return {name: value for name, value in found.items() if value is not None and math.isfinite(value)}


def _counts(known: Known, name: str) -> bool:
    """Whether a copy came as far as the program, and was changed at all. By heart, half as far tells as well."""
    trial = known.trials[name]
    same = name in SIZES and trial.losses == known.program.losses
    late = trial.out_of_time and not name.startswith("by-heart")
    return len(trial.losses) > len(known.program.losses) / 2 and not trial.died and not same and not late


def answer(seen: Seen, left: int, command: tuple[str, ...]) -> LabReport:
    found = levels(seen)
    rows: list[tuple[Scalar, ...]] = list(found.items())
    numbers: dict[str, Scalar] = {name.replace(",", "").replace(" ", "_"): value for name, value in found.items()}
    metric = seen.metric
    numbers |= {"metric": metric.metric.name, "metric_and_loss": metric.course} if metric is not None else {}
    return LabReport(
        kind="ceiling",
        command=command,
        answer=" ".join(_sentences(seen, found)),
        numbers=numbers,
        tables=(LabTable(title="how low the loss gets", head=("level", "loss"), rows=tuple(rows)),),
        plots=tuple(_plots(seen.known)),
        done=len(seen.known.trials),
        left=left,
        limits=tuple(_limits(seen)),
    )


def _sentences(seen: Seen, found: dict[str, float]) -> Iterator[str]:
    program = found.get("the program")
    if program is None:
        yield "The program itself does not end at a finite loss, so no ceiling can be given."
        return
    top = max(found.get("without looking", found["at the start"]), program)
    scale = NEAR * (top - min(found.values())) or 1e-12
    yield _limit(seen, found, top, scale)
    yield from _of_sizes(found, scale)
    yield from _of_oracle(seen, found, scale)
    blind = found.get("without looking")
    if blind is not None and blind - program < scale:
        yield f"So far it does no better than without its inputs ({blind:.3g})."
    yield from _of_metric(seen)


def _limit(seen: Seen, found: dict[str, float], top: float, scale: float) -> str:
    """What keeps the loss from getting lower, by the levels below the program's."""
    program, heart = found["the program"], found.get("one batch by heart")
    free, bound = found.get("free predictions"), found.get("what the last activation allows")
    if free is not None and bound is not None and bound - free > scale:
        worst = max(seen.reached, key=lambda one: one.bound - one.free)
        place = f" ({worst.site.file}:{worst.site.line})" if worst.site is not None else ""
        return f"`{worst.operation}`{place} is the ceiling: the loss gets to {bound:.3g} with it, {free:.3g} without."
    if free is not None and program - free < scale:
        return f"The program ({program:.3g}) is nearly as low as its labels allow ({free:.3g}): little is left to gain."
    if heart is None:
        return f"The program ends at {program:.3g}; no copy reached a finite loss on one batch to compare with."
    if heart > top - scale:
        return f"The model cannot even overfit one batch ({heart:.3g}): its parameters cannot produce the labels."
    if program - heart > scale:
        return (
            f"The model can express more than it has learned: overfitting one batch ends at {heart:.3g}, the program "
            f"at {program:.3g}."
        )
    return f"The program ({program:.3g}) is as low as the model gets on one batch ({heart:.3g}): its size limits it."


def _of_sizes(found: dict[str, float], scale: float) -> Iterator[str]:
    program = found["the program"]
    grown = {name: found[f"the program, {name}"] for name in SIZES if f"the program, {name}" in found}
    if not grown:
        return
    best = min(grown, key=grown.__getitem__)
    if program - grown[best] > scale:
        yield f"A {best} copy gets to {grown[best]:.3g} in as many steps: a larger model would help."
    else:
        told = " or ".join(f"{name} ({value:.3g})" for name, value in grown.items())
        yield f"Made {told}, it gets hardly lower: training time, rate, regularization or data are the limit."


def _of_oracle(seen: Seen, found: dict[str, float], scale: float) -> Iterator[str]:
    if seen.oracle is None or seen.oracle.level not in found:
        return
    program, perfect = found["the program"], found[seen.oracle.level]
    if program - perfect > scale:
        yield f"With perfect outputs of `{seen.oracle.stage}` it ends at {perfect:.3g}: that stage is the bottleneck."
    else:
        yield f"Perfect outputs of `{seen.oracle.stage}` bring nothing ({perfect:.3g}): it is not the bottleneck."


def _of_metric(seen: Seen) -> Iterator[str]:
    if seen.metric is None or seen.metric.course == "agrees":
        return
    does = "does not improve" if seen.metric.course == "stands" else "gets worse"
    yield (
        f"While the loss falls, `{seen.metric.metric.name}` {does} ({seen.metric.first:.3g} → {seen.metric.last:.3g}): "
        "the loss does not measure what the metric does, or what is learned does not generalize."
    )


def _plots(known: Known) -> Iterator[LabPlot]:
    trials = [known.program, *known.trials.values()]
    curves = tuple(
        LabCurve(name=trial.name, x=tuple(map(float, range(len(trial.losses)))), y=trial.losses)
        for trial in trials
        if len(trial.losses) > 1
    )
    if curves:
        yield LabPlot(title="Loss of each copy", x="step", y="loss", curves=curves)


def _limits(seen: Seen) -> Iterator[str]:
    known = seen.known
    if not known.trials:
        yield f"the program makes only {len(known.program.losses)} steps: no copy was run"
    elif not known.by_loader:
        yield "no DataLoader feeds training, so a copy cannot repeat one batch"
    if not (seen.reached or seen.free):
        yield "the loss cannot be computed again from free predictions: its floor was not measured"
    if not known.finished:
        yield "only the start of the program was observed; its level is that of the observed steps (`--steps`)"
    for name in (*SIZES, ORACLE):
        if name in known.trials and not _counts(known, name):
            yield f"{name}: {'; '.join(known.trials[name].unseen) or UNTOLD}"
