"""A triplet loss pushes matching pairs apart.

## What it sees
A hinge over the difference of two similarities that adds the similarity to the positive and subtracts the one to the
negative, as is right for distances; or over the difference of two distances, the other way round. Minimizing it makes
anchors unlike their positives. So does a cosine similarity passed to a triplet loss as its `distance_function`.

## When it is fine
Names decide which of the two is the positive; if they do not say it, nothing is reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Triplet


def find(triplet: Triplet, _limits: NoLimits) -> Found:
    if triplet.similar == (triplet.adds == "positive"):
        kind = "similarity" if triplet.similar else "distance"
        right = "relu(s_neg - s_pos + margin)" if triplet.similar else "relu(d_pos - d_neg + margin)"
        yield Evidence(
            where=triplet.spot.where,
            saw=f"`{triplet.to}` adds the {kind} to the {triplet.adds}; minimizing it separates anchors from positives",
            wanted=f"`{right}` for a {kind}",
        )


CHECK = Check(
    id="FL774",
    summary="a triplet loss pushes matching pairs apart",
    causes=("loss-sign",),
    likely="similarities are used as distances, or the two terms are swapped",
    fix="swap the two terms, or use 1 minus the similarity as a distance",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
