"""What attempts amount to, from the records that they leave."""

from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.experiments.plan import RESUMED
from firstlight.experiments.rehearsal import ATTEMPTS
from firstlight.judge.rehearsal import farthest_first, full_bytes, rehearsal_of, resume_of
from firstlight.observe.watch import Watched
from firstlight.records.places import Site
from firstlight.records.rehearsal import FileWritten, LoopSeen, Rehearsal, RehearsalEnded, Shortened
from firstlight.records.resumed import ResumeTried, StateKept, StateResumed, TrainingState

SITE = Site(file="train.py", line=9)
REACHED = RehearsalEnded(step=0, seconds=3.0, exit_code=0, printed={})
CRASH = replace(REACHED, exit_code=1, message="TypeError: bad operand", site=SITE)
FEW = replace(CRASH, message="IndexError: list index out of range")
SEEN = Shortened(step=8, ended="exit", tracked={}, epochs=2, evaluations=2, checkpoints=1)


def judged(*fates: RehearsalEnded, seen: Shortened | None = SEEN) -> Rehearsal:
    records: Any = [[*([seen] if seen is not None else []), fate] for fate in fates]
    found = rehearsal_of(Watched(timelines=dict(zip(ATTEMPTS, records, strict=False))))
    assert found is not None
    return found


def test_without_an_attempt_nothing_is_known() -> None:
    assert rehearsal_of(Watched()) is None


def test_the_end_was_reached() -> None:
    found = judged(REACHED)
    assert (found.reached_end, found.crashed, found.steps, found.evaluations) == (True, False, 8, 2)


def test_it_was_not_when_the_time_was_over() -> None:
    found = judged(REACHED, seen=replace(SEEN, ended="time", site=SITE))
    assert (found.reached_end, found.crashed, found.site) == (False, False, SITE)


def test_what_an_attempt_that_reached_the_end_saw_comes_first() -> None:
    records: Any = [[SEEN, FEW], [replace(SEEN, epochs=4), REACHED]]
    timelines = dict(zip(ATTEMPTS, records, strict=False))

    assert farthest_first(Watched(timelines=timelines)) == records[::-1]
    assert farthest_first(Watched(timelines={name: [SEEN, FEW] for name in timelines})) == [[SEEN, FEW]] * 2


def test_an_attempt_that_reaches_the_end_clears_the_program() -> None:
    assert judged(FEW, REACHED).reached_end


@pytest.mark.parametrize(
    ("fates", "own"),
    [
        ((CRASH, CRASH), True),
        ((CRASH,), False),
        ((CRASH, replace(CRASH, message="TypeError: another")), False),
        ((FEW, FEW), False),
        ((FEW, FEW, FEW), True),
        ((FEW, FEW, replace(FEW, exit_code=None)), False),
    ],
)
def test_a_crash_is_the_programs_own_where_shortening_cannot_cause_it(
    fates: tuple[RehearsalEnded, ...], own: bool
) -> None:
    assert judged(*fates).own is own


def test_a_question_that_nobody_answers_is_no_crash() -> None:
    found = judged(replace(CRASH, message="EOFError: EOF when reading a line"))
    assert (found.reached_end, found.crashed, found.asks, found.site) == (False, False, True, SITE)


def test_a_file_that_ends_too_early_is_one() -> None:
    torn = replace(CRASH, message="EOFError: Ran out of input")
    found = judged(torn, torn)
    assert (found.crashed, found.own, found.asks) == (True, True, False)


def test_a_crash_before_the_first_step_is_not() -> None:
    """The program itself came further."""
    assert not judged(CRASH, CRASH, seen=replace(SEEN, step=0)).own


def test_files_that_come_with_every_epoch_grow_in_number() -> None:
    files = tuple(FileWritten(path=f"epoch_{n}.pt", size=100) for n in range(2))
    loop = LoopSeen(site=SITE, passes=1, rounds=2, planned=50, outer=True)

    assert full_bytes(files, 230, (loop,)) == 230 + 200 * 24
    assert full_bytes(files[:1], 130, (loop,)) == 130
    assert full_bytes(files, 230, (replace(loop, planned=None),)) is None


STATE = TrainingState(weights="w", optimizer="o", rates=(0.1,), round=1, random="r")
KEPT = StateKept(
    step=3, state=STATE, site=SITE, paths=("/p/last.pt",), holds_optimizer=True, loads=(Site(file="train.py", line=5),)
)


def resumed(*records: Any, kept: StateKept = KEPT) -> list[ResumeTried]:
    return list(resume_of(Watched(timelines={"rehearsal": [kept], RESUMED: list(records)})))


def state(**changes: Any) -> StateResumed:
    return StateResumed(step=0, state=replace(STATE, **changes), site=SITE)


@pytest.mark.parametrize(
    ("changes", "lost"),
    [
        ({}, ()),
        ({"weights": "x"}, ("weights",)),
        ({"optimizer": ""}, ("optimizer",)),
        ({"rates": (0.2,)}, ("rate",)),
        ({"round": 0}, ("round",)),
        ({"round": 2}, ()),
        ({"round": None}, ()),
        ({"random": "x"}, ("random",)),
    ],
)
def test_what_a_resumed_run_begins_with_is_compared(changes: dict[str, Any], lost: tuple[str, ...]) -> None:
    (found,) = resumed(state(**changes), REACHED)

    assert found.lost == lost


def test_a_file_without_an_optimizer_is_one_to_begin_with() -> None:
    (found,) = resumed(state(optimizer="", rates=()), REACHED, kept=replace(KEPT, holds_optimizer=False))

    assert found.lost == ()


def test_a_program_that_loads_nothing_was_not_resumed() -> None:
    assert resumed(replace(state(weights="x"), site=None), REACHED) == []
    assert resumed() == []


@pytest.mark.parametrize(("line", "told"), [(4, False), (5, True)])
def test_a_crash_is_told_where_a_file_is_loaded(line: int, told: bool) -> None:
    place = Site(file="train.py", line=line)
    found = resumed(replace(CRASH, site=place, trace=(place,)))

    assert [(one.crash, one.site) for one in found] == ([(CRASH.message, place)] if told else [])
