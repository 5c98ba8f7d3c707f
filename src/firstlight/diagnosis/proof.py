"""When a repair is a proof: the repaired copy learns, and no more general change does as well.

"It learns" means that it gets below the copy that cannot see which answer belongs to which input.
"""

from collections.abc import Sequence

from firstlight.diagnosis.answer import SETTINGS
from firstlight.diagnosis.causes import category_of
from firstlight.diagnosis.knowledge.declare import Experiment
from firstlight.diagnosis.knowledge.repairs import REPAIRS
from firstlight.facts.contrast import FLIPPED, LEAST_SHARE, NOISES, cures, improves
from firstlight.records.contrast import BLIND, HIGHER_RATES, LOWER_RATES, Contrast, Pair
from firstlight.records.finding import Proof

"""The copy whose answers are dealt out to the wrong inputs."""
GENERAL = {
    "lr-tenth": "a tenth of the rate",
    "lr-hundredth": "a hundredth of the rate",
    "lr-thousandth": "a thousandth of the rate",
    "lr-tenfold": "ten times the rate",
    "lr-hundredfold": "a hundred times the rate",
    "other-seed": "another seed",
}
"""Changes that help against many illnesses, and so prove none when a repair does no better."""
RATES = LOWER_RATES | HIGHER_RATES
_CAUSE = {repair.slug: repair.repairs for repair in REPAIRS}


def is_of_data(cause: str) -> bool:
    return cause.startswith("data-")


def best(tried: Sequence[tuple[Experiment, Pair]]) -> tuple[Experiment, Pair]:
    """The repair that reaches the lowest loss; of those that are as good, the mildest, which comes first."""
    lowest = min(pair.other.last for _, pair in tried)
    return next(one for one in tried if one[1].other.last - lowest <= _room(one[1], lowest))


def _room(pair: Pair, lowest: float) -> float:
    return max(NOISES * pair.other.noise, LEAST_SHARE * abs(lowest))


def proof_of(repair: Experiment, pair: Pair, contrast: Contrast) -> Proof:
    others = {name: other.other.last for name in GENERAL if (other := _rival(name, repair, contrast)) is not None}
    return Proof(
        change=repair.does,
        reached=pair.other.last,
        as_it_is=pair.base.last,
        steps=pair.steps,
        guess=_guess(pair, contrast),
        others=others,
    )


def holds(proof: Proof, pair: Pair, cause: str | None) -> bool:
    """Comparisons are written so that a value that is no number proves nothing.

    Nearly every setting can be bettered, over a few steps at least: a program that learns well with its own is not
    proven to be wrong by that.
    """
    noise = NOISES * pair.other.noise
    if cause is not None and category_of(cause) == SETTINGS and not cures(pair):
        return False
    if proof.guess is not None and not proof.reached + noise < proof.guess:
        return False
    return all(reached > proof.reached + noise for reached in proof.others.values())


def _guess(pair: Pair, contrast: Contrast) -> float | None:
    blind = contrast.of(BLIND)
    if blind is None or not contrast.supervised or contrast.compares_rows or pair.name == FLIPPED:
        return None
    return blind.other.last if blind.other.finite else None


def _rival(name: str, repair: Experiment, contrast: Contrast) -> Pair | None:
    """A more general change that was tried and helped; another rung of the same ladder is no rival.

    What is odd about the data was there before the first step: that another rate makes up for it does not explain it,
    unless that goes clearly further.
    """
    pair = contrast.of(name)
    if pair is None or name == repair.slug or _CAUSE.get(name) == repair.repairs or not improves(pair):
        return None
    mended = contrast.of(repair.slug)
    further = mended is None or mended.other.last - pair.other.last > LEAST_SHARE * abs(pair.base.first)
    if name in RATES and is_of_data(repair.repairs or "") and not further:
        return None
    return pair


def told(proof: Proof, finite: bool) -> str:
    """A sentence that a reader can check; `finite` says whether the program itself stayed so."""
    as_it_is = f"{proof.as_it_is:.3g}" if finite else "a value that is not finite"
    parts = [f"{proof.change}, and the same {proof.steps} steps reach {proof.reached:.3g} instead of {as_it_is}"]
    if proof.guess is not None:
        parts.append(f"without using the inputs {proof.guess:.3g}")
    parts += [f"{GENERAL[name]} reaches {reached:.3g}" for name, reached in proof.others.items()]
    return "; ".join(parts)
