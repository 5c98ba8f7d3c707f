"""A triplet loss pushes what belongs together apart.

## What it sees
A hinge over the difference of two similarities in which the similarity to the positive is added and the one to the
negative taken away, as is right for distances; or of two distances, the other way round. Going down, it makes anchors
unlike their positives. So does a cosine similarity given to a triplet loss as its `distance_function`.

## When it is fine
Which of the two is the positive is taken from their names; where these do not say it, nothing is told.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Triplet


def find(triplet: Triplet, _limits: NoLimits) -> Found:
    if triplet.similar == (triplet.adds == "positive"):
        kind = "similarity" if triplet.similar else "distance"
        right = "relu(s_neg - s_pos + margin)" if triplet.similar else "relu(d_pos - d_neg + margin)"
        yield Evidence(
            where=triplet.spot.where,
            saw=f"`{triplet.to}` adds the {kind} to the {triplet.adds}; going down, it parts anchors from positives",
            wanted=f"`{right}` where nearness is a {kind}",
        )


CHECK = Check(
    id="FL774",
    summary="a triplet loss pushes what belongs together apart",
    causes=("loss-sign",),
    likely="similarities are put where distances belong, or the two were swapped",
    fix="swap the two terms, or use 1 minus the similarity as a distance",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
