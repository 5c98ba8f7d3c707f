"""What asking about rewards tells of a healthy program."""

from firstlight.records.dealings import ACTIONS, VALUES, RewardAsked, Rewarded
from firstlight.records.places import Site

SITE = Site(file="train.py", line=20)
ASKED = RewardAsked(
    step=9,
    rank=1,
    site=SITE,
    kind=VALUES,
    at_end=(0.81, 0.9, 1.0),
    at_start=(1.0,),
    length=3,
    together=True,
    rows=64,
    rollouts=1,
    exchanges=64,
)
ACTED = RewardAsked(
    step=9,
    rank=1,
    site=SITE,
    kind=ACTIONS,
    at_end=(0.081, 0.09, 0.1),
    at_start=(0.1,),
    length=3,
    together=True,
    rows=64,
    rollouts=1,
    exchanges=64,
)
SEEN = Rewarded(
    rank=1,
    site=SITE,
    step=24,
    examples=0,
    rewards=0,
    negatives=0,
    nothing=0,
    size=0.0,
    given=0.0,
    values=(ASKED,),
    actions=(ACTED,),
)
