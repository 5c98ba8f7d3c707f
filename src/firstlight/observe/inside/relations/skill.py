"""How well the program foretells the answers of its own batches, look by look, and how well a plain fit does.

Both are measured alike, before the step that learns from the batch: by classes that are wrong, yes and no that are
wrong, or squares. A plain fit learns from a few hundred of the same examples; each is foretold by all others.
"""

from collections import deque
from collections.abc import Iterator, Sequence

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.relations.guessing import foretold
from firstlight.observe.inside.relations.sample import Sample, distinct, features_of
from firstlight.observe.inside.tape.recorder import Row
from firstlight.observe.inside.tape.tail import Meeting
from firstlight.records.relations import Skills

EVERY = 16
"""Steps from one look to the next, once the sample of examples is complete."""
LEAST_EXAMPLES = 256
LEAST_LOOKS = 8
MOST_LATE = 32
"""Looks whose examples are kept."""
MOST_WIDTH = 64
CLASSES = frozenset({"cross_entropy", "nll_loss", "gather", "__getitem__", "take_along_dim"})
FLAGS = frozenset({"binary_cross_entropy", "binary_cross_entropy_with_logits"})
VALUES = frozenset({"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "sub", "__sub__", "__rsub__", "rsub"})
ONE, HALF = 1, 0.5


class OwnSkill:
    """The errors of one line, as they were made."""

    def __init__(self) -> None:
        self.kind = ""
        self.errors: list[tuple[int, float]] = []
        """Step and mean error of each look."""
        self._looked_at: deque[Sample] = deque(maxlen=MOST_LATE)
        """The examples of the last looks."""

    @property
    def possible(self) -> bool:
        return bool(self.kind)

    def add(self, meeting: Meeting, step: int, inputs: Sequence[torch.Tensor] = ()) -> None:
        found = _error(meeting.row, meeting.answer)
        if found is not None and found[0] == (self.kind or found[0]):
            self.kind = found[0]
            self.errors.append((step, found[1]))
            self._looked_at.append(looked_at := Sample())
            looked_at.add(inputs, meeting.answer, step)

    def beside(self, sample: Sample) -> Skills:
        """The last quarter of the looks and the quarter before it, beside the plain fit to the sample."""
        quarter = len(self.errors) // 4
        if len(self.errors) < LEAST_LOOKS or sample.kept < LEAST_EXAMPLES:
            return Skills()
        fitted = self._fitted(sample.inputs(), sample.answer())
        if fitted is None:
            return Skills()
        plain, rows, base = fitted
        last, before = self.errors[-quarter:], self.errors[-2 * quarter : -quarter]
        return Skills(
            rows=rows,
            plain=plain,
            later=self._of_the_last(quarter),
            own=1 - _mean(last) / base,
            before=1 - _mean(before) / base,
            looks=len(self.errors),
            step=self.errors[-1][0],
            common=0.0 if self.kind == "values" else 1 - base,
        )

    def _of_the_last(self, looks: int) -> float | None:
        """The first examples may be the easiest, or otherwise of their own kind."""
        late = [one for one in list(self._looked_at)[-looks:] if one.kept]
        late = [one for one in late if one.shapes == late[-1].shapes]
        if sum(one.kept for one in late) < LEAST_EXAMPLES:
            return None
        inputs = [torch.cat(part) for part in zip(*(one.inputs() for one in late), strict=True)]
        fitted = self._fitted(inputs, torch.cat([one.answer() for one in late]))
        return None if fitted is None else fitted[0]

    def _fitted(self, inputs: list[torch.Tensor], answer: torch.Tensor) -> tuple[float, int, float] | None:
        """Skill of a plain fit, its rows, and how wrong one answer for all of them is."""
        chosen = distinct(inputs)
        if len(chosen) < LEAST_EXAMPLES or not bool(torch.isfinite(answer).all()):
            return None
        table = torch.cat([features_of(given[chosen]) for given in inputs], 1)
        code = coded(answer[chosen], self.kind)
        base = wrong(self.kind, code.mean(0, keepdim=True).expand_as(code), code)
        if not base > 0:
            return None
        plain, rows = foretold(table, code)
        return 1 - wrong(self.kind, plain, code[:rows]) / base, rows, base


def _error(row: Row, answer: torch.Tensor) -> tuple[str, float] | None:
    """Kind and mean error of the predictions that meet the answer."""
    for predicted in _predictions(row):
        guess, given = predicted.detach(), answer.detach()
        if not reading.readable(guess) or not reading.readable(given) or given.numel() > MOST_WIDTH * len(given):
            return None
        if row.name in CLASSES and guess.ndim == ONE + 1 and given.ndim == ONE and not given.is_floating_point():
            return "classes", float((guess.argmax(1) != given).float().mean())
        if guess.shape != given.shape:
            continue
        if row.name in CLASSES and guess.ndim == ONE + 1:
            return "classes", float((guess.argmax(1) != given.argmax(1)).float().mean())
        if row.name in FLAGS and bool(((given == 0) | (given == 1)).all()):
            border = 0.0 if row.name.endswith("logits") else HALF
            return "flags", float(((guess > border) != (given > HALF)).float().mean())
        if row.name in VALUES:
            return "values", float((guess - given).double().pow(2).mean())
    return None


def _predictions(row: Row) -> Iterator[torch.Tensor]:
    return (tensor for tensor, _, _ in row.inputs if tensor.requires_grad and tensor.ndim and not tensor.is_complex())


def coded(answer: torch.Tensor, kind: str) -> torch.Tensor:
    """A column for each class, or the answers as they are."""
    if kind != "classes":
        return answer.double()
    classes = answer.argmax(1) if answer.shape[1] > ONE else torch.unique(answer, return_inverse=True)[1].reshape(-1)
    return torch.nn.functional.one_hot(classes).double()


def wrong(kind: str, guess: torch.Tensor, code: torch.Tensor) -> float:
    if kind == "classes":
        return float((guess.argmax(1) != code.argmax(1)).double().mean())
    if kind == "flags":
        return float(((guess > HALF) != (code > HALF)).double().mean())
    return float((guess - code).pow(2).mean())


def _mean(errors: list[tuple[int, float]]) -> float:
    return sum(error for _, error in errors) / len(errors)
