"""Fresh runs from a warm parent and without one."""

import os
import time
from collections.abc import Callable

import psutil
import pytest
from tests.experiments.engines.conftest import Prepare, losses_of, script

from firstlight.experiments.engines.job import Job, Made
from firstlight.experiments.engines.local import LocalHands
from firstlight.experiments.engines.on_ray import SETTINGS, RayHands
from firstlight.experiments.engines.warm import warmable
from firstlight.observe.process import popen
from firstlight.observe.target import START, Target

Children = Callable[[], list[psutil.Process]]


def hands_for(job: Job, warm: bool) -> LocalHands:
    return LocalHands(job.target, job.spec, None if warm else popen)


def done_by(hands: LocalHands | RayHands, *jobs: Job) -> list[Made]:
    until = time.monotonic() + 240
    while not hands.ready() and time.monotonic() < until:
        time.sleep(0.05)
    tokens = [hands.begin(job) for job in jobs]
    while not all(hands.made(token) for token in tokens) and time.monotonic() < until:
        time.sleep(0.05)
    found = [hands.made(token) for token in tokens]
    return [made for made in found if made is not None]


@pytest.fixture
def children() -> Children:
    """Those begun since: other tests share a process of their own."""
    before = psutil.Process().children(recursive=True)
    return lambda: [child for child in psutil.Process().children(recursive=True) if child not in before]


def test_a_warm_parent_changes_nothing_but_the_time(prepare: Prepare, children: Children) -> None:
    """The whole environment of a run is its own: working directory, arguments, random state, output, exit code."""
    words = "os.getcwd(), sys.argv, __name__, __file__, random.random(), os.environ['OMP_NUM_THREADS']"
    jobs = [prepare(script(), name=name, interventions=words) for name, words in (("a", ()), ("b", ("lr=10",)))]
    warm, cold = hands_for(jobs[0], warm=True), hands_for(jobs[0], warm=False)
    try:
        from_warm, from_cold = done_by(warm, *jobs), done_by(cold, jobs[0])
        assert [made.exit_code for made in (*from_warm, *from_cold)] == [0, 0, 0]
        assert losses_of(from_warm[0]) == losses_of(from_cold[0])
        assert losses_of(from_warm[1])[0] == losses_of(from_cold[0])[0], "an order takes effect when training begins"
        assert losses_of(from_warm[1])[1:] != losses_of(from_cold[0])[1:]
        saying = prepare(script(before=f"print({words})\nsys.exit(4)"))
        (one,), (other,) = done_by(warm, saying), done_by(cold, saying)
        assert (one.exit_code, one.message) == (other.exit_code, other.message)
        assert one.exit_code == 4
        assert "'train.py'] __main__ train.py" in one.message
    finally:
        warm.end()
        cold.end()
    assert children() == []


def test_what_is_under_way_ends_with_the_hands(prepare: Prepare, children: Children) -> None:
    job = prepare(script(before="time.sleep(99)"))
    hands = hands_for(job, warm=True)
    while not hands.ready():
        time.sleep(0.05)
    token = hands.begin(job)
    time.sleep(0.5)
    assert hands.made(token) is None
    hands.end()
    hands.end()
    assert children() == []


def test_a_parent_that_is_killed_takes_its_children_along_and_others_start_without_it(
    prepare: Prepare, children: Children
) -> None:
    job = prepare(script())
    hands = hands_for(job, warm=True)
    while not hands.ready():
        time.sleep(0.05)
    try:
        for child in children():
            child.kill()
        (made,) = done_by(hands, job)
        assert (made.exit_code, len(losses_of(made))) == (0, 20)
    finally:
        hands.end()


def test_a_launcher_cannot_be_warmed() -> None:
    assert warmable(Target((), ("python", "-X", "dev", *START, "a.py"), "a.py", ""))
    assert not warmable(Target((), ("torchrun", "a.py"), "a.py", ""))


def test_ray_gives_the_same_losses(prepare: Prepare) -> None:
    jobs = [prepare(script(), name=name, interventions=words) for name, words in (("a", ()), ("b", ("lr=10",)))]
    hands: RayHands | LocalHands = RayHands()
    try:
        on_ray = done_by(hands, *jobs)
    finally:
        hands.end()
    hands = hands_for(jobs[0], warm=False)
    try:
        here = done_by(hands, *jobs)
    finally:
        hands.end()
    assert [losses_of(made) for made in on_ray] == [losses_of(made) for made in here]
    assert [len(losses_of(made)) for made in on_ray] == [20, 20]
    assert not SETTINGS.keys() & os.environ.keys()


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from firstlight.errors import UsageError

    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(UsageError, match=r"firstlight\[ray\]"):
        RayHands()
