"""From what was observed to what is judged. Pure: the same sightings give the same facts."""

import statistics
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from firstlight.records import facts, observed
from firstlight.records.observed import Observed
from firstlight.records.places import Site

T = TypeVar("T")
R = TypeVar("R", bound=observed._Record)


class Sightings:
    """Everything observed, by kind, in the order it came."""

    def __init__(self, records: Iterable[Observed]) -> None:
        self._by_kind: dict[type, list[Any]] = defaultdict(list)
        for record in records:
            self._by_kind[type(record)].append(record)

    def of(self, kind: type[R]) -> list[R]:
        return self._by_kind[kind]


def derive(records: Iterable[Observed]) -> list[Any]:
    seen = Sightings(records)
    return [fact for reducer in REDUCERS for fact in reducer(seen)]


def groups(items: Iterable[T], key: Callable[[T], Hashable]) -> list[list[T]]:
    found: dict[Hashable, list[T]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return list(found.values())


def longest_run(flags: Iterable[bool]) -> int:
    longest = current = 0
    for flag in flags:
        current = current + 1 if flag else 0
        longest = max(longest, current)
    return longest


def loss_sites(seen: Sightings) -> Iterator[facts.LossSite]:
    training = [call for call in seen.of(observed.LossCall) if call.training]
    for calls in groups(training, lambda c: (c.rank, c.function, c.site)):
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
            first_value=_mean_value(calls[:3]),
        )


def _mean_value(calls: Sequence[observed.LossCall]) -> float | None:
    known = [call.value for call in calls if call.value is not None and call.reduction == "mean"]
    return sum(known) / len(known) if known else None


def _union(cards: Sequence[observed.TensorCard]) -> observed.TensorCard:
    first = cards[0]
    return observed.TensorCard(
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
    pairings = seen.of(observed.Pairing)
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
    calls = [call for call in seen.of(observed.LossCall) if call.function in ELEMENTWISE and call.target is not None]
    for same in groups(calls, lambda c: (c.rank, c.function, c.site, c.training)):
        clashing = [call for call in same if _clash(call)]
        if clashing:
            yield _clash_of_calls(clashing)


def _clash_of_calls(calls: list[observed.LossCall]) -> facts.ShapeClash:
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


def _clash(call: observed.LossCall) -> bool:
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


def step_orders(seen: Sightings) -> Iterator[facts.StepOrder]:
    for steps in groups(seen.of(observed.StepSeen), lambda s: (s.rank, s.optimizer)):
        first = steps[0]
        norms = [step.grad_norm for step in steps if step.grad_norm is not None]
        yield facts.StepOrder(
            rank=first.rank,
            optimizer=first.name,
            site=first.site,
            backward_site=first.backward_site,
            steps=len(steps),
            piled_up=sum(step.stale > 0 for step in steps),
            longest_pile=longest_run(step.stale > 0 for step in steps),
            gone=sum(step.empty for step in steps),
            longest_gone=longest_run(step.empty for step in steps),
            first_grad_norm=norms[0] if norms else None,
            last_grad_norm=norms[-1] if norms else None,
        )


def steppings(seen: Sightings) -> Iterator[facts.Stepping]:
    for endings in groups(seen.of(observed.Ending), lambda e: e.rank):
        last = endings[-1]
        backwards = [back for back in seen.of(observed.BackwardSeen) if back.rank == last.rank]
        yield facts.Stepping(
            rank=last.rank,
            backwards=last.backwards,
            steps=last.steps,
            optimizers=last.optimizers,
            unstepped=last.unstepped,
            weights_moved=last.weights_moved,
            backward_site=backwards[0].site if backwards else None,
        )


def loss_roots(seen: Sightings) -> Iterator[facts.LossRoot]:
    cuts = seen.of(observed.Cut)
    ordinary = [back for back in seen.of(observed.BackwardSeen) if not back.functional]
    for backs in groups(ordinary, lambda b: (b.rank, b.site)):
        first = backs[0]
        severed = [back for back in backs if not back.connected]
        cut = next((c for c in reversed(cuts) if severed and c.rank == first.rank and c.step <= severed[0].step), None)
        walked = [back for back in backs if back.parameters is not None]
        yield facts.LossRoot(
            rank=first.rank,
            site=first.site,
            backwards=len(backs),
            first_step=severed[0].step if severed else first.step,
            cut=len(severed),
            leaves=sum(back.leaf for back in backs),
            unreached=sum(back.parameters == 0 for back in walked),
            walked=len(walked),
            cut_by=cut.operation if cut else None,
            cut_at=cut.site if cut else None,
        )


def modes(seen: Sightings) -> Iterator[facts.Mode]:
    for backs in groups(seen.of(observed.BackwardSeen), lambda b: (b.rank, b.site)):
        names = {name for back in backs for name in back.eval_models}
        yield facts.Mode(
            rank=backs[0].rank,
            site=backs[0].site,
            models=tuple(sorted(names)),
            backwards=len(backs),
            in_eval=sum(bool(back.eval_models) for back in backs),
        )


def loss_curves(seen: Sightings) -> Iterator[facts.LossCurve]:
    steps = seen.of(observed.StepSeen)
    for backs in groups(seen.of(observed.BackwardSeen), lambda b: (b.rank, b.site)):
        first = backs[0]
        own = [step for step in steps if step.rank == first.rank and step.backward_site == first.site]
        yield facts.LossCurve(
            rank=first.rank,
            site=first.site,
            optimizers=len({step.optimizer for step in steps if step.rank == first.rank}),
            values=tuple(back.value for back in backs),
            weight_norms=tuple(step.weight_norm for step in own if step.weight_norm is not None),
            lr=own[0].lr if own else None,
            lr_site=own[0].built if own else None,
            negated=tuple(back.negated for back in backs if back.negated is not None),
        )


KINDS = ("input", "target", "activation", "loss", "gradient", "parameter")
"""At the same step the one nearer to the data is the cause of the others."""


def first_bads(seen: Sightings) -> Iterator[facts.FirstBad]:
    """With a GradScaler a non-finite gradient alone is how it finds its scale: that step is skipped."""
    bad = [item for item in seen.of(observed.NonFinite) if not (item.kind == "gradient" and item.scaled)]
    for items in groups(bad, lambda item: item.rank):
        ordered = sorted(items, key=lambda item: (item.step, KINDS.index(item.kind)))
        first = ordered[0]
        loss = next((item for item in ordered if item.kind == "loss" and item.step == first.step), None)
        named = loss if first.operation is None and loss is not None and loss.operation else first
        steps = [step for step in seen.of(observed.StepSeen) if step.rank == first.rank]
        yield facts.FirstBad(
            rank=first.rank,
            kind=first.kind,
            step=first.step,
            site=named.site if first.kind in ("activation", "loss") else first.site,
            module=first.module,
            operation=named.operation,
            detail=named.detail or first.detail,
            share=first.share,
            earlier=first.earlier,
            lr=steps[0].lr if steps else None,
            lr_site=steps[0].built if steps else None,
            also=tuple(item.kind for item in ordered[1:]),
        )


def clip_orders(seen: Sightings) -> Iterator[facts.ClipOrder]:
    for clips in groups(seen.of(observed.ClipSeen), lambda c: (c.rank, c.site)):
        yield facts.ClipOrder(
            rank=clips[0].rank,
            site=clips[0].site,
            times=len(clips),
            first_step=clips[0].step,
            late=sum(not clip.fresh for clip in clips),
            scaled=sum(clip.scaled for clip in clips),
            max_norm=clips[0].max_norm,
            median_norm=statistics.median(clip.norm for clip in clips),
        )


def rates(seen: Sightings) -> Iterator[facts.Rate]:
    for steps in groups(seen.of(observed.StepSeen), lambda s: (s.rank, s.optimizer)):
        known = [step.lr for step in steps if step.lr is not None]
        if known:
            yield facts.Rate(
                rank=steps[0].rank,
                optimizer=steps[0].name,
                site=steps[0].site,
                first_lr=steps[0].first_lr,
                lrs=tuple(known),
                epoch_steps=_epoch_steps(seen, steps[0].rank),
            )


def _epoch_steps(seen: Sightings, rank: int) -> int | None:
    """Steps between two beginnings of the loader that is read while steps go on."""
    epochs = _training_epochs(seen, rank)
    return epochs[1].step - epochs[0].step if len(epochs) > 1 else None


def _training_epochs(seen: Sightings, rank: int) -> list[observed.LoaderSeen]:
    """The beginnings of the first loader that steps were made between."""
    for epochs in groups((e for e in seen.of(observed.LoaderSeen) if e.rank == rank), lambda e: e.loader):
        if len(epochs) > 1 and epochs[1].step > epochs[0].step:
            return epochs
    return []


def feedings(seen: Sightings) -> Iterator[facts.Feeding]:
    for steps in groups(seen.of(observed.StepSeen), lambda s: (s.rank, s.optimizer)):
        known = [step for step in steps if step.batch]
        pairs = list(pairwise(known))
        models = [model for model in seen.of(observed.ModelSeen) if model.rank == steps[0].rank]
        yield facts.Feeding(
            rank=steps[0].rank,
            site=models[0].site if models else steps[0].backward_site,
            steps=len(steps),
            compared=len(pairs),
            longest_repeat=longest_run(a.batch == b.batch and b.batch_rebuilt for a, b in pairs),
            one_batch_epochs=any(epoch.batches == 1 for epoch in _training_epochs(seen, steps[0].rank)),
        )


def graph_sizes(seen: Sightings) -> Iterator[facts.GraphSize]:
    for backs in groups(seen.of(observed.BackwardSeen), lambda b: (b.rank, b.site)):
        nodes = tuple(back.nodes for back in backs if back.nodes is not None)
        yield facts.GraphSize(
            rank=backs[0].rank, site=backs[0].site, nodes=nodes, retained=all(back.retained for back in backs)
        )


def censuses(seen: Sightings) -> Iterator[observed.Census]:
    """The last count of each model."""
    for counts in groups(seen.of(observed.Census), lambda c: (c.rank, c.model)):
        yield counts[-1]


def attentions(seen: Sightings) -> Iterator[observed.Attention]:
    for calls in groups(seen.of(observed.Attention), lambda a: (a.rank, a.site)):
        yield calls[0]


def dependences(seen: Sightings) -> Iterator[observed.Dependence]:
    yield from seen.of(observed.Dependence)


def custom_gradients(seen: Sightings) -> Iterator[observed.CustomGradient]:
    yield from seen.of(observed.CustomGradient)


Reducer = Callable[[Sightings], Iterable[Any]]
REDUCERS: tuple[Reducer, ...] = (
    loss_sites,
    shape_clashes,
    step_orders,
    steppings,
    loss_roots,
    modes,
    loss_curves,
    first_bads,
    clip_orders,
    rates,
    feedings,
    graph_sizes,
    censuses,
    attentions,
    dependences,
    custom_gradients,
)

__all__ = ["REDUCERS", "Sightings", "Site", "broadcast", "derive", "longest_run"]
