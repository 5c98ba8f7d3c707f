"""Parameters that an optimizer holds never get a gradient.

## What it sees
After several steps, no backward has ever reached these parameters. Either the path to them is cut (`detach` or
`no_grad`, in the model or around a part of it in the loop, re-entrant checkpointing without a differentiable input, a
rounding whose gradient is zero everywhere, a function of the program's own whose `backward` gives zeros), or their
module runs and its output is not used, or it is never called. If a table of positions is among them, the model does not
get the order of its tokens.

## When it is fine
A head that is switched off, or an encoder's pooler that the task does not use. Modules that are never called and make
up less than half of the model, and code that is not the user's own, are a note.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.checks.model.parameters_not_optimized import listed
from firstlight.records.census import Census


class Limits(Settable):
    backwards: int = 3
    """Fewest backwards; a branch may rest for a batch or two."""
    share: float = 0.01
    """Smallest share of the model's trainable values; less is a leftover, not a loss."""
    most: float = 0.5
    """Largest share that may be never called: more than half of a model is no head that is switched off."""


def find(census: Census, limits: Limits) -> Found:
    if census.backwards < limits.backwards:
        return
    whole = max(1, census.trainable.elements)
    if census.cut_off.tensors:
        share = census.cut_off.elements / whole
        at_line = f" (`{census.cut_by}` at {census.cut_site})" if census.cut_site else ""
        own = census.cut_by is not None and census.cut_by.endswith(".backward")
        yield Evidence(
            where=at(
                census.cut_site or census.site, module=census.cut_off.names[0], step=census.step, rank=census.rank
            ),
            saw=f"{census.cut_off.tensors} tensors ({share:.0%} of `{census.name}`: {listed(census.cut_off)}) ran, and "
            f"no gradient reaches them: the graph is cut{at_line}",
            wanted="a differentiable path from them to the loss",
            cause="loss-gradient" if own else "loss-detached",
            severity=Severity.ERROR if census.own_code or share >= limits.share else Severity.NOTE,
            likely="a `backward` that gives zeros, whatever gradient it is given"
            if own
            else "`detach`, `no_grad`, a rounding, or re-entrant checkpointing whose inputs need no gradient",
            do="print what `backward` saved and what it returns"
            if own
            else "remove the cut; with `torch.utils.checkpoint` pass `use_reentrant=False`",
            numbers={"tensors": census.cut_off.tensors, "share": share},
        )
    if census.blind.tensors:
        yield Evidence(
            where=at(census.site, step=census.step, rank=census.rank),
            saw=f"{census.blind.tensors} tensors that the optimizer holds ({listed(census.blind)}) belong to modules "
            "that ran only with gradients disabled",
            wanted="gradients for everything that should train",
            cause="loss-detached",
            likely="part of the model is called under `torch.no_grad()` in the training loop",
            do="call it outside `no_grad`, or leave its parameters out of the optimizer",
            numbers={"tensors": census.blind.tensors},
        )
    if census.places.tensors and census.own_code:
        yield Evidence(
            where=at(
                census.tokens_site or census.site, module=census.places.names[0], step=census.step, rank=census.rank
            ),
            saw=f"`{census.places.names[0]}` has a row for each position of a sequence, and never reaches the loss",
            wanted="positions added to the tokens",
            cause="arch-position",
            likely="the embedded tokens are used without their positions",
            do="add the position embeddings to the token embeddings before the first layer",
            numbers={"tensors": census.places.tensors},
        )
    if census.wasted.tensors:
        share = census.wasted.elements / whole
        mine = census.own_code and share >= limits.share
        yield Evidence(
            where=at(census.site, module=census.wasted.names[0], step=census.step, rank=census.rank),
            saw=f"{census.wasted.tensors} tensors ({share:.0%} of `{census.name}`: {listed(census.wasted)}) "
            "are computed and never reach the loss",
            wanted="every trained module's output used in the loss",
            severity=Severity.WARNING if mine else Severity.NOTE,
            numbers={"tensors": census.wasted.tensors, "share": share},
        )
    if census.uncalled.tensors:
        share = census.uncalled.elements / whole
        yield Evidence(
            where=at(census.site, module=census.uncalled.names[0], step=census.step, rank=census.rank),
            saw=f"{census.uncalled.tensors} tensors ({share:.0%} of `{census.name}`: {listed(census.uncalled)}) "
            "belong to modules that are never called",
            wanted="modules that are used, or removed",
            severity=Severity.WARNING if census.own_uncalled and share > limits.most else Severity.NOTE,
            confidence=0.7 if census.own_uncalled and share > limits.most else 0.4,
            likely="`forward` skips a list of layers, or returns before it reaches them",
            numbers={"tensors": census.uncalled.tensors, "share": share},
        )


CHECK = Check(
    id="FL403",
    summary="parameters in the optimizer never get a gradient",
    causes=("arch-unused", "loss-detached", "loss-gradient", "arch-position"),
    likely="the output of a branch is overwritten or left out of the result",
    fix="follow the named module's output through `forward` to where it is lost",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
