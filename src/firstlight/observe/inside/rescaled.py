"""Examples that come again with each column on another scale, as where every fold is standardised by itself.

Which example is which is guessed from their neighbours, a straight line is fitted through each column, and both are
done again until nothing changes. It is no matter of taste whether that was right: examples then come to lie on one
another, an order of magnitude closer than on any others.
"""

from typing import NamedTuple

import torch

from firstlight.observe.inside.near import NEARER, NEIGHBOURS

LEAST_ROWS = 32
ROUNDS = 8
TRUSTED = 0.5
"""Of the pairs, the closest ones, by which the lines are fitted: the others may have no counterpart."""
LEAST_KNOWN = 0.2
"""Of the examples trained on in the later stage; with fewer found again, the scales are not known."""


class Rescaled(NamedTuple):
    """What two stages trained on, on the scale of the earlier one."""

    earlier: torch.Tensor
    later: torch.Tensor
    slope: torch.Tensor
    offset: torch.Tensor
    columns: torch.Tensor
    """Those that vary."""
    spread: torch.Tensor

    @classmethod
    def of(cls, earlier: torch.Tensor, later: torch.Tensor) -> "Rescaled | None":
        """None where hardly any of one comes again in the other, on whatever scale."""
        if earlier.shape[1] != later.shape[1] or min(len(earlier), len(later)) < LEAST_ROWS:
            return None
        earlier, later = _finite(earlier), _finite(later)
        columns = (earlier.std(0) > 0) & (later.std(0) > 0)
        if not bool(columns.any()):
            return None
        spread = earlier[:, columns].std(0)
        first, second = earlier[:, columns] / spread, later[:, columns]
        slope, offset = _lines(first, second)
        found = cls(first, second * slope + offset, slope, offset, columns, spread)
        return found if float(near(found.later, first).float().mean()) >= LEAST_KNOWN else None

    def compared(
        self, ours: torch.Tensor | None, theirs: torch.Tensor | None
    ) -> tuple[float, float, float, float] | None:
        """Shares: of theirs, trained on earlier; of ours, trained on later; and of either, in its own stage."""
        if ours is None or theirs is None or {ours.shape[1], theirs.shape[1]} != {len(self.columns)}:
            return None
        here = _finite(ours)[:, self.columns] / self.spread
        there = _finite(theirs)[:, self.columns] * self.slope + self.offset
        asked = ((there, self.earlier), (here, self.later), (here, self.earlier), (there, self.later))
        before, after, ours_now, theirs_now = (_share(rows, among) for rows, among in asked)
        return before, after, ours_now, theirs_now


def _lines(first: torch.Tensor, second: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """For each column of the second, the line on which its rows come to lie on those of the first."""
    slope = first.std(0) / second.std(0)
    offset = first.mean(0) - second.mean(0) * slope
    for _ in range(ROUNDS):
        apart, nearest = torch.cdist(second * slope + offset, first).min(1)
        trusted = apart.argsort()[: max(2, round(TRUSTED * len(second)))]
        x, y = second[trusted].double(), first[nearest[trusted]].double()
        x_off, y_off = x - x.mean(0), y - y.mean(0)
        varies = (x_off**2).sum(0) > 0
        fitted = (x_off * y_off).sum(0) / (x_off**2).sum(0).clamp_min(torch.finfo(torch.double).tiny)
        slope = torch.where(varies, fitted.float(), slope)
        offset = (y.mean(0) - x.mean(0) * slope).float()
    return slope, offset


def near(asked: torch.Tensor, among: torch.Tensor) -> torch.Tensor:
    """Whether each lies on one of the others, as against those next to it."""
    found = torch.cdist(asked, among).topk(min(NEIGHBOURS, len(among)), largest=False).values
    return found[:, 0] < NEARER * found[:, -1]


def _share(asked: torch.Tensor, among: torch.Tensor) -> float:
    return float(near(asked, among).float().mean()) if len(asked) else 0.0


def _finite(table: torch.Tensor) -> torch.Tensor:
    return table[torch.isfinite(table).all(1)]
