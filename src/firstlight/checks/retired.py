"""Checks that are no longer there, each with the one that tells of its illness now.

Whoever wrote down an old id or name, in settings, comments, baselines or reports, goes on being understood. Neither is
ever given to another check.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Retired:
    id: str
    name: str
    into: str
    """The id of its successor."""
    since: str
    """The first version without it."""

    @property
    def told(self) -> str:
        return f"{self.id} {self.name}, retired into it in {self.since}"


RETIRED: tuple[Retired, ...] = (
    Retired("FL212", "loss-starts-too-high", "FL219", "0.2"),
    Retired("FL304", "clip-after-step", "FL350", "0.2"),
    Retired("FL305", "clip-before-unscale", "FL350", "0.2"),
    Retired("FL315", "steps-without-gradients", "FL303", "0.2"),
    Retired("FL331", "updates-out-of-scale", "FL327", "0.2"),
    Retired("FL378", "updates-too-large", "FL384", "0.2"),
    Retired("FL379", "updates-too-small", "FL384", "0.2"),
    Retired("FL453", "statistics-lag", "FL459", "0.2"),
    Retired("FL457", "statistics-forget", "FL459", "0.2"),
    Retired("FL474", "gradient-dies", "FL476", "0.2"),
    Retired("FL530", "training-stands-still", "FL508", "0.2"),
    Retired("FL532", "validation-stands-still", "FL531", "0.2"),
    Retired("FL534", "predictions-exploded", "FL505", "0.2"),
    Retired("FL701", "softmax-before-cross-entropy", "FL793", "0.2"),
    Retired("FL702", "sigmoid-before-logits-loss", "FL793", "0.2"),
    Retired("FL703", "scores-into-nll-loss", "FL794", "0.2"),
    Retired("FL704", "scores-into-bce-loss", "FL794", "0.2"),
    Retired("FL707", "loss-made-leaf", "FL706", "0.2"),
    Retired("FL714", "clip-of-scaled-gradients", "FL713", "0.2"),
    Retired("FL736", "requires-grad-misspelt", "FL795", "0.2"),
    Retired("FL737", "requires-grad-on-whole-module", "FL795", "0.2"),
    Retired("FL750", "fitted-before-split", "FL796", "0.2"),
    Retired("FL751", "resampled-before-split", "FL796", "0.2"),
    Retired("FL803", "event-absent", "FL809", "0.2"),
    Retired("FL804", "field-absent", "FL809", "0.2"),
    Retired("FL805", "field-mistyped", "FL809", "0.2"),
)


def successor(word: str) -> str:
    """The id to look for where an old id or name is given, in any case; any other word as it is."""
    found = retired(word)
    return word if found is None else found.into


def retired(word: str) -> Retired | None:
    return next((one for one in RETIRED if word.lower() in (one.id.lower(), one.name)), None)


def retired_into(identifier: str) -> tuple[Retired, ...]:
    return tuple(one for one in RETIRED if one.into == identifier)
