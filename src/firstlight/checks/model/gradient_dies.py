"""A weight that was trained gets a gradient of exactly zero from some step on.

## What it sees
Look after look the gradient of a weight matrix is exactly zero, though it had not been, and others still get theirs.

## When it is fine
Experts that are not chosen and embeddings that do not occur have zero gradients for a while, in parts; a loss that
reached zero has them everywhere.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, Settable
from firstlight.records.finding import Evidence, Severity
from firstlight.records.live import TensorTrack
from firstlight.records.places import Where


class Limits(Settable):
    looks: int = 12
    """In a row, eight steps apart."""
    alive: float = 0.2
    """Share of the other matrices that must still get a gradient."""


def find(track: TensorTrack, limits: Limits) -> Iterator[Evidence]:
    matrices = [tensor for tensor in track.tensors if tensor.matrix]
    dead = [t for t in matrices if t.mute >= limits.looks and t.grad_start > 0]
    alive = [t for t in matrices if t.grad_now > 0]
    if not dead or len(alive) < max(1.0, limits.alive * len(matrices)):
        return
    yield Evidence(
        where=Where(module=dead[0].name, step=track.step, rank=track.rank),
        saw=f"the gradient of `{dead[0].name}` has been exactly zero for {dead[0].mute} looks; at the start it was "
        f"{dead[0].grad_start:.2g}" + (f". So it is for {len(dead) - 1} more" if len(dead) > 1 else ""),
        wanted="a gradient as long as others get one",
        numbers={"parameters": len(dead), "of": len(matrices)},
    )


CHECK = Check(
    id="FL474",
    name="gradient-dies",
    summary="a trained weight gets a gradient of exactly zero from some step on",
    causes=("arch-dead-units", "loss-detached"),
    likely="every unit behind it is dead",
    fix="look at the activations behind it; lower the learning rate and start again",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
