"""Parameters that get gradients are in no optimizer.

## What it sees
Part of a model takes part in the loss and requires gradients, but no optimizer holds it. If the optimizer holds other
tensors that belong to no model in use, it was created before a layer was replaced, or for another model. A rehearsal
also sees layers that are unfrozen or added in the middle of the run, get gradients from then on, and do not move; and a
model that replaces another (a checkpoint was loaded into a new one) while the optimizer keeps stepping the tensors of
the old one, which get no gradients any more: from there on nothing trains.

## When it is fine
Passing only the head's parameters to the optimizer, to train just the head, is common; it is a note if the rest was
loaded, copied or trained before. Weights that still have their random initialization are no backbone to train a head
on. Freeze the rest with `requires_grad_(False)` to state the intent, which also saves its backward pass.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.census import Census
from firstlight.records.sighting import Some


class Limits(Settable):
    drawn: float = 0.5
    """Largest share of randomly initialized weights in what is left out: a new layer left out on top of loaded ones is
    not yet training on noise."""
    idle: int = 10
    """Fewest steps in a row in which the optimizers' tensors get no gradient; phases without one are shorter, or
    another optimizer steps in them."""


def find(census: Census, limits: Limits) -> Found:
    if census.joined.tensors:
        yield _joined(census)
    left_out, strangers = census.unoptimized, census.strangers
    if left_out.tensors and census.left.tensors and census.left_steps >= limits.idle:
        yield _left(census, left_out)
        return
    if not left_out.tensors or not (census.optimized.tensors or strangers.tensors):
        return
    share = left_out.elements / max(1, census.trainable.elements)
    also = f"; it holds {strangers.tensors} tensors that no model in use has" if strangers.tensors else ""
    drawn = census.unoptimized_drawn.elements / max(1, left_out.elements)
    chosen = not strangers.tensors and _one_branch(census.optimized) and not drawn > limits.drawn
    never = (
        f"; {listed(census.unoptimized_drawn)} still have their random initialization" if drawn > limits.drawn else ""
    )
    yield Evidence(
        where=at(census.built or census.site, module=left_out.names[0], step=census.step, rank=census.rank),
        saw=f"{left_out.tensors} of {census.trainable.tensors} trainable tensors of `{census.name}` ({share:.0%} "
        f"of its parameters: {listed(left_out)}) get gradients and are in no optimizer{also}{never}",
        wanted="every trainable parameter in an optimizer, or frozen",
        severity=None if strangers.tensors else Severity.NOTE if chosen else Severity.WARNING,
        confidence=None if strangers.tensors else 0.6,
        likely="the optimizer was created before a layer was replaced, or for another model"
        if strangers.tensors
        else None,
        numbers={"tensors": left_out.tensors, "share": share},
    )


def _left(census: Census, left_out: Some, confidence: float | None = None) -> Evidence:
    share = left_out.elements / max(1, census.trainable.elements)
    return Evidence(
        where=at(census.joined_site or census.built or census.site, step=census.step, rank=census.rank),
        saw=f"{left_out.tensors} of {census.trainable.tensors} trainable tensors of `{census.name}` ({share:.0%} of "
        f"its parameters) get gradients and are in no optimizer, while the {census.left.tensors} tensors that the "
        f"optimizers hold got none for the last {census.left_steps} steps: nothing trains",
        wanted="an optimizer that holds the model in use",
        severity=None if confidence is None else Severity.WARNING,
        confidence=confidence,
        likely="the model was rebuilt, to load a checkpoint or for another stage, and the optimizer still belongs to "
        "the old one",
        do="rebuild the optimizer from the new model, and load its state after that; or load the checkpoint into "
        "the existing model",
        numbers={"tensors": left_out.tensors, "share": share},
    )


def _joined(census: Census) -> Evidence:
    joined = census.joined
    if census.left.tensors and joined.tensors == census.trainable.tensors:
        return _left(census, joined, confidence=0.9)
    share = joined.elements / max(1, census.trainable.elements)
    return Evidence(
        where=at(census.joined_site or census.site, module=joined.names[0], step=census.step, rank=census.rank),
        saw=f"{joined.tensors} tensors of `{census.name}` ({share:.0%} of its trainable parameters: {listed(joined)}) "
        "were unfrozen or added during training, get gradients since, are in no optimizer, and do not move",
        wanted="an optimizer that holds them from that point on",
        severity=Severity.WARNING,
        confidence=0.9,
        likely="the optimizer was created from the parameters that were trainable then, and these were never added",
        do="add them (`optimizer.add_param_group`) where they are unfrozen or added, or rebuild the optimizer there",
        numbers={"tensors": joined.tensors, "share": share},
    )


def _one_branch(optimized: Some) -> bool:
    """Everything optimized lies in one submodule: the user chose to train just that."""
    return optimized.tensors > 0 and len({name.partition(".")[0] for name in optimized.names}) == 1


def listed(some: Some) -> str:
    rest = some.tensors - len(some.names)
    return ", ".join(some.names) + (f" and {rest} more" if rest > 0 else "")


CHECK = Check(
    id="FL401",
    summary="parameters that get gradients are in no optimizer",
    causes=("train-params-missing",),
    likely="the optimizer was given only some of the parameters",
    fix="build the optimizer from `model.parameters()` once the model is complete; freeze what must not train",
    severity=Severity.ERROR,
    confidence=0.96,
    exhaustive=True,
    find=find,
)
