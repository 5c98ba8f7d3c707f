"""A layer that was trained no longer gets any gradient.

## What it sees
Parameters that require a gradient and once had one get none for many steps, or one that is exactly zero at look after
look, while others still get theirs.

## When it is fine
A layer frozen on purpose (`requires_grad_(False)`) does not require one. Branches that run at random come back: a layer
that was left out before must stay away far longer. Experts that are not chosen and embeddings that do not occur have
zero gradients in parts for a while; with a loss that reached zero, all gradients are zero.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import TensorTrack


class Limits(Settable):
    looks: int = 6
    """Fewest looks in a row, eight steps apart, without a gradient."""
    chance: float = 1e-6
    """Largest chance of so many in a row for a layer that is left out at random as often as this one was before."""
    mute_looks: int = 12
    """Fewest looks in a row, eight steps apart, with a gradient of exactly zero."""
    alive: float = 0.2
    """Smallest share of the matrices that must still get a gradient while this one gets zeros."""


def find(track: TensorTrack, limits: Limits) -> Found:
    away = [t for t in track.tensors if t.gone >= limits.looks]
    gone = [t for t in away if min(max(t.absent, 0.0), 1.0) ** t.gone < limits.chance]
    if gone and len(away) < len(track.tensors):
        yield Evidence(
            where=Where(module=gone[0].name, step=track.step, rank=track.rank),
            saw=f"{len(gone)} of {len(track.tensors)} parameters, first `{gone[0].name}`, once had gradients and have "
            f"had none for the last {gone[0].gone} looks",
            wanted="gradients for every parameter that requires one",
            numbers={"parameters": len(gone), "of": len(track.tensors)},
        )
    matrices = [tensor for tensor in track.tensors if tensor.matrix]
    dead = [t for t in matrices if t.mute >= limits.mute_looks and t.grad_start > 0]
    alive = [t for t in matrices if t.grad_now > 0]
    if dead and len(alive) >= max(1.0, limits.alive * len(matrices)):
        yield Evidence(
            where=Where(module=dead[0].name, step=track.step, rank=track.rank),
            saw=f"the gradient of `{dead[0].name}` has been exactly zero for {dead[0].mute} looks; at the start it was "
            f"{dead[0].grad_start:.2g}" + (f". The same holds for {len(dead) - 1} more" if len(dead) > 1 else ""),
            wanted="a gradient that is not zero while others get one",
            cause="arch-dead-units",
            confidence=0.7,
            likely="every unit after it is dead",
            do="look at the activations after it; lower the learning rate and start again",
            numbers={"parameters": len(dead), "of": len(matrices)},
        )


CHECK = Check(
    id="FL476",
    summary="a layer that was trained no longer gets any gradient",
    causes=("loss-detached", "train-frozen", "arch-unused", "arch-dead-units"),
    likely="a `detach`, a `no_grad` or a branch of the program takes it out of the graph from some step on",
    fix="find out what changes at that step: a schedule of phases, a branch on the epoch, a `detach`",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
