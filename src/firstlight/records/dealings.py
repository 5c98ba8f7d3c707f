"""What passes between a program and the environment it acts in, and what becomes of it in its loss."""

import msgspec

from firstlight.records.facts import Ranked
from firstlight.records.places import Site
from firstlight.records.sighting import Sighting

VALUES, ACTIONS = "values", "actions"
"""What rewards change: answers that predictions are to meet, and weights by which actions are made likelier."""


class BootstrapSeen(Sighting, frozen=True, kw_only=True, tag="bootstrap"):
    """Answers that are a reward and a part of what a network says, found by computing them again.

    For each example: `answer = alone + part * value`.
    """

    site: Site | None
    """Where predictions meet the answers."""
    examples: int
    share: float
    """The one part that is not zero, where all examples have that or nothing: the discount."""
    cut: int
    """Examples of which the part is zero, as at the end of an episode."""
    same: bool
    """The network is asked about nothing but what the prediction is made from."""
    carries: bool
    """The answers carry a gradient."""
    rewards: int
    """Examples whose answer without the network is a reward that the environment gave, and below, its negative, and
    nothing at all."""
    negatives: int
    nothing: int
    size: float
    """Root mean square of the answers without the network, and of what the environment gave."""
    given: float
    ends: float
    """Share of the exchanges that ended an episode."""
    episodes: int
    even: bool
    """All episodes were of the same length, as with a limit of time."""
    apart: bool = False
    """The environment tells limits of time apart from ends."""


class WeightsSeen(Sighting, frozen=True, kw_only=True, tag="weights-of-actions"):
    """By what a loss weighs the actions of the program, at one backward."""

    site: Site | None
    """Where likelihoods meet their weights."""
    largest: float
    """The gradient by one likelihood, as if the loss were the sum over all of them."""
    returns: tuple[float, ...]
    """Of the episodes that ended since the look before."""


class MeanReturn(msgspec.Struct, frozen=True, kw_only=True):
    """What the episodes of one part of a run returned."""

    episodes: int
    mean: float
    spread: float
    """Standard deviation."""


class ReturnsSeen(Sighting, frozen=True, kw_only=True, tag="returns"):
    """Sums of rewards, episode by episode, at the beginning of a run and in its last quarter."""

    episodes: int
    start: MeanReturn
    """Before anything can have been learnt."""
    end: MeanReturn
    to_end: bool = False
    """Of a copy that went on until the program ended by itself."""


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """The episodes that have ended so far."""

    share: float = 0.0
    """Of the exchanges, those that ended one."""
    longest: int = 0
    episodes: int = 0


class RewardAsked(Sighting, frozen=True, kw_only=True, tag="reward-asked"):
    """What changes in the answers of a program if the environment had given another reward, once.

    In two copies of the program: with another reward at the last step of an episode, and at the first of the next.
    """

    site: Site | None
    """Of the backward at which the first difference came."""
    kind: str
    """What changes: the answers that are met, or the weights by which actions are made likelier."""
    at_end: tuple[float, ...]
    """Changes, for each unit of reward, in the order of the examples: of the reward at the end of an episode."""
    at_start: tuple[float, ...]
    """Of the reward at the start of the next episode."""
    length: int
    """Steps of the episode that ended."""
    together: bool
    """Answers and weights were both told at the backward at which the first difference came."""
    rows: int
    """Examples that were looked at until the first difference came, or in vain."""
    rollouts: int
    """Times that all that was new was looked at, and nothing older."""
    exchanges: int
    """Rewards that the environment had given until then."""
    own: int = 0
    """Of what the reward at the end changed, that belongs to states of that episode, and below, of others."""
    others: int = 0
    states: int = 0
    """Different ones among those that were learnt from then, and below, how many answers or weights they have."""
    around: int = 0
    places: int = 1
    """Environments that are dealt with at once."""
    beyond: tuple[int, int] = (0, 0)
    """Of what rises where networks say more of the end of the episode, `own` and `others`."""
    ended: Ended = Ended()


class Bootstrapped(Ranked, frozen=True, kw_only=True):
    """All looks at the answers of one line that a network had a hand in, together."""

    site: Site | None
    looks: int
    step: int
    examples: int
    cut: int
    """Examples of which nothing of the network's value is taken."""
    same: int
    """Looks at which the network was asked about the same thing, and below, at which the answers carried a gradient."""
    carries: int
    ends: float
    """Share of the exchanges with the environment that ended an episode."""
    episodes: int
    even: bool
    apart: bool = False
    """The environment tells limits of time apart from ends: those that are told are ends."""
    beyond: int = 0
    """Answers that rise where networks say more of the end of their own episode, which no limit of time had ended."""


class Discounted(Ranked, frozen=True, kw_only=True):
    """The least discount that was seen in what is told of one line."""

    site: Site | None
    step: int
    looks: int
    discount: float


class Rewarded(Ranked, frozen=True, kw_only=True):
    """What becomes of rewards: in answers without the network's part, and of others that were given to copies."""

    site: Site | None
    step: int
    examples: int
    """Of answers, and below, those that are rewards as they were given, negatives of such, and nothing."""
    rewards: int
    negatives: int
    nothing: int
    size: float
    given: float
    values: tuple[RewardAsked, ...]
    """Changes of the answers that are met, and below, of the weights of actions."""
    actions: tuple[RewardAsked, ...]


class Weighed(Ranked, frozen=True, kw_only=True):
    """The weights of actions, beside the returns of episodes: all looks together."""

    site: Site | None
    step: int
    looks: int
    telling: int
    """Looks before which some episode returned another sum than most do."""
    largest: float
    """Weight, of all."""
    lowest: float
    """Return of an episode, and below, the highest."""
    highest: float


class Returning(Ranked, frozen=True, kw_only=True):
    """Whether episodes come to return more than at the beginning, over as much of the run as was seen."""

    site: Site | None
    """Where the optimizer makes its steps."""
    step: int
    episodes: int
    start: float
    end: float
    """Mean returns."""
    rise: float
    """In standard errors of the difference."""
    varied: bool
    """Not all episodes return the same."""
    to_end: bool
    """Of the whole run: in the program, or in a copy in which nothing is changed."""
