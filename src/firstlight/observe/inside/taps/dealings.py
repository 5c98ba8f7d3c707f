"""What an environment answers to the actions of the program: rewards, and ends of episodes.

An environment is whatever is given actions and gives, call by call, something to see, a reward, and whether that was
the end: a method `step`, gym's or the user's own, or any function of the user's that returns so many things at once. It
is known by what it is given and returns: a function that makes examples returns numbers and flags, too. Functions are
found when the first optimizer is built, and at the first backward.
"""

import bisect
import dis
import functools
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import Any, NamedTuple

import torch

from firstlight.observe.inside import living, sites
from firstlight.observe.inside.acting import Actions
from firstlight.observe.inside.course import ReturnsCourse
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.tape.recorder import Recorder
from firstlight.records.dealings import Ended, ReturnsSeen

RETURNED = range(3, 7)
"""How many things an environment gives: what is seen, reward, end, and up to three more."""
MOST_PLACES = 4096
MOST_REWARDS = 20_000
MOST_RETURNS = 256
MOST_ODD = 20
"""Calls that gave something else, after which a function is no environment."""
FEWEST_EPISODES = 10
ROUNDING = 1e-6
"""Relative; of single precision."""
GYMS = ("gymnasium", "gym")
LEARNERS = (torch.nn.Module, torch.optim.Optimizer)
"""They deal with nothing; asked of every class there is."""
EVEN = 0.9
"""Share of all episodes that have the commonest length, where a limit of time ends them."""
Key = tuple[int, int]
Read = tuple[int, list[float], list[bool]]
"""Where the rewards are in what an environment gave, the rewards, and the ends."""


class Told(NamedTuple):
    """One exchange, with one environment or many at once."""

    result: tuple[Any, ...]
    at: int
    """Where the rewards stand in it."""
    rewards: list[float]
    ends: list[bool]
    keys: list[Key]
    lengths: list[int]
    """Of the episodes, this step included."""


class Dealings:
    def __init__(self, observer: Observer, recorder: Recorder) -> None:
        self.observer, self.recorder = observer, recorder
        self._forget()
        self.alter: Callable[[Told], tuple[Any, ...]] = lambda told: told.result
        """What the program is given; another thing in a copy that asks what would become of it."""
        self.hear: Callable[[Told], None] = lambda _: None
        self.taped: Callable[[], bool] = lambda: False
        """What became of a reward is being followed."""
        self._inside = False
        self._known: set[int] = set()

    def _forget(self) -> None:
        """At the beginning; and where what was followed turns out to be within another environment."""
        self._exchanges = self.ends = 0
        self.actions = Actions()
        self.apart = False
        """Limits of time are told apart from ends."""
        self.rewards: set[float] = set()
        self.square = 0.0
        self.episodes: Counter[int] = Counter()
        """Their lengths."""
        self.running: dict[Key, int] = {}
        """Steps of episodes that have not ended, and below, the sums of their rewards."""
        self.sums: dict[Key, float] = {}
        self.begun: dict[Key, int] = {}
        """The step of the optimizer at which an episode that has not ended began."""
        self.course = ReturnsCourse()
        self.returns: list[float] = []
        """Of episodes that have ended, until somebody takes them."""

    @property
    def exchanges(self) -> int:
        """None before an action was seen."""
        return self._exchanges if self.actions.acted else 0

    @property
    def even(self) -> bool:
        """Episodes end by a limit of time, all or nearly all."""
        every = sum(self.episodes.values())
        return bool(every) and self.episodes.most_common(1)[0][1] >= EVEN * every

    def ended(self) -> Ended:
        share = self.ends / max(1, self.exchanges)
        return Ended(share=share, longest=max(self.episodes, default=0), episodes=sum(self.episodes.values()))

    @property
    def size(self) -> float:
        """Root mean square of the rewards."""
        return math.sqrt(self.square / max(1, self._exchanges))

    def compare(self, numbers: list[float]) -> tuple[int, int, int]:
        """How many of these are rewards that were given, how many are negatives of such, and how many are nothing."""
        known = sorted(self.rewards)
        own = [_is_among(one, known) for one in numbers]
        others = [one for one, is_own in zip(numbers, own, strict=True) if not is_own]
        return sum(own), sum(_is_among(-one, known) for one in others), sum(one == 0 for one in others)

    def exchanged(self, owner: int, result: tuple[Any, ...], read: Read) -> tuple[Any, ...]:
        at, rewards, ends = read
        self.apart = self.apart or _limits(result[at + 1 :], ends)
        keys = [(owner, place) for place in range(len(ends))]
        lengths = [self.running.get(key, 0) + 1 for key in keys]
        for place, key in enumerate(keys):
            given = rewards[place] if len(rewards) == len(ends) else sum(rewards) / len(rewards)
            self.sums[key] = self.sums.get(key, 0.0) + given
        for key, length, end in zip(keys, lengths, ends, strict=True):
            if length == 1:
                self.begun[key] = self.observer.step
            if end:
                self.running.pop(key, None)
                self.episodes[length] += 1
                total = self.sums.pop(key, 0.0)
                self.course.add(self.begun.pop(key, self.observer.step), total)
                self.returns = [*self.returns[-MOST_RETURNS:], total]
            else:
                self.running[key] = length
        self._exchanges += len(rewards)
        self.ends += sum(ends) * (len(rewards) // len(ends))
        self.square += sum(reward * reward for reward in rewards)
        if len(self.rewards) < MOST_REWARDS:
            self.rewards.update(rewards)
        told = Told(result, at, rewards, ends, keys, lengths)
        self.hear(told)
        return self.alter(told)

    def find(self, *_: Any) -> None:
        """Follows the environments among the functions that are defined by now."""
        if living.of(torch.utils.data.DataLoader):
            return  # examples come from a loader, and functions that it hands to workers must stay what they are
        for owner in living.of(type):
            for name, function in _methods(owner):
                if id(function) not in self._known:
                    self._known.add(id(function))
                    setattr(owner, name, self._following(function))
        modules = list(sys.modules.values())
        users = [module for module in modules if sites.is_users(getattr(module, "__file__", None) or "<none>")]
        for module in users:
            for name, function in list(vars(module).items()):
                if isinstance(function, FunctionType) and _may_deal(function) and id(function) not in self._known:
                    self._known.add(id(function))
                    setattr(module, name, self._following(function))

    def _following(self, function: FunctionType) -> Callable[..., Any]:
        odd, deals = 0, False

        @functools.wraps(function)
        def dealt(*arguments: Any, **options: Any) -> Any:
            nonlocal odd, deals
            if self._inside or odd > MOST_ODD or self.observer.inert:
                return function(*arguments, **options)
            self._inside = deals  # a wrapper asks the environment within it; a rollout returns several things, too
            before = self._exchanges
            try:
                result = function(*arguments, **options)
            finally:
                self._inside = False
            read = _read(result) if type(result) is tuple and len(result) in RETURNED else None
            if read is None:
                odd += 1
                return result
            if not deals and self._exchanges != before:
                self._forget()
            deals = True
            try:
                with self.observer.quiet():
                    self.actions.saw([*arguments, *options.values()], len(read[2]))
                    return self.exchanged(_owner(arguments), result, read)
            except Exception as error:  # the program must go on, whatever we got wrong
                odd = MOST_ODD + 1
                self.observer.unseen("dealings", f"{type(error).__name__}: {error}")
                return result

        self._known.add(id(dealt))
        return dealt


def _owner(arguments: Sequence[Any]) -> int:
    """Of the episode: the environment. States and actions are others at each call."""
    first = arguments[0] if arguments else None
    passing = isinstance(first, int | float | list | tuple | dict) or hasattr(first, "dtype")
    return 0 if passing or first is None else id(first)


def _is_among(number: float, known: list[float]) -> bool:
    near = ROUNDING * max(1.0, abs(number))
    at = bisect.bisect_left(known, number - near)
    return at < len(known) and known[at] <= number + near


def _methods(owner: type) -> Iterator[tuple[str, FunctionType]]:
    if issubclass(owner, LEARNERS):
        return
    gym = str(owner.__module__).partition(".")[0] in GYMS
    for name, function in list(vars(owner).items()):
        if isinstance(function, FunctionType) and ((gym and name == "step") or _may_deal(function)):
            yield name, function


def _may_deal(function: FunctionType) -> bool:
    """The user's own, with a return of as many things as an environment gives."""
    code = function.__code__
    if not sites.is_users(code.co_filename):
        return False
    built = 0
    for one in dis.get_instructions(code):
        if one.opname == "RETURN_VALUE" and built in RETURNED:
            return True
        built = one.arg or 0 if one.opname == "BUILD_TUPLE" else 0
    return False


def _read(result: Sequence[Any]) -> Read | None:
    """Where the rewards are, the rewards, and the ends: flags that stand behind numbers, one for each or one for all.

    What is seen stands before them, or after. Many environments at once may tell their ends as zeros and ones, in the
    usual order."""
    if getattr(result[0], "ndim", 0) > 1 and (counted := _counted(result[2])) is not None:
        rewards = _numbers(result[1])
        if rewards is not None and len(rewards) == len(counted):
            return None if _alike(result) else (1, rewards, counted)
    for at, item in enumerate(result[1:]):
        ends, rewards = _flags(item), _numbers(result[at])
        if ends is not None and rewards is not None and len(ends) in (1, len(rewards)):
            ended = [end or later for end, later in zip(ends, _flags_of(result[at + 2 :], ends), strict=True)]
            return None if _are_transitions(result, ended) else (at, rewards, ends)
    return None


def _are_transitions(result: Sequence[Any], ended: list[bool]) -> bool:
    """What was seen before and what came next, side by side: drawn from a replay.

    An environment that also gives what was last seen of an episode gives the same twice where none has ended.
    """
    others = _alike(result)
    if not others or len(ended) != len(result[0]) or not all(map(_is_numeric, (result[0], *others))):
        return bool(others)
    goes_on = ~torch.tensor(ended)
    seen, *rest = (torch.as_tensor(item).cpu()[goes_on] for item in (result[0], *others))
    return not len(seen) or not all(torch.equal(seen, item) for item in rest)


def _alike(result: Sequence[Any]) -> list[Any]:
    """What has the shape of what is seen, of several environments."""
    shape = tuple(getattr(result[0], "shape", ()))
    return [item for item in result[1:] if tuple(getattr(item, "shape", ())) == shape] if len(shape) > 1 else []


def _flags_of(behind: Sequence[Any], ends: list[bool]) -> list[bool]:
    """Limits of time, where an environment tells them apart."""
    found = [flags for item in behind if (flags := _flags(item)) is not None and len(flags) == len(ends)]
    return found[0] if found else [False] * len(ends)


def _limits(behind: Sequence[Any], ends: list[bool]) -> bool:
    """Two kinds of flags, one behind the other, as gym has them: ends, and limits of time."""
    found = [flags for item in behind if (flags := _flags(item)) is not None]
    return len(found) > 1 and found[0] == ends and len(found[1]) == len(ends)


def _flags(value: Any) -> list[bool] | None:
    if isinstance(value, bool):
        return [value]
    if str(getattr(value, "dtype", "")) not in ("bool", "torch.bool") or getattr(value, "ndim", 2) > 1:
        return None
    found = value.tolist()
    return found if isinstance(found, list) else [found]


def _counted(value: Any) -> list[bool] | None:
    numbers = _numbers(value) if getattr(value, "ndim", 0) == 1 else None
    return [one == 1 for one in numbers] if numbers is not None and set(numbers) <= {0.0, 1.0} else None


def _is_numeric(value: Any) -> bool:
    return str(getattr(value, "dtype", "")).removeprefix("torch.").startswith(("float", "int", "uint"))


def _numbers(value: Any) -> list[float] | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [float(value)]
    if not _is_numeric(value) or getattr(value, "ndim", 2) > 1:
        return None
    found = value.tolist()
    listed = found if isinstance(found, list) else [found]
    return [float(one) for one in listed] if 0 < len(listed) <= MOST_PLACES else None


def tell_returns(observer: Observer, to_end: bool = False) -> None:
    """Nothing where no environment was seen, or hardly an episode ended."""
    dealings = observer.dealings
    if dealings is not None and dealings.exchanges and (course := dealings.course).episodes >= FEWEST_EPISODES:
        start, end = course.start(observer.step), course.end()
        observer.emit(ReturnsSeen(episodes=course.episodes, start=start, end=end, to_end=to_end))


def install(observer: Observer, recorder: Recorder) -> Dealings:
    """Copies have what the program had found; in them nothing is looked for again, which takes its time."""
    dealings = Dealings(observer, recorder)
    find = observer.shielded("dealings", dealings.find)
    found: set[str] = set()

    def once(moment: str) -> Callable[..., None]:
        def look(*_: Any) -> None:
            if moment not in found and observer.timeline is None:
                found.add(moment)
                find()

        return look

    def ends() -> None:
        if observer.timeline is None:
            tell_returns(observer)

    observer.moments.ending.append(observer.shielded("dealings", ends))
    observer.moments.optimizer_built.append(once("optimizer"))
    observer.moments.backward_begins.append(once("backward"))
    return dealings
