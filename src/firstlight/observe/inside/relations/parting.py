"""Are the answers of two sides distributed otherwise, by more than chance makes of two draws from the same rows?

Each column is cut at a few of its values, and the shares of both sides below are compared: that needs no scale, and
sees another middle, another width and another shape alike.
"""

import torch

CUTS = 16
"""Parts of equal size, at whose borders a column is cut."""
RARE = 0.05
"""Share of the rows; what fewer than so many have is left to chance."""


def parted(here: torch.Tensor, there: torch.Tensor) -> float:
    """Of the column and the cut where they differ most, in deviations of chance."""
    both = torch.cat([here, there])
    cuts = torch.quantile(both, torch.arange(1, CUTS, dtype=both.dtype) / CUTS, dim=0)
    most = 0.0
    for cut in cuts:
        below = (both <= cut).to(both.dtype).mean(0)
        apart = (here <= cut).to(both.dtype).mean(0) - (there <= cut).to(both.dtype).mean(0)
        luck = (below * (1 - below) * (1 / len(here) + 1 / len(there))).sqrt()
        common = (below >= RARE) & (below <= 1 - RARE)
        most = max(most, float((apart.abs() / luck)[common].max()) if bool(common.any()) else 0.0)
    return most
