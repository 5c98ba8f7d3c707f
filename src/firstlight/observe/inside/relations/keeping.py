"""Does each example keep its answer: from its loader to the loss, and from one pass over the data to the next?"""

from collections import Counter
from collections.abc import Sequence

import torch

from firstlight.observe.inside import reading, rows
from firstlight.observe.inside.relations.sample import MOST_PLACES
from firstlight.observe.inside.relations.series import IGNORED
from firstlight.records.relations import AnswersFollowed, Drawn

MOST_PAIRS = 512
"""Answers known twice; so many are enough."""
MOST_KNOWN = 8192
"""Examples remembered with their answers."""
MOST_STEPS = 320
"""After which no more examples are waited for to come again."""
BY_CHANCE = 8.0
"""Times as many examples must come again as different ones may be alike by chance."""
MOST_KINDS = 256
MOST_ALONG = 2
"""Places by which ids are moved along their row: once by the program, and once more by the model."""
MOSTLY = 0.75
"""Of the ids that are asked for, among those that are given: more than are hidden on purpose as a rule."""
LEAST_IDS = 4
"""Different ones that are alike: a class and the padding may have the same number."""
DEALS = 8


class Pairs:
    """Answers as they were known, beside what they are in the loss."""

    def __init__(self, known: str) -> None:
        self.known = known
        self.count = 0
        self._pairs: list[tuple[torch.Tensor, torch.Tensor]] = []
        self._first: tuple[int, int] | None = None

    def add(self, known: torch.Tensor, now: torch.Tensor, moments: list[tuple[int, int]]) -> None:
        """Rows of equal width; `moments` is the step and row of each."""
        self._pairs.append((known, now))
        self.count += len(now)
        if self._first is None:
            changed = torch.nonzero((known != now).any(1)).reshape(-1).tolist()
            self._first = moments[changed[0]] if changed else None

    def seen(self) -> AnswersFollowed | None:
        if not self._pairs:
            return None
        known, now = (torch.cat(parts) for parts in zip(*self._pairs, strict=True))
        told = (known != IGNORED) & (now != IGNORED)
        if not bool(told.any()):
            return None
        changed = told & (known != now)
        measured = bool((now != now.round()).any())
        return AnswersFollowed(
            known=self.known,
            compared=self.count,
            others=int(changed.any(1).sum()),
            moved=_moved(known, now, told, measured),
            spread=_spread(now[changed]),
            first=self._first or (0, 0),
        )


class RowsDrawn:
    """How many examples of each class were loaded, and trained on."""

    def __init__(self) -> None:
        self._loaded: Counter[int] = Counter()
        self._trained: Counter[int] = Counter()

    def add(self, classes: torch.Tensor, order: torch.Tensor) -> None:
        self._loaded.update(classes.long().tolist())
        self._trained.update(classes[order].long().tolist())

    def seen(self) -> Drawn:
        if len(self._loaded) < 2 or len(self._loaded) > MOST_KINDS:
            return Drawn()
        loaded, trained = self._loaded.total(), self._trained.total()
        most = max(self._loaded, key=lambda kind: self._trained[kind] / self._loaded[kind])
        others = (trained - self._trained[most]) / (loaded - self._loaded[most])
        share = self._trained[most] / self._loaded[most]
        return Drawn(loaded=loaded, classes=len(self._loaded), most=most, of_most=share, of_others=others)


class AnswersKept:
    """Of the examples that met their answers on one line."""

    def __init__(self) -> None:
        self.loaded, self.before = Pairs("loaded"), Pairs("before")
        self.drawn = RowsDrawn()
        self._known: dict[int, torch.Tensor] = {}
        self._asked = self._drawn = self._alike = 0
        self._first: torch.Tensor | None = None
        self._moving = False
        """The answers of a later step are others than those of the first: they are of examples, not of rows."""

    @property
    def begun(self) -> bool:
        return self._first is not None

    def settled(self, step: int) -> bool:
        return step >= MOST_STEPS or max(self.loaded.count, self.before.count) >= MOST_PAIRS

    def add(
        self, inputs: Sequence[torch.Tensor], answer: torch.Tensor, batch: Sequence[torch.Tensor], step: int
    ) -> None:
        """`batch` is what a loader gave last."""
        given = [t for t in inputs if t.ndim and t.numel() > 1 and not t.is_complex() and reading.readable(t)]
        now = by_example(answer, given[0]) if given and not self.settled(step) else None
        if now is None:
            return
        if self._first is None:
            self._first = now
        if now.shape[1] != self._first.shape[1]:
            return
        least = min(len(now), len(self._first))
        self._moving = self._moving or not torch.equal(now[:least], self._first[:least])
        self._compare_loaded(given, answer, batch, step)
        if all(len(tensor) == len(given[0]) for tensor in given):  # else the rows are only a part of the examples
            self._compare_before(rows.keys(given), now, step)

    def _compare_loaded(
        self, inputs: Sequence[torch.Tensor], answer: torch.Tensor, batch: Sequence[torch.Tensor], step: int
    ) -> None:
        """With the tensor of the batch that holds all of these values, and agrees with them most."""
        given = inputs[0]
        now, (source, order) = by_example(answer, given), _order(given, batch)
        if now is None or source is None:
            return
        found: list[tuple[float, torch.Tensor]] = []
        alone = answer.numel() == len(given) and not answer.is_floating_point()
        for tensor in batch:
            if tensor.is_floating_point() != answer.is_floating_point() or len(tensor) != len(source):
                continue
            same_width = tensor.numel() * len(given) == answer.numel() * len(tensor)
            if not same_width or any(_is_text(tensor[order], one) for one in inputs):
                continue  # ids moved along their own row are a text whose next place is asked for
            known = by_example(tensor, tensor)
            if known is not None and bool(torch.isin(now[now != IGNORED], known).all()):
                found.append((float((known[order] == now).float().mean()), known))
        if found:
            known = max(found, key=lambda pair: pair[0])[1]
            self.loaded.add(known[order], now, [(step, row) for row in range(len(now))])
            if alone and len(order) < len(known):
                self.drawn.add(known[:, 0], order)

    def _compare_before(self, keys: list[int], now: torch.Tensor, step: int) -> None:
        self._drawn += len(keys) * (len(keys) - 1) // 2
        self._alike += len(keys) - len(set(keys))
        self._asked += len(keys) * len(self._known)
        again = [row for row, key in enumerate(keys) if key in self._known]
        if again:
            known = torch.stack([self._known[keys[row]] for row in again])
            self.before.add(known, now[again], [(step, row) for row in again])
        for key, answer in zip(keys, now, strict=True):
            if len(self._known) < MOST_KNOWN:
                self._known.setdefault(key, answer)

    def seen(self) -> tuple[AnswersFollowed, ...]:
        """Examples that are alike by chance come together in a batch too, now and then.

        Where they do, an input that comes again need not be the same example: short texts go on in several ways.
        """
        by_chance = self._asked * (self._alike + 1) / max(1, self._drawn)
        found = [self.loaded.seen()]
        if not self._alike and self.before.count >= BY_CHANCE * by_chance:
            found.append(self.before.seen())
        return tuple(one for one in found if one is not None) if self._moving else ()


def by_example(answer: torch.Tensor, given: torch.Tensor) -> torch.Tensor | None:
    """A row for each example, of the same width in every batch; None where it is not known whose rows they are."""
    whole = answer.ndim > 0 and answer.numel() > 0 and not answer.is_complex() and not answer.is_sparse
    if not whole or not reading.readable(answer) or len(given) < 2:
        return None
    places = {1, given.shape[1] if given.ndim > 1 else 1, given.shape[-2:].numel() if given.ndim > 2 else 1}
    if len(answer) % len(given) or len(answer) // len(given) not in places:
        return None
    table = answer.detach().to("cpu", torch.float32, copy=True).reshape(len(given), -1)
    if answer.is_floating_point():
        return rows.evenly(table, MOST_PLACES)
    table = table[:, :MOST_PLACES]
    return torch.nn.functional.pad(table, (0, MOST_PLACES - table.shape[1]), value=IGNORED)


def _order(given: torch.Tensor, batch: Sequence[torch.Tensor]) -> tuple[torch.Tensor | None, torch.Tensor]:
    """The tensor of the batch that the examples are from, and which row each is; None where they were changed."""
    for tensor in batch:
        if len(tensor) >= len(given) and tensor[0].numel() == given[0].numel():
            places = {key: row for row, key in enumerate(rows.keys([tensor.float()]))}
            found = [places.get(key, -1) for key in rows.keys([given.float()])]
            if len(places) == len(tensor) and -1 not in found:
                return tensor, torch.tensor(found)
    return None, torch.empty(0)


def _is_text(loaded: torch.Tensor, given: torch.Tensor) -> bool:
    """Ids that the model is given as they were loaded, but for places left out of the answers and the last few; or most
    of them, where some are hidden from it, be it a few places further on: whoever moves them once may do so again."""
    if loaded.is_floating_point() or len(loaded) != len(given):
        return False
    ids, fed = loaded.reshape(len(loaded), -1), given.to(loaded.device).reshape(len(given), -1)
    width = min(ids.shape[1], fed.shape[1])
    if not 2 * width > ids.shape[1]:
        return False
    told, same = ids[:, :width] != IGNORED, ids[:, :width] == fed[:, :width]
    if bool(told.any()) and bool(same[told].all()):
        return True
    along = range(min(width, MOST_ALONG + 1))
    ahead = [(ids[:, by:width], fed[:, : width - by]) for by in along]
    behind = [(ids[:, : width - by], fed[:, by:width]) for by in along[1:]]
    return any(_mostly_alike(*pair) for pair in (*ahead, *behind))


def _mostly_alike(ids: torch.Tensor, fed: torch.Tensor) -> bool:
    told, same = ids != IGNORED, ids == fed
    if not bool(told.any()) or not float(same[told].float().mean()) >= MOSTLY:
        return False
    return len(torch.unique(ids[told & same])) >= LEAST_IDS


def _moved(known: torch.Tensor, now: torch.Tensor, told: torch.Tensor, measured: bool) -> float:
    """How far answers are from those known, over how far they would be from those of any other example."""
    own = _apart(known, now, told, measured)
    generator = torch.Generator().manual_seed(0)
    dealt = [torch.randperm(len(known), generator=generator, device="cpu") for _ in range(DEALS)]
    chance = sum(_apart(known[order], now, told & told[order], measured) for order in dealt) / DEALS
    return own / chance if chance > 0 else 0.0


def _apart(known: torch.Tensor, now: torch.Tensor, told: torch.Tensor, measured: bool) -> float:
    if not bool(told.any()):
        return 0.0
    if measured:
        return float(((known - now)[told] ** 2).mean())
    return float((_renamed(known, now, told) != now)[told].float().mean())


def _renamed(known: torch.Tensor, now: torch.Tensor, told: torch.Tensor) -> torch.Tensor:
    """Classes called by the name that most of their answers have: numbering them anew changes no answer."""
    kinds, places = torch.unique(torch.cat([known[told], now[told]]), return_inverse=True)
    if len(kinds) > MOST_KINDS:
        return known
    first, second = places[: int(told.sum())], places[int(told.sum()) :]
    table = torch.zeros(len(kinds), len(kinds)).index_put_((first, second), torch.ones(len(first)), accumulate=True)
    names = kinds[table.argmax(1)]
    found = known.clone()
    found[told] = names[first]
    return found


def _spread(values: torch.Tensor) -> float:
    if not len(values):
        return 0.0
    return 1 - int(torch.unique(values, return_counts=True)[1].max()) / len(values)
