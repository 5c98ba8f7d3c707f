"""The optimizer's momentum, betas or epsilon are far from what works.

## What it sees
A momentum of at least 0.99, a first beta above the second or of at least 0.98, a second beta below 0.9, or an epsilon
of at least 1e-3. A copy of the program with the usual settings decides: this is reported if that copy learns and the
program hardly does. For values that no method needs, it is enough that the copy gets clearly further.

## When it is fine
Some methods need unusual values (large epsilons in reinforcement learning, a first beta of zero in adversarial
training). They learn with them and are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Motion


class Limits(Settable):
    momentum: float = 0.99
    """Smallest momentum that counts as odd; at this value a gradient has an effect for a hundred steps."""
    beta1: float = 0.98
    """Smallest first beta that counts as odd; 0.9 is usual."""
    beta2: float = 0.9
    """Second beta below which the step size follows single gradients; 0.95 to 0.999 is usual."""
    eps: float = 1e-3
    """Smallest epsilon that counts as odd: it outweighs most gradients; 1e-8 is usual."""
    grave_memory: float = 0.999
    """Momentum or first beta at which a gradient has an effect for a thousand steps; no method needs that."""
    grave_eps: float = 0.1
    """Epsilon from which no method needs so large a value."""


def find(motion: Motion, limits: Limits) -> Found:
    settings = motion.settings
    beta1, beta2 = settings.get("beta1", 0.0), settings.get("beta2", 1.0)
    odd = [
        (settings.get("momentum", 0.0) >= limits.momentum, "momentum", "0.9"),
        (beta1 >= limits.beta1 or beta1 > beta2, "beta1", "0.9"),
        (beta2 < limits.beta2, "beta2", "0.999"),
        (settings.get("eps", 0.0) >= limits.eps, "eps", "1e-8"),
    ]
    found = [(name, usual) for is_odd, name, usual in odd if is_odd]
    if not found:
        return
    name, usual = found[0]
    yield Evidence(
        where=at(motion.site, step=0, rank=motion.rank),
        saw=f"`{motion.optimizer}` has {name} {settings[name]:g}",
        wanted=f"about {usual}",
        confidence=STRONG if beta1 > beta2 or _is_grave(settings, limits) else None,
        numbers={name: settings[name] for name, _ in found},
    )


def _is_grave(settings: dict[str, float], limits: Limits) -> bool:
    memory = max(settings.get("momentum", 0.0), settings.get("beta1", 0.0))
    return memory >= limits.grave_memory or settings.get("eps", 0.0) >= limits.grave_eps


STRONG = 0.85
"""With this confidence, a copy with the usual settings that gets clearly further is proof enough."""
CHECK = Check(
    id="FL311",
    summary="the optimizer's settings hold the training back",
    causes=("hp-optimizer",),
    likely="momentum, betas or epsilon were confused with one another, or with those of another library",
    fix="leave them at torch's defaults",
    severity=Severity.NOTE,
    proven=Severity.WARNING,
    confidence=0.4,
    find=find,
)
