"""The optimizer's momentum, betas or epsilon are far from what works.

## What it sees
A momentum of 0.99 and more, a first beta above the second or above 0.98, a second beta below 0.9, or an epsilon of
1e-3 and more. A copy of the program with the usual settings decides: it is reported when that copy learns and the
program hardly does; where no method needs such a value, when that copy gets clearly further.

## When it is fine
Some methods need unusual values (large epsilons in reinforcement learning, no first beta in adversarial training);
they learn with them, and are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Motion


class Limits(Settable):
    momentum: float = 0.99
    """At this value a gradient is felt for a hundred steps."""
    beta1: float = 0.98
    """0.9 is usual."""
    beta2: float = 0.9
    """Below it the size of the step follows single gradients; 0.95 to 0.999 is usual."""
    eps: float = 1e-3
    """From here on it outweighs most gradients; 1e-8 is usual."""
    grave_memory: float = 0.999
    """Momentum or first beta with which a gradient is felt for a thousand steps: no method needs it."""
    grave_eps: float = 0.1
    """No method needs it either."""


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
"""Then a copy with the usual settings that gets clearly further is enough to tell it."""
CHECK = Check(
    id="FL311",
    summary="the optimizer's settings hold the training back",
    causes=("hp-optimizer",),
    likely="momentum, betas or epsilon mistaken for one another or for another library's",
    fix="leave them at torch's defaults",
    severity=Severity.NOTE,
    proven=Severity.WARNING,
    confidence=0.4,
    find=find,
)
