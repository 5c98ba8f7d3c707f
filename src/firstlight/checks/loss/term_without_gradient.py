"""A term of the loss adds to its value but trains nothing, or not everything that it depends on.

## What it sees
Backward is called on a sum, and one of its terms depends on tensors that are being trained but carries no gradient: it
was detached, or computed under `no_grad`. It shows in the loss but never reaches the weights. It does not matter
whether the terms are torch's own loss functions or written by hand.

Or a residual adds a derivative of the network to its outputs, as in a differential equation, and the derivative was
taken without `create_graph=True`.

Or the only comparison with targets has a gradient, but none for a part of the model that its predictions depend on:
there is a cut between that part and the predictions. What still trains that part are terms that involve no target and
would be no higher if all examples were alike, such as the penalty on the code of an autoencoder. The model runs and its
loss falls, but that part does not learn to tell examples apart.

## When it is fine
A term that is added only to complete the printed loss does no harm. A factor that is detached on purpose (a weight, an
advantage, a teacher's output) is not a term, and is not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.taped import TermSeen

DRAWS = frozenset({"normal", "bernoulli", "poisson", "multinomial"})
DRAWN_LIKELY = "the values are sampled in a way that lets no gradient through, for example by `sample()`"
DRAWN_DO = (
    "use `rsample()`, or `mean + deviation * torch.randn_like(mean)`; for classes and bits, a relaxed sample, a "
    "straight-through estimate, or the score function (`log_prob`) times the reward"
)


def find(term: TermSeen, _limits: NoLimits) -> Found:
    if term.times < term.looks:
        return
    if term.unfelt:
        yield Evidence(
            where=at(term.site or term.added, step=term.step, rank=term.rank),
            saw=f"what is compared with the targets at {term.added} depends on {term.unfelt} trained tensors that get "
            f"no gradient from it: `{term.operation}` passes none on; terms that train them involve no target, and the "
            f"loss of {term.loss:.4g} would be {term.value:.4g} if all examples were alike to those tensors",
            wanted="a gradient from the targets to everything that the predictions depend on",
            likely=DRAWN_LIKELY if term.operation in DRAWS else None,
            do=DRAWN_DO if term.operation in DRAWS else None,
            numbers={"tensors": term.unfelt, "alike": term.value, "loss": term.loss, "looks": term.looks},
        )
        return
    if term.derivative:
        yield Evidence(
            where=at(term.site or term.added, step=term.step, rank=term.rank),
            saw=f"a derivative of the network, {term.value:.4g} in size, is added to its outputs at {term.added} and "
            f"has no gradient: nothing is trained by how the derivative changes with the weights",
            wanted="a gradient from every part of the residual that depends on what is trained",
            likely="`create_graph=True` is missing: `retain_graph=True` keeps the graph, but builds none for what it "
            "gives",
            do="pass `create_graph=True` to that `torch.autograd.grad`",
            numbers={"value": term.value, "loss": term.loss, "looks": term.looks},
        )
        return
    joined = f"; the term joins the loss at {term.added}" if term.added is not None and term.added != term.site else ""
    yield Evidence(
        where=at(term.site or term.added, step=term.step, rank=term.rank),
        saw=f"a term of the loss, {term.value:.4g} of {term.loss:.4g}, depends on trained tensors and has no gradient: "
        f"`{term.operation}` passes none on{joined}",
        wanted="a gradient from every term that depends on what is trained",
        numbers={"value": term.value, "loss": term.loss, "looks": term.looks},
    )


CHECK = Check(
    id="FL216",
    summary="a term of the loss trains nothing, or not everything that it depends on",
    causes=("loss-detached",),
    likely="`detach()`, `no_grad` or a conversion to a number and back between the network and this term",
    fix="compute the term with gradients enabled and without `detach`, `item` or `.data`; if it is only for display, "
    "leave it out of the value that backward is called on",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
