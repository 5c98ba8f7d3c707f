"""Examples as rows of numbers for a plain fit: as they are, as counts of ids, as what is heard of a series."""

from collections.abc import Iterator

import torch

from firstlight.observe.inside.relations.following import ExampleKind
from firstlight.observe.inside.relations.sample import BUCKETS

LEAST_SERIES = 128
"""Values of a series that may be a sound: its notes are looked at too, and when they are heard."""
TIMES = NOTES = 24
LEAST_WINDOW, WINDOWS = 32, 16
"""Values, and how many of them a series has at least."""


def looks(before: torch.Tensor, after: torch.Tensor, kind: ExampleKind) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Of both, in the same way."""
    if kind.ids:
        yield counts(before), counts(after)
        return
    yield before.flatten(1), after.flatten(1)
    if kind.series and before.shape[1] >= LEAST_SERIES:
        yield heard(before), heard(after)


def counts(ids: torch.Tensor) -> torch.Tensor:
    """Of each id, and of each two that follow one another."""
    whole = ids.long().clamp_min(0)
    pairs = whole[:, :-1] * 31 + whole[:, 1:] * 17
    found = torch.zeros(len(ids), 2 * BUCKETS)
    found.scatter_add_(1, whole % BUCKETS, torch.ones_like(ids))
    found.scatter_add_(1, BUCKETS + pairs % BUCKETS, (whole[:, 1:] > 0).float())
    return found.sqrt()


def heard(series: torch.Tensor) -> torch.Tensor:
    """How strong each note is at each time, whatever the phase and however loud the whole."""
    width = max(LEAST_WINDOW, 1 << (series.shape[1] // WINDOWS).bit_length() - 1)
    unit = series / series.std(1, keepdim=True).clamp_min(1e-12)
    window = torch.hann_window(width, device=series.device)
    notes = torch.stft(unit, width, width // 2, window=window, return_complex=True).abs()
    return torch.nn.functional.adaptive_avg_pool2d(torch.log1p(notes)[:, None], (NOTES, TIMES)).flatten(1)
