"""In which order and at which pace the program clears, goes backward, clips and steps."""

import math
import statistics
from collections.abc import Iterator, Sequence

from firstlight.facts.sightings import Sightings, groups, longest_run
from firstlight.records import facts
from firstlight.records.given_up import GivenUp
from firstlight.records.program import Ending, LoaderSeen
from firstlight.records.training import BackwardSeen, ClipSeen, StepSeen


def step_orders(seen: Sightings) -> Iterator[facts.StepOrder]:
    for steps in groups(seen.of(StepSeen), lambda s: (s.rank, s.optimizer)):
        first = steps[0]
        norms = [step.grad_norm for step in steps if step.grad_norm is not None]
        bare = [step for step in steps if step.bare]
        yield facts.StepOrder(
            rank=first.rank,
            optimizer=first.name,
            site=first.site,
            backward_site=first.backward_site,
            steps=len(steps),
            piled_up=sum(step.stale > 0 for step in steps),
            longest_pile=longest_run(step.stale > 0 for step in steps),
            bare=len(bare),
            frozen=statistics.fmean(step.frozen for step in bare) if bare else 0.0,
            gone=sum(step.empty for step in steps),
            longest_gone=longest_run(step.empty for step in steps),
            first_grad_norm=norms[0] if norms else None,
            last_grad_norm=norms[-1] if norms else None,
        )


def steppings(seen: Sightings) -> Iterator[facts.Stepping]:
    for endings in groups(seen.of(Ending), lambda e: e.rank):
        last = endings[-1]
        backwards = [back for back in seen.of(BackwardSeen) if back.rank == last.rank]
        yield facts.Stepping(
            rank=last.rank,
            backwards=last.backwards,
            steps=last.steps,
            optimizers=last.optimizers,
            unstepped=last.unstepped,
            unused=last.unused,
            weights_moved=last.weights_moved,
            swallowed=last.swallowed,
            backward_site=backwards[0].site if backwards else None,
            gathered=sum(not back.within_step for back in backwards),
            finished=last.reason == "exit",
            whole_epochs=_whole_epochs(seen, last.rank),
        )


def modes(seen: Sightings) -> Iterator[facts.Mode]:
    for backs in groups(seen.of(BackwardSeen), lambda b: (b.rank, b.site)):
        names = {name for back in backs for name in back.eval_models}
        yield facts.Mode(
            rank=backs[0].rank,
            site=backs[0].site,
            models=tuple(sorted(names)),
            backwards=len(backs),
            in_eval=sum(bool(back.eval_models) for back in backs),
        )


def clip_orders(seen: Sightings) -> Iterator[facts.ClipOrder]:
    for clips in groups(seen.of(ClipSeen), lambda c: (c.rank, c.site)):
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
    for steps in groups(seen.of(StepSeen), lambda s: (s.rank, s.optimizer)):
        known = [step.lr for step in steps if step.lr is not None]
        if known:
            yield facts.Rate(
                rank=steps[0].rank,
                optimizer=steps[0].name,
                site=steps[0].site,
                first_lr=steps[0].first_lr,
                lrs=tuple(known),
                epoch_steps=_epoch_steps(seen, steps[0].rank),
                by_hand=all(step.by_hand for step in steps),
            )


def _epoch_steps(seen: Sightings, rank: int) -> int | None:
    """Steps between two beginnings of the loader that is read while steps go on."""
    epochs = training_epochs(seen, rank)
    return epochs[1].step - epochs[0].step if len(epochs) > 1 else None


def _whole_epochs(seen: Sightings, rank: int) -> int:
    """Examples of a training loader that gives them all in one batch."""
    epochs = training_epochs(seen, rank)
    return epochs[0].examples or 0 if epochs and epochs[0].batches == 1 else 0


def training_epochs(seen: Sightings, rank: int) -> list[LoaderSeen]:
    """The beginnings of the first loader that steps were made between."""
    for epochs in groups((e for e in seen.of(LoaderSeen) if e.rank == rank), lambda e: e.loader):
        if len(epochs) > 1 and epochs[1].step > epochs[0].step:
            return epochs
    return []


def rebuildings(seen: Sightings) -> Iterator[facts.Rebuilding]:
    for steps in groups(seen.of(StepSeen), lambda s: (s.rank, s.built, s.name)):
        yield facts.Rebuilding(
            rank=steps[0].rank,
            optimizer=steps[0].name,
            site=steps[0].built,
            times=max(step.rebuilt for step in steps),
            lives=tuple(len(life) for life in groups(steps, lambda s: s.optimizer)),
            forgotten=max(step.forgotten for step in steps),
            stateful=any(step.stateful for step in steps),
            closure=any(step.closure for step in steps),
        )
    for gone in seen.of(GivenUp):
        yield facts.Rebuilding(
            rank=gone.rank,
            optimizer=gone.optimizer,
            site=gone.site,
            times=0,
            lives=(),
            stateful=False,
            closure=False,
            model=gone.model,
            given_up=gone.lives,
            used=gone.used,
        )


def accumulations(seen: Sightings) -> Iterator[facts.Accumulation]:
    for backs in groups(seen.of(BackwardSeen), lambda b: (b.rank, b.site)):
        rank = backs[0].rank
        steps = [step for step in seen.of(StepSeen) if step.rank == rank]
        lines = {back.site for back in seen.of(BackwardSeen) if back.rank == rank}
        loaders = {epoch.loader for epoch in seen.of(LoaderSeen) if epoch.rank == rank and epoch.step == 0}
        yield facts.Accumulation(
            rank=rank,
            site=backs[0].site,
            optimizer=steps[0].name if len({step.optimizer for step in steps}) == 1 else None,
            backwards=tuple(len(same) for same in groups(backs, lambda b: b.step)),
            averages=_common([back.averages and back.averages / back.scale for back in backs]),
            separate=len(lines) == 1 and all(back.calls and not back.retained for back in backs),
            untouched=sum(step.reworked is False for step in steps),
            reworked=sum(step.reworked is True for step in steps),
            closure=any(step.closure for step in steps),
            loaders=len(loaders),
        )


def _common(numbers: Sequence[float | None]) -> float | None:
    first = numbers[0]
    return first if first and all(one and math.isclose(one, first, rel_tol=ROUNDED) for one in numbers) else None


ROUNDED = 1e-3
"""Share by which a number may differ that was multiplied and divided again."""


def graph_sizes(seen: Sightings) -> Iterator[facts.GraphSize]:
    for backs in groups(seen.of(BackwardSeen), lambda b: (b.rank, b.site)):
        nodes = tuple(back.nodes for back in backs if back.nodes is not None)
        yield facts.GraphSize(
            rank=backs[0].rank, site=backs[0].site, nodes=nodes, retained=all(back.retained for back in backs)
        )
