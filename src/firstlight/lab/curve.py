"""`curve`: what more data or more steps would bring.

Copies train on a part of the data, as many steps as the program makes on all of it; their last steps are asked about
examples that none of them has seen, and change nothing.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from firstlight.experiments.plan import Order
from firstlight.lab.copies import Known, Trial, Workbench
from firstlight.lab.keeping import LabRun
from firstlight.lab.power_law import PowerLaw, fitted, predicted
from firstlight.records.finding import Scalar
from firstlight.records.lab import LabCurve, LabPlot, LabReport, LabTable

PARTS = (0.125, 0.25, 0.5, 1.0)
DRAWS = 2
"""Parts of each size, drawn anew."""
LEAST_PARTS = 3
"""Amounts without which there is no curve."""
TAIL = 20
"""Steps that are asked about examples held out."""
LEAST_STEPS = 40
TENFOLD = 10.0
WORTH = 0.1
"""Share of what was learnt so far, or of what is left, by which ten times as much must lower the loss to pay."""
HELD_OUT = 0.2
"""Share of the examples that no copy trains on, as the copies have it."""
POINTS = 12
"""Of the curve over steps."""
WINDOW = 4


@dataclass(frozen=True)
class Parts:
    """The copies: each part of the data, twice, or none where no loader gives it."""

    steps: int

    def __call__(self, known: Known) -> Sequence[Order]:
        length = min(self.steps, len(known.program.losses))
        if known.examples is None or length < LEAST_STEPS:
            return ()
        seconds = known.seconds_for(length)
        return [
            Order(
                name=name(part, draw), interventions=(f"data-part={part}:{TAIL}:{draw}",), steps=length, seconds=seconds
            )
            for part in PARTS
            for draw in range(DRAWS)
        ]


def name(part: float, draw: int) -> str:
    return f"part-{part:g}-{draw}"


@dataclass(frozen=True, slots=True)
class Point:
    """One part of the data: what was reached on examples held out, with its standard error, and in training."""

    part: float
    held_out: float
    error: float
    trained: float


def curve(bench: Workbench, _kept: LabRun) -> LabReport:
    copies = bench.asked(Parts(bench.steps))
    return answer(copies.known, copies.left, bench.target.words)


def points(known: Known) -> list[Point]:
    found = [_point(part, [known.trials.get(name(part, draw)) for draw in range(DRAWS)]) for part in PARTS]
    return [point for point in found if point is not None]


def _point(part: float, trials: Sequence[Trial | None]) -> Point | None:
    made = [trial for trial in trials if trial is not None and not trial.out_of_time]
    whole = [trial.losses for trial in made if len(trial.losses) > 2 * TAIL]
    if not whole or not all(math.isfinite(loss) for losses in whole for loss in losses[-2 * TAIL :]):
        return None
    asked = [fmean(losses[-TAIL:]) for losses in whole]
    within = fmean(stdev(losses[-TAIL:]) for losses in whole) / math.sqrt(TAIL * len(whole))
    between = stdev(asked) / math.sqrt(len(asked)) if len(asked) > 1 else 0.0
    trained = fmean(fmean(losses[-2 * TAIL : -TAIL]) for losses in whole)
    return Point(part, fmean(asked), max(within, between), trained)


def over_steps(losses: Sequence[float]) -> tuple[list[float], list[float]]:
    """The training loss at a few steps, evenly by their logarithms, each the mean of those around it."""
    last = len(losses)
    places = sorted({round(WINDOW * (last / WINDOW) ** (place / (POINTS - 1))) for place in range(POINTS)})
    kept = [place for place in places if WINDOW <= place <= last]
    return [float(place) for place in kept], [
        fmean(losses[max(0, place - max(WINDOW, place // WINDOW)) : place]) for place in kept
    ]


@dataclass(frozen=True, slots=True)
class Outlook:
    """What ten times as much would bring."""

    now: float
    then: float
    low: float
    high: float
    scale: float
    """What was learnt so far or what is left, whichever is less; gains are shares of it."""

    @property
    def pays(self) -> bool:
        return self.now - self.then >= WORTH * self.scale and self.high < self.now

    @property
    def may_pay(self) -> bool:
        """Within the bounds it lies in; where not even that, it surely brings little."""
        return self.now - self.low >= WORTH * self.scale

    @property
    def told(self) -> str:
        return f"{self.now:.3g} → {self.then:.3g}, between {self.low:.3g} and {self.high:.3g}"


def outlook(amounts: Sequence[float], losses: Sequence[float], errors: Sequence[float], start: float) -> Outlook | None:
    found = predicted(amounts, losses, TENFOLD * max(amounts), errors) if len(amounts) >= LEAST_PARTS else None
    if found is None:
        return None
    then, low, high = found
    scale = min(abs(start - losses[-1]), abs(losses[-1])) or 1.0
    return Outlook(losses[-1], then, low, high, scale)


def answer(known: Known, left: int, command: tuple[str, ...]) -> LabReport:
    start = fmean(known.program.losses[:WINDOW])
    by_part = points(known)
    data = outlook(
        [point.part for point in by_part],
        [point.held_out for point in by_part],
        [point.error for point in by_part],
        start,
    )
    amounts, losses = over_steps(known.program.losses)
    spread = stdev(known.program.losses[-TAIL:]) / math.sqrt(TAIL) if len(known.program.losses) > TAIL else 0.0
    steps = outlook(amounts, losses, [spread] * len(losses), start)
    return LabReport(
        kind="curve",
        command=command,
        answer=" ".join(_sentences(by_part, data, steps)),
        numbers=_numbers(data, steps, by_part),
        tables=tuple(_tables(known, by_part)),
        plots=tuple(_plots(known, by_part)),
        done=len(known.trials),
        left=left,
        limits=tuple(_limits(known)),
    )


def _sentences(by_part: Sequence[Point], data: Outlook | None, steps: Outlook | None) -> Iterator[str]:
    flat = len(by_part) >= LEAST_PARTS and data is None
    if data is not None and data.pays:
        yield f"More data helps: ten times as much would take the held-out loss {data.told}."
    elif data is not None and data.may_pay:
        yield f"More data may help, but these runs cannot tell: the held-out loss would go {data.told}."
    elif data is not None or flat:
        told = f" ({data.told})" if data is not None else ""
        yield f"More data would bring little{told}; try a larger model or better inputs next."
    if steps is not None and steps.pays:
        yield f"Ten times as many steps would take the training loss {steps.told}."
    elif steps is not None and steps.may_pay:
        yield f"More steps may help, but these runs cannot tell: the training loss would go {steps.told}."
    elif steps is not None:
        yield f"More steps would bring little ({steps.told})."
    else:
        yield "The training loss follows no falling curve over the observed steps."
    if by_part and (gap := by_part[-1].held_out - by_part[-1].trained) > 2 * by_part[-1].error:
        yield f"It fits its training data better than held-out data, by {gap:.3g}."


def _numbers(data: Outlook | None, steps: Outlook | None, by_part: Sequence[Point]) -> dict[str, Scalar]:
    found: dict[str, Scalar] = {}
    for label, one in (("data", data), ("steps", steps)):
        if one is not None:
            found |= {
                f"{label}_tenfold": one.then,
                f"{label}_tenfold_low": one.low,
                f"{label}_tenfold_high": one.high,
                f"{label}_pays": one.pays,
            }
    if by_part:
        found |= {"held_out": by_part[-1].held_out, "trained": by_part[-1].trained}
    return found


def _tables(known: Known, by_part: Sequence[Point]) -> Iterator[LabTable]:
    if by_part:
        rows = tuple((_count(known, one.part), one.held_out, one.error, one.trained) for one in by_part)
        yield LabTable(title="by data", head=("examples", "held-out loss", "±", "training loss"), rows=rows)


def _count(known: Known, part: float) -> int:
    return round(part * (1 - HELD_OUT) * (known.examples or 0))


def _plots(known: Known, by_part: Sequence[Point]) -> Iterator[LabPlot]:
    if len(by_part) > 1:
        xs = tuple(float(_count(known, one.part)) for one in by_part)
        held = LabCurve(name="held out", x=xs, y=tuple(one.held_out for one in by_part))
        trained = LabCurve(name="in training", x=xs, y=tuple(one.trained for one in by_part))
        fit = _fit_of(xs, held.y)
        yield LabPlot(
            title="Loss by the amount of data", x="examples", y="loss", log_x=True, curves=(held, trained, *fit)
        )
    amounts, losses = over_steps(known.program.losses)
    if len(amounts) > 1:
        seen = LabCurve(name="in training", x=tuple(amounts), y=tuple(losses))
        fit = _fit_of(amounts, losses)
        yield LabPlot(title="Loss by the number of steps", x="steps", y="loss", log_x=True, curves=(seen, *fit))


def _fit_of(amounts: Sequence[float], losses: Sequence[float]) -> tuple[LabCurve, ...]:
    law: PowerLaw | None = fitted(amounts, losses)
    if law is None:
        return ()
    xs = tuple(min(amounts) * (TENFOLD * max(amounts) / min(amounts)) ** (place / 30) for place in range(31))
    return (LabCurve(name="power law", x=xs, y=tuple(law.at(x) for x in xs), dashed=True),)


def _limits(known: Known) -> Iterator[str]:
    if known.examples is None:
        yield "no DataLoader feeds training, so nothing could be held out: only the number of steps was studied"
    elif not known.trials:
        yield f"the program makes only {len(known.program.losses)} steps, too few to compare parts of its data"
    else:
        yield "examples are held out at random: if similar ones stand on both sides, the held-out loss is too low"
    late = sum(trial.out_of_time for trial in known.trials.values())
    if late:
        yield f"{late} of {len(known.trials)} copies ran out of time before their last step, and are left out"
    if not known.finished:
        yield "only the start of a run was observed; a law fitted to it may not hold to the end (`--steps`)"
