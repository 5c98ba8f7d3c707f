"""How the loss goes, what the model is fed, and where the first bad number is."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import Any

import msgspec

from firstlight.facts.sightings import Sightings, groups, longest_run
from firstlight.facts.stepping import training_epochs
from firstlight.records import facts, feed
from firstlight.records.inner import Movement, NormStatistics, WayTaken
from firstlight.records.learning import CERTIFIED, NO_SIGN, NOT_CERTIFIED, LearningSign, Unlearnt
from firstlight.records.nonfinite import BadOperation, NonFinite
from firstlight.records.program import LoaderSeen, ModelSeen
from firstlight.records.taped import PullSeen, WholeFed
from firstlight.records.training import BackwardSeen, LossCall, StepSeen


def loss_curves(seen: Sightings) -> Iterator[facts.LossCurve]:
    steps = seen.of(StepSeen)
    for backs in groups(seen.of(BackwardSeen), lambda b: (b.rank, b.site)):
        first = backs[0]
        own = [step for step in steps if step.rank == first.rank and step.backward_site == first.site]
        sign = -1 if is_meant_to_rise(seen, first.rank) else 1
        yield facts.LossCurve(
            rank=first.rank,
            site=first.site,
            optimizers=len({step.optimizer for step in steps if step.rank == first.rank}),
            values=tuple(sign * back.value for back in backs),
            weight_norms=tuple(step.weight_norm for step in own if step.weight_norm is not None),
            lr=own[0].lr if own else None,
            lr_site=own[0].built if own else None,
        )


def learning_signs(seen: Sightings) -> Iterator[LearningSign]:
    """One for each rank: a program learns if one of its losses does; it shows no sign of it if none of them could."""
    for told in groups(seen.of(LearningSign), lambda sign: sign.rank):
        lasts = [signs[-1] for signs in groups(told, lambda sign: sign.site)]
        order = (CERTIFIED, NOT_CERTIFIED)
        sign = min(
            lasts, key=lambda sign: (order.index(sign.status) if sign.status in order else len(order), -sign.steps)
        )
        steps = [step for step in seen.of(StepSeen) if step.rank == sign.rank]
        excuse = WARMING if rate_rises(steps) else PLAYERS if compete(steps) else ""
        excuse = RAISED if is_meant_to_rise(seen, sign.rank) else excuse
        excused = sign.status == NO_SIGN and excuse
        yield msgspec.structs.replace(sign, status=NOT_CERTIFIED, reason=excuse) if excused else sign


def unlearnt(seen: Sightings) -> Iterator[Unlearnt]:
    for sign in learning_signs(seen):
        steps = [step for step in seen.of(StepSeen) if step.rank == sign.rank]
        own = [step for step in steps if step.optimizer == steps[-1].optimizer]
        if sign.gone is None or not own:
            continue
        since = sign.gone.since
        rates = [step.lr for step in own if since // 2 <= step.step <= since and step.lr is not None]
        yield Unlearnt(
            rank=sign.rank,
            site=sign.site,
            built=own[0].built,
            gone=sign.gone,
            rate=rates[0] if rates else None,
            risen=max(rates, default=None),
            optimizers=len({step.optimizer for step in steps}),
        )


WARMING = "the learning rate was still rising when it was last seen"
PLAYERS = "several optimizers step after losses of their own, which may pull against each other"
RAISED = "its steps go up what `backward` is called on, as where a likelihood is to rise"
RISES = 1.1
"""The last rate over that of a quarter of the steps before it: a warm-up in a straight line makes at least 4/3."""
TURNS = 4
"""Changes from one to the other; what trains in stages makes one."""


def is_meant_to_rise(seen: Sightings, rank: int) -> bool:
    """The steps climb what `backward` is called on, and it is not known to be lower where predictions are right."""
    moved = [look for look in seen.of(Movement) if look.rank == rank and look.tensors]
    ways = [median(one.along for one in look.tensors) for look in moved]
    ways += [way.along for way in seen.of(WayTaken) if way.rank == rank]
    falls = any(pull.rank == rank and pull.right < pull.contrary for pull in seen.of(PullSeen))
    return len(ways) > 1 and all(way > UPHILL for way in ways) and not falls


UPHILL = 0.1
"""Cosine between step and gradient; momentum takes some steps a little uphill."""


def rate_rises(steps: list[StepSeen]) -> bool:
    if not steps:
        return False
    rates = [step.lr for step in steps if step.optimizer == steps[-1].optimizer and step.lr is not None]
    return len(rates) > 1 and rates[-1] >= max(rates) and rates[-1] > RISES * rates[3 * len(rates) // 4 - 1]


def compete(steps: Sequence[StepSeen]) -> bool:
    """They take turns, and each has its own backward, on another line."""
    turns = [(a, b) for a, b in pairwise(steps) if a.optimizer != b.optimizer and a.backward_site != b.backward_site]
    return len(turns) >= TURNS


KINDS = ("input", "target", "activation", "loss", "gradient", "parameter")
"""At the same step the one nearer to the data is the cause of the others."""


def first_bads(seen: Sightings) -> Iterator[facts.FirstBad]:
    """With a GradScaler a non-finite gradient alone is how it finds its scale: that step is skipped."""
    bad = [item for item in seen.of(NonFinite) if not (item.kind == "gradient" and item.scaled)]
    for items in groups(bad, lambda item: item.rank):
        ordered = sorted(items, key=lambda item: (item.step, KINDS.index(item.kind)))
        first = ordered[0]
        loss = next((item for item in ordered if item.kind == "loss" and item.step == first.step), None)
        named = loss if first.operation is None and loss is not None and loss.operation else first
        steps = [step for step in seen.of(StepSeen) if step.rank == first.rank]
        fact = facts.FirstBad(
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
        )
        culprits = (c for c in seen.of(BadOperation) if (c.rank, c.step) == (first.rank, first.step))
        culprit = next(culprits, None)
        yield fact if culprit is None or culprit.phase == "given" else _blaming(fact, culprit)


def _blaming(fact: facts.FirstBad, culprit: BadOperation) -> facts.FirstBad:
    """The step was repeated operation by operation, which is surer than what a finished graph shows."""
    return msgspec.structs.replace(
        fact,
        site=culprit.site or fact.site,
        module=culprit.module or fact.module,
        operation=culprit.operation,
        detail=culprit.words or fact.detail,
        inputs=culprit.inputs,
        remedy=culprit.remedy,
    )


def feedings(seen: Sightings) -> Iterator[facts.Feeding]:
    for steps in groups(seen.of(StepSeen), lambda s: (s.rank, s.optimizer)):
        known = [step for step in steps if step.batch]
        pairs = list(pairwise(known))
        calls = [call for call in seen.of(LossCall) if call.rank == steps[0].rank and call.training]
        changing = _with_changing_answers(known, calls)
        models = [model for model in seen.of(ModelSeen) if model.rank == steps[0].rank]
        whole = any(look.rank == steps[0].rank for look in seen.of(WholeFed))
        yield facts.Feeding(
            rank=steps[0].rank,
            site=models[0].site if models else steps[0].backward_site,
            steps=len(steps),
            compared=len(pairs),
            longest_repeat=longest_run(
                a.batch == b.batch and b.batch_rebuilt and not b.answers_kept and b.batch not in changing
                for a, b in pairs
            ),
            one_batch_epochs=whole or any(epoch.batches == 1 for epoch in training_epochs(seen, steps[0].rank)),
        )


def passes(seen: Sightings) -> Iterator[facts.Passes]:
    for steps in groups(seen.of(StepSeen), lambda s: s.rank):
        epochs = training_epochs(seen, steps[0].rank)
        if len(epochs) < 2:
            continue
        first, second = epochs[:2]
        fed = {step.step: step.batch for step in steps if step.batch}
        places = range(second.step - first.step)
        pairs = [(fed.get(first.step + place), fed.get(second.step + place)) for place in places]
        known = [(before, after) for before, after in pairs if before and after]
        if known:
            equal = sum(before == after for before, after in known)
            yield facts.Passes(rank=steps[0].rank, site=first.site, compared=len(known), equal=equal)


def _with_changing_answers(steps: list[StepSeen], calls: list[LossCall]) -> set[str | None]:
    """Fingerprints of inputs that were seen with several answers: inputs that are all alike are no repeated batch."""
    fed = {step.step: step.batch for step in steps}
    answers: dict[str | None, set[tuple[Any, ...]]] = {}
    for call in calls:
        answers.setdefault(fed.get(call.step), set()).add((call.target, call.classes))
    return {batch for batch, seen in answers.items() if len(seen) > 1}


def norm_statistics(seen: Sightings) -> Iterator[NormStatistics]:
    """The last look at each batch norm."""
    for looks in groups(seen.of(NormStatistics), lambda look: (look.rank, look.module)):
        fed = [step.batch for step in seen.of(StepSeen) if step.rank == looks[0].rank]
        yield msgspec.structs.replace(looks[-1], varied=len(set(fed)) > 1 or None in fed)


def worker_streams(seen: Sightings) -> Iterator[facts.WorkerStream]:
    """Streams that the workers of one epoch drew from."""
    for workers in groups(seen.of(feed.WorkerSeen), lambda w: (w.rank, w.loader, w.seed)):
        first = workers[0]
        epochs = [epoch for epoch in seen.of(LoaderSeen) if epoch.rank == first.rank]
        for name in dict.fromkeys(name for worker in workers for name in worker.streams):
            states = [worker.streams[name] for worker in workers if name in worker.streams]
            yield facts.WorkerStream(
                rank=first.rank,
                name=name,
                dataset=first.dataset,
                workers=first.workers,
                alike=max(states.count(state) for state in states),
                site=epochs[0].site if epochs else None,
            )


def collations(seen: Sightings) -> Iterator[feed.Collated]:
    for looks in groups(seen.of(feed.CollateSeen), lambda look: (look.rank, look.site, look.what)):
        first = looks[0]
        yield feed.Collated(
            rank=first.rank,
            site=first.site,
            what=first.what,
            first=first.first,
            second=first.second,
            batches=len(looks),
            step=first.step,
            torn=median(look.torn / look.items for look in looks),
        )
