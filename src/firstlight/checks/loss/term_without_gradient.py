"""A term of the loss counts in its value and trains nothing, or not what it rests on.

## What it sees
Backward is called on a sum, and one of its terms rests on tensors that are being trained but carries no gradient: it
was detached, or computed under `no_grad`. The loss shows it and the weights never feel it. It does not matter whether
the terms are torch's own loss functions or written by hand.

Or the one comparison with answers has a gradient, and none for a part of the model that its predictions rest on: what
that part made reaches them through a cut. What it is still trained by are terms that meet no answer and would be
no higher were all examples alike, like the penalty on the code of an autoencoder. The model runs, its loss falls, and
that part learns to tell nothing apart.

## When it is fine
A term added only so that the printed loss is complete does no harm. A factor that is detached on purpose (a weight, an
advantage, a teacher's answer) is no term, and is not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.taped import TermSeen

DRAWS = frozenset({"normal", "bernoulli", "poisson", "multinomial"})
DRAWN_LIKELY = "the values are drawn in a way that no gradient goes through, as by `sample()`"
DRAWN_DO = (
    "use `rsample()`, or `mean + deviation * torch.randn_like(mean)`; for classes and bits a relaxed draw, a "
    "straight-through estimate, or the score (`log_prob`) times what it earned"
)


def find(term: TermSeen, _limits: NoLimits) -> Found:
    if term.times < term.looks:
        return
    if term.unfelt:
        yield Evidence(
            where=at(term.site or term.added, step=term.step, rank=term.rank),
            saw=f"what is compared with the answers at {term.added} rests on {term.unfelt} trained tensors that get no "
            f"gradient of it: `{term.operation}` passes none on; what else trains them meets no answer, and the "
            f"loss of {term.loss:.4g} would be {term.value:.4g} were all examples alike to it",
            wanted="a gradient from the answers to all that the predictions rest on",
            likely=DRAWN_LIKELY if term.operation in DRAWS else None,
            do=DRAWN_DO if term.operation in DRAWS else None,
            numbers={"tensors": term.unfelt, "alike": term.value, "loss": term.loss, "looks": term.looks},
        )
        return
    joined = f"; the term joins the loss at {term.added}" if term.added is not None and term.added != term.site else ""
    yield Evidence(
        where=at(term.site or term.added, step=term.step, rank=term.rank),
        saw=f"a term of the loss, {term.value:.4g} of {term.loss:.4g}, rests on trained tensors and has no gradient: "
        f"`{term.operation}` passes none on{joined}",
        wanted="a gradient from every term that depends on what is trained",
        numbers={"value": term.value, "loss": term.loss, "looks": term.looks},
    )


CHECK = Check(
    id="FL216",
    summary="a term of the loss trains nothing, or not what it rests on",
    causes=("loss-detached",),
    likely="`detach()`, `no_grad` or a conversion to a number and back on the way from the network to this term",
    fix="compute the term with gradients enabled and without `detach`, `item` or `.data`; if it is only to be shown, "
    "leave it out of what backward is called on",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
