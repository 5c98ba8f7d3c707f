"""What the calls of loss functions and the backwards on them amount to."""

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec.structs import replace

from firstlight.facts.contrast import beginning
from firstlight.facts.sightings import Sightings, groups
from firstlight.records import facts
from firstlight.records.sighting import TensorCard
from firstlight.records.training import BackwardSeen, Cut, LossCall, Pairing


def loss_sites(seen: Sightings) -> Iterator[facts.LossSite]:
    training = [call for call in seen.of(LossCall) if call.training]
    roots = _values(seen.of(BackwardSeen))
    for together in groups(training, lambda c: (c.rank, c.function, c.site)):
        calls = _averaged(together, roots)
        first = calls[0]
        makers = {call.made_by for call in calls}
        yield facts.LossSite(
            rank=first.rank,
            function=first.function,
            site=first.site,
            calls=len(calls),
            first_step=first.step,
            prediction=_union([call.prediction for call in calls]),
            target=_union([call.target for call in calls if call.target is not None]) if first.target else None,
            made_by=first.made_by if len(makers) == 1 else None,
            made_at=first.made_at,
            class_sum_error=_largest(call.class_sum_error for call in calls),
            class_logsum_error=_largest(call.class_logsum_error for call in calls),
            target_sum_error=_largest(call.target_sum_error for call in calls),
            most_ignored=max(call.ignored for call in calls),
            least_ignored=min(call.ignored for call in calls),
            reduction=first.reduction,
            first_value=_first_value(calls),
            began=first.prediction,
            labels=_labels(calls),
            classes=_added(call.classes for call in calls),
            answers=_added(call.answers for call in calls[-LAST:]),
            answered_step=calls[-LAST:][0].step,
            weighted=any(call.weighted for call in calls),
            counts=_added(call.counts for call in calls),
            weighed=_added(call.weighed for call in calls),
            most_classes=max((c.prediction.shape[1] for c in calls if len(c.prediction.shape) > 1), default=None),
            lowest=min((call.lowest for call in calls if call.lowest is not None), default=None),
            highest=max((call.highest for call in calls if call.highest is not None), default=None),
        )


def _values(backwards: Iterable[BackwardSeen]) -> dict[tuple[int, int], list[float]]:
    """What backward was called on, by rank and step."""
    found: dict[tuple[int, int], list[float]] = {}
    for back in backwards:
        found.setdefault((back.rank, back.step), []).append(back.value / back.scale)
    return found


def _averaged(calls: list[LossCall], roots: Mapping[tuple[int, int], Sequence[float]]) -> list[LossCall]:
    """A sum that is divided by a number of examples before backward is called on it is a mean, and is told as one.

    So frameworks count what several batches hold together: the sum over each, by the number of all their tokens.
    """
    if any(call.reduction != "sum" for call in calls):
        return calls
    pairs = [
        (call, root)
        for together in groups(calls, lambda c: (c.rank, c.step))
        for call, root in zip(together, roots.get((together[0].rank, together[0].step), ()), strict=False)
    ]
    if not pairs or not all(_is_share(call, root) for call, root in pairs):
        return calls
    means = {id(call): root for call, root in pairs}
    return [replace(call, reduction="mean", value=means.get(id(call))) for call in calls]


def _is_share(call: LossCall, root: float) -> bool:
    examples = call.prediction.shape[0] * (1 - call.ignored) if call.prediction.shape else 1.0
    if call.value is None or not (root and math.isfinite(root) and math.isfinite(call.value)):
        return False
    divisor = call.value / root
    return divisor > 1 and divisor >= FEWEST * examples and abs(divisor - round(divisor)) <= ROUNDED * divisor


FEWEST = 0.5
"""Of the examples that a sum goes over, which it is divided by at the least to be a mean; more count other batches."""
ROUNDED = 1e-5
"""Relative: a divisor so close to a whole number is one, after two roundings to single precision."""

Number = TypeVar("Number", int, float)
LAST = 8
"""Calls whose answers are those of the model after some training."""


def _added(counts: Iterable[tuple[Number, ...]]) -> tuple[Number, ...]:
    known = [each for each in counts if each]
    if len({len(each) for each in known}) != 1:
        return ()
    return tuple(sum(column) for column in zip(*known, strict=True))


def _first_value(calls: Sequence[LossCall]) -> float | None:
    known = [call.value for call in calls if call.value is not None and call.reduction == "mean"]
    return beginning(known) if known else None


BINARY = ("binary_cross_entropy", "binary_cross_entropy_with_logits")


def _labels(calls: Sequence[LossCall]) -> tuple[facts.Labels, ...]:
    """Several calls a step on one line are real and fake, or one transformation after the other: no order of data."""
    if len({call.step for call in calls}) < len(calls) or not all(_has_classes(call) for call in calls):
        return ()
    cards = [(call.step, call.target) for call in calls if call.target is not None]
    return tuple(facts.Labels(step=step, examples=card.shape[0], low=card.low, high=card.high) for step, card in cards)


def _has_classes(call: LossCall) -> bool:
    """One class for each example: not one for each pixel or token, and none ignored."""
    target = call.target
    if target is None or not target.shape or target.nonfinite or call.ignored:
        return False
    if call.function in BINARY:
        return target.shape in ((target.shape[0],), (target.shape[0], 1)) and {target.low, target.high} <= {0.0, 1.0}
    whole = call.function in ("cross_entropy", "nll_loss") and "int" in target.dtype
    return whole and len(target.shape) == 1 and len(call.prediction.shape) > 1


def _union(cards: Sequence[TensorCard]) -> TensorCard:
    first = cards[0]
    return TensorCard(
        shape=first.shape,
        dtype=first.dtype,
        low=min(card.low for card in cards),
        high=max(card.high for card in cards),
        mean=sum(card.mean for card in cards) / len(cards),
        std=sum(card.std for card in cards) / len(cards),
        nonfinite=sum(card.nonfinite for card in cards),
    )


def _largest(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return max(known) if known else None


ELEMENTWISE = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "poisson_nll_loss", "gaussian_nll_loss", "kl_div")


def shape_clashes(seen: Sightings) -> Iterator[facts.ShapeClash]:
    pairings = seen.of(Pairing)
    for group in groups(pairings, lambda p: (p.rank, p.operation, p.site, p.differentiable)):
        first = group[0]
        yield facts.ShapeClash(
            rank=first.rank,
            operation=first.operation,
            site=first.site,
            left=first.left,
            right=first.right,
            result=first.result,
            in_loss=first.differentiable,
            times=len(group),
            first_step=first.step,
        )
    calls = [call for call in seen.of(LossCall) if call.function in ELEMENTWISE and call.target is not None]
    for same in groups(calls, lambda c: (c.rank, c.function, c.site, c.training)):
        clashing = [call for call in same if _clash(call)]
        if clashing:
            yield _clash_of_calls(clashing)


def _clash_of_calls(calls: list[LossCall]) -> facts.ShapeClash:
    first = calls[0]
    assert first.target is not None
    return facts.ShapeClash(
        rank=first.rank,
        operation=first.function,
        site=first.site,
        left=first.prediction.shape,
        right=first.target.shape,
        result=broadcast(first.prediction.shape, first.target.shape),
        in_loss=first.training,
        times=len(calls),
        first_step=first.step,
    )


def _clash(call: LossCall) -> bool:
    """Broadcasting made the result larger than both sides."""
    assert call.target is not None
    left, right = call.prediction.shape, call.target.shape
    return left != right and _size(broadcast(left, right)) > max(_size(left), _size(right))


def broadcast(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
    width = max(len(left), len(right))
    padded = [(1,) * (width - len(shape)) + shape for shape in (left, right)]
    return tuple(max(a, b) for a, b in zip(*padded, strict=True))


def _size(shape: tuple[int, ...]) -> int:
    size = 1
    for length in shape:
        size *= length
    return size


def loss_roots(seen: Sightings) -> Iterator[facts.LossRoot]:
    cuts = seen.of(Cut)
    ordinary = [back for back in seen.of(BackwardSeen) if not back.functional]
    for backs in groups(ordinary, lambda b: (b.rank, b.site)):
        first = backs[0]
        severed = [back for back in backs if not back.connected]
        cut = next((c for c in reversed(cuts) if severed and c.rank == first.rank and c.step <= severed[0].step), None)
        yield facts.LossRoot(
            rank=first.rank,
            site=first.site,
            backwards=len(backs),
            first_step=severed[0].step if severed else first.step,
            cut=len(severed),
            leaves=sum(back.leaf for back in backs),
            cut_by=cut.operation if cut else None,
            cut_at=cut.site if cut else None,
        )


WHOLE = 0.01
"""Relative: the terms are summed as they are, without weights."""


def loss_terms(seen: Sightings) -> Iterator[facts.LossTerms]:
    """Where each step calls the same several losses once, and backward is called on their sum."""
    calls = [call for call in seen.of(LossCall) if call.training and call.value is not None]
    for backs in groups(seen.of(BackwardSeen), lambda b: (b.rank, b.site)):
        rows = [_terms_of(back, [c for c in calls if c.step == back.step and c.rank == back.rank]) for back in backs]
        whole = [row for row in rows if row]
        names = set(map(frozenset, whole))
        if len(names) != 1 or len(whole) < LEAST_TERMS:
            continue
        medians = {name: statistics.median(row[name] for row in whole) for name in whole[0]}
        ordered = sorted(medians, key=lambda name: medians[name])
        yield facts.LossTerms(
            rank=backs[0].rank,
            site=backs[0].site,
            steps=len(whole),
            names=tuple(ordered),
            values=tuple(medians[name] for name in ordered),
        )


LEAST_TERMS = 3
"""Steps at which the sum was seen to be whole."""


def _terms_of(back: BackwardSeen, calls: list[LossCall]) -> dict[str, float]:
    """Empty where the calls of the step are not the whole of what backward was called on."""
    named = {f"`{call.function}` at {call.site}": call.value or 0.0 for call in calls}
    if len(named) < 2 or len(named) < len(calls):
        return {}
    least = min(map(abs, named.values()))
    if abs(sum(named.values()) - back.value) > min(WHOLE * abs(back.value), least / 2):  # the least of them counts too
        return {}
    return named
