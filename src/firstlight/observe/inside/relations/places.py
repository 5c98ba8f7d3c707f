"""Answers for each place of an input: do they fit better when moved along the sequence, mirrored or turned?"""

from collections import Counter
from collections.abc import Callable

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.relations.series import IGNORED, LEAST_LENGTH, LEAST_ROWS
from firstlight.records.relations import Places

MOST_STEPS = 16
MOST_KINDS = 4096
"""Different ids, and below, different answers."""
MOST_ANSWERS = 64
OFFSETS = (-3, -2, -1, 0, 1, 2, 3)
LEAST_SIDE = 8
MOST_SIDE = 64
"""Larger images are compared by averages."""
MOST_IMAGES = 32
CLEAR = 0.3
"""Least correlation of an image with its answers, in the place where it is highest."""
COPY = 0.9
"""Share of places at which the answer is the id itself."""
HIDDEN = 0.7
"""Share of the answered places that hold one and the same id: a mask, which the answer is to be guessed behind."""
TWICE = 2.0
"""Times as good another place must fit to be better at an example."""
TURNS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "mirrored left to right": lambda t: t.flip(-1),
    "mirrored top to bottom": lambda t: t.flip(-2),
    "turned by half": lambda t: t.flip(-1, -2),
    "with rows and columns exchanged": lambda t: t.transpose(-1, -2),
}


class PlaceByPlace:
    """Adds up over steps what fits where."""

    def __init__(self) -> None:
        self.steps = 0
        self.kind = "tokens"
        self.fits: list[float] = []
        self.better: Counter[str] = Counter()
        self.best_fits: dict[str, list[float]] = {}
        self.asked = 0
        """Steps, or images, that could tell."""

    def step(self, inputs: list[torch.Tensor], answer: torch.Tensor) -> None:
        if self.steps >= MOST_STEPS:
            return
        for given in inputs:
            if not reading.readable(given) or not reading.readable(answer):
                continue
            if given.ndim == 2 and not given.is_floating_point():
                self._tokens(given, answer)
            elif given.ndim == 4 and given.is_floating_point():
                self._pixels(given, answer)

    def _tokens(self, ids: torch.Tensor, answer: torch.Tensor) -> None:
        rows, length = ids.shape
        if answer.is_floating_point() or answer.numel() != ids.numel() or rows < LEAST_ROWS or length < LEAST_LENGTH:
            return
        tags = answer.detach().reshape(rows, length).cpu()
        tags = tags.masked_fill(tags < 0, IGNORED)  # no class has such a number
        ids = ids.detach().cpu()
        kinds = len(torch.unique(tags[tags != IGNORED]))
        if not 1 < kinds <= MOST_ANSWERS or int(ids.min()) < 0 or int(ids.max()) >= MOST_KINDS:
            return
        if any(_copies(ids, tags, by) for by in OFFSETS) or _hidden(ids[tags != IGNORED]):
            return  # the next token, or one that is covered: where it lies in the input is another question
        told = {by: _told(ids, tags, by) for by in OFFSETS}
        self.steps, self.asked = self.steps + 1, self.asked + 1
        best = max(told, key=lambda by: told[by])
        self._note(told[0], f"{abs(best)} places {'earlier' if best < 0 else 'later'}" if best else "", told[best])

    def _pixels(self, images: torch.Tensor, answer: torch.Tensor) -> None:
        height, width = images.shape[-2:]
        if height != width or height < LEAST_SIDE or answer.numel() != len(images) * height * width:
            return
        self.steps += 1
        self.kind = "pixels"
        masks = answer.detach().reshape(len(images), 1, height, width)[:MOST_IMAGES].float().cpu()
        shown = images.detach()[:MOST_IMAGES].float().mean(1, keepdim=True).cpu()
        if height > MOST_SIDE:
            masks, shown = (torch.nn.functional.adaptive_avg_pool2d(t, MOST_SIDE) for t in (masks, shown))
        own = _correlation(shown, masks)
        others = {name: _correlation(shown, turn(masks)) for name, turn in TURNS.items()}
        for index, fit in enumerate(own.tolist()):
            name = max(others, key=lambda name: float(others[name][index]))
            best = float(others[name][index])
            if max(fit, best) >= CLEAR:
                self.asked += 1
                self._note(fit, name if best >= TWICE * fit else "", max(best, fit))

    def _note(self, fit: float, better: str, best: float) -> None:
        self.fits.append(fit)
        if better:
            self.better[better] += 1
            self.best_fits.setdefault(better, []).append(best)

    def seen(self) -> Places | None:
        if not self.asked:
            return None
        name = self.better.most_common(1)[0][0] if self.better else ""
        best = self.best_fits.get(name, [0.0])
        count = self.better.total() if self.kind == "pixels" else self.better[name]
        return Places(
            steps=self.steps,
            kind=self.kind,
            fit=sum(self.fits) / len(self.fits),
            best=name,
            best_fit=sum(best) / len(best),
            share=count / self.asked,
        )


def _pairs(ids: torch.Tensor, tags: torch.Tensor, by: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The ids so many places on, with the answers that count."""
    length = ids.shape[1]
    first, last = max(0, -by), min(length, length - by)
    wanted, given = tags[:, first:last].reshape(-1), ids[:, first + by : last + by].reshape(-1)
    return given[wanted != IGNORED], wanted[wanted != IGNORED]


def _copies(ids: torch.Tensor, tags: torch.Tensor, by: int) -> bool:
    """Whatever fills the places that are not asked for, the most frequent answer is left out where others are."""
    given, wanted = _pairs(ids, tags, by)
    asked = wanted != wanted.mode().values if len(wanted) else wanted
    return bool(asked.any()) and float((given == wanted)[asked].float().mean()) >= COPY


def _hidden(ids: torch.Tensor) -> bool:
    return int(torch.unique(ids, return_counts=True)[1].max()) >= HIDDEN * len(ids)


def _told(ids: torch.Tensor, tags: torch.Tensor, by: int) -> float:
    """Share of the answers' entropy that the id so many places on tells, less what chance would tell."""
    given, wanted = _pairs(ids, tags, by)
    if len(wanted) == 0:
        return 0.0
    dealt = wanted[torch.randperm(len(wanted), generator=torch.Generator().manual_seed(0), device="cpu")]
    return _shared(given, wanted) - _shared(given, dealt)


def _shared(given: torch.Tensor, wanted: torch.Tensor) -> float:
    """Mutual information over the entropy of what is wanted."""
    _, wanted = torch.unique(wanted, return_inverse=True)
    _, given = torch.unique(given, return_inverse=True)
    kinds = int(wanted.max()) + 1
    both = torch.bincount(given * kinds + wanted, minlength=(int(given.max()) + 1) * kinds).double()
    alone = _entropy(torch.bincount(wanted).double())
    return (alone + _entropy(torch.bincount(given).double()) - _entropy(both)) / alone if alone > 0 else 0.0


def _entropy(counts: torch.Tensor) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * shares.log()).sum())


def _correlation(images: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Of each image with its mask, whichever of the two is the brighter."""
    one, other = ((t - t.mean((1, 2, 3), keepdim=True)).flatten(1) for t in (images, masks))
    norms = (one.norm(dim=1) * other.norm(dim=1)).clamp_min(1e-12)
    found: torch.Tensor = ((one * other).sum(1) / norms).abs().nan_to_num(0.0)
    return found
