"""`surface`: the loss around the weights that training reached, and along the way there.

A copy of the program trains for a while; then its weights are placed by us, and its own loop computes the loss there,
on one batch. The plane is spanned by two random directions, filter by filter as long as the weights (Li et al. 2018).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firstlight.experiments.plan import Order
from firstlight.lab.copies import Known, Workbench
from firstlight.lab.keeping import LabRun
from firstlight.records.finding import Scalar
from firstlight.records.lab import LabCurve, LabMap, LabMark, LabPlot, LabReport

SIDE = 15
REACH = 1.0
"""Of the plane, in lengths of the weights themselves."""
ALONG = 31
BEYOND = 0.25
"""Share of the way by which the line goes on at either end."""
LEAST_STEPS = 12
BARRIER = 0.05
"""Share of what was learnt by which the loss may rise on the way."""


@dataclass(frozen=True)
class Walks:
    """How long the copies train, and how many places fit behind that."""

    train: int
    side: int
    along: int

    @classmethod
    def of(cls, known: Known) -> "Walks":
        """A program that ends by itself lends only as many steps as it has."""
        steps = len(known.program.losses)
        if not known.finished:
            return cls(steps, SIDE, ALONG)
        train = max(1, steps // 2)
        return cls(train, min(SIDE, _odd(math.isqrt(steps - train))), min(ALONG, steps - train))


def _odd(count: int) -> int:
    """Places a side, so that one of them is the middle: the trained weights."""
    return count - 1 + count % 2


def plan(known: Known) -> Sequence[Order]:
    if len(known.program.losses) < LEAST_STEPS or not known.program.rates or not known.by_loader:
        return ()
    walks = Walks.of(known)
    line, plane = f"walk-line={walks.along}:{walks.train}:{BEYOND}", f"walk-plane={walks.side}:{REACH}:{walks.train}"
    lengths = {"line": (line, walks.train + walks.along), "plane": (plane, walks.train + walks.side**2)}
    return [
        Order(name=name, interventions=(word,), steps=steps, seconds=known.seconds_for(steps))
        for name, (word, steps) in lengths.items()
    ]


def surface(bench: Workbench, _kept: LabRun) -> LabReport:
    copies = bench.asked(plan)
    return answer(copies.known, copies.left, bench.target.words)


def line_of(known: Known) -> tuple[list[float], list[float]]:
    """Shares of the way, and the losses there."""
    walks = Walks.of(known)
    losses = list(known.trials["line"].losses[walks.train :]) if "line" in known.trials else []
    shares = [-BEYOND + (1 + 2 * BEYOND) * place / max(1, walks.along - 1) for place in range(len(losses))]
    return shares, losses


def plane_of(known: Known) -> tuple[list[float], list[list[float | None]]]:
    """The places of a side, and the losses by row."""
    walks = Walks.of(known)
    losses = list(known.trials["plane"].losses[walks.train :]) if "plane" in known.trials else []
    side = [REACH * (2 * place / max(1, walks.side - 1) - 1) for place in range(walks.side)]
    rows: list[list[float | None]] = [
        [losses[at] if (at := row * walks.side + column) < len(losses) else None for column in range(walks.side)]
        for row in range(walks.side)
    ]
    return side, rows if losses else []


def barrier(shares: Sequence[float], losses: Sequence[float]) -> float | None:
    """How far the loss rises, on the way from the first weights to the trained ones, above where it already was."""
    way = [loss for share, loss in zip(shares, losses, strict=True) if -1e-9 <= share <= 1 + 1e-9]
    if len(way) < 2 or not all(map(math.isfinite, way)):
        return None
    lowest, rise = way[0], 0.0
    for loss in way:
        lowest = min(lowest, loss)
        rise = max(rise, loss - lowest)
    return rise


def answer(known: Known, left: int, command: tuple[str, ...]) -> LabReport:
    shares, losses = line_of(known)
    side, rows = plane_of(known)
    return LabReport(
        kind="surface",
        command=command,
        answer=" ".join(_sentences(shares, losses, side, rows)),
        numbers=_numbers(shares, losses, side, rows),
        plots=tuple(_plots(shares, losses)),
        maps=tuple(_maps(side, rows)),
        done=len(known.trials),
        left=left,
        limits=tuple(_limits(known)),
    )


def _sentences(
    shares: Sequence[float], losses: Sequence[float], side: Sequence[float], rows: Sequence[Sequence[float | None]]
) -> Iterator[str]:
    if not losses and not rows:
        yield "There is no surface to draw: that takes a DataLoader, a torch optimizer and a dozen steps."
        return
    rise = barrier(shares, losses)
    if rise is not None:
        learnt = max(losses) - min(losses)
        smooth = rise <= BARRIER * learnt
        yield "From the initial weights to the trained ones the loss " + (
            "falls without a barrier." if smooth else f"rises by {rise:.3g} on the way before it falls."
        )
    centre, edge = _levels(side, rows)
    if centre is not None and edge is not None:
        goes = "grows" if edge > centre else "falls"
        yield f"Around the trained weights it {goes} from {centre:.3g} to {edge:.3g} at half their length."
        lowest = min(value for row in rows for value in row if value is not None and math.isfinite(value))
        if lowest < centre - BARRIER * abs(edge - centre):
            yield f"A random direction leads lower, to {lowest:.3g}: the minimum has not been reached."


def _levels(side: Sequence[float], rows: Sequence[Sequence[float | None]]) -> tuple[float | None, float | None]:
    """At the centre, and the median of the places about half the weights' own length away."""
    if not rows:
        return None, None
    ring = sorted(
        value
        for down, row in zip(side, rows, strict=True)
        for across, value in zip(side, row, strict=True)
        if value is not None and math.isfinite(value) and abs(math.hypot(down, across) - REACH / 2) < REACH / len(side)
    )
    middle = len(side) // 2
    return rows[middle][middle], ring[len(ring) // 2] if ring else None


def _numbers(
    shares: Sequence[float], losses: Sequence[float], side: Sequence[float], rows: Sequence[Sequence[float | None]]
) -> dict[str, Scalar]:
    centre, edge = _levels(side, rows)
    return {"barrier": barrier(shares, losses), "centre": centre, "at_half_length": edge}


def _plots(shares: Sequence[float], losses: Sequence[float]) -> Iterator[LabPlot]:
    if len(losses) > 1:
        yield LabPlot(
            title="Loss along the path of training",
            x="fraction of the path",
            y="loss on one batch",
            curves=(LabCurve(name="loss", x=tuple(shares), y=tuple(losses)),),
            marks=(LabMark(x=0.0, text="initial weights"), LabMark(x=1.0, text="trained weights")),
        )


def _maps(side: Sequence[float], rows: Sequence[Sequence[float | None]]) -> Iterator[LabMap]:
    if rows:
        known = [value for row in rows for value in row if value is not None and math.isfinite(value)]
        yield LabMap(
            title="Loss around the trained weights",
            x="first direction",
            y="second direction",
            columns=tuple(side),
            rows=tuple(side),
            values=tuple(tuple(row) for row in rows),
            log=bool(known) and min(known) > 0 and max(known) > 20 * min(known),
            note="directions are random and as long as the weights, filter by filter",
        )


def _limits(known: Known) -> Iterator[str]:
    if known.trials:
        yield f"one batch, after {Walks.of(known).train} steps; two random directions out of very many"
