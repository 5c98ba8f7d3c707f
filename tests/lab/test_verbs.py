"""The verbs of whole runs, asked about programs whose results are known by a formula instead of by training."""

import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from firstlight.errors import UsageError
from firstlight.lab import ablate, bisect, compare, seeds
from firstlight.lab.compare import CompareQuestion
from firstlight.lab.seeds import SeedsQuestion
from firstlight.lab.trials import Run, RunChoices, Runner
from firstlight.observe.target import Target
from firstlight.records.trials import FinishedRun
from firstlight.store.run_directory import RunDirectory

PARTS = ("dropout", "clipping", "weight-decay")


class Formula(Runner):
    """Gives the result of each run at once, and ends after so many as if interrupted."""

    def __init__(self, result: Callable[[Run], float], most: int = 10_000) -> None:
        super().__init__(RunDirectory(Path("nowhere")), RunChoices(jobs=1), lambda _text: None)
        self._result, self._most = result, most
        self.asked: list[Run] = []

    def run(self, runs: Sequence[Run]) -> list[FinishedRun | None]:
        found: list[FinishedRun | None] = []
        for run in runs:
            self.asked.append(run)
            self.interrupted = len(self.asked) > self._most
            found.append(None if self.interrupted else self._of(run))
        self.made += [trial for trial in found if trial is not None]
        return found

    def _of(self, run: Run) -> FinishedRun:
        value = self._result(run)
        ended = FinishedRun(name=run.name, seed=run.seed, values={"val_acc": (value,)}, parts=PARTS)
        return ended if value > 0 else FinishedRun(name=run.name, seed=run.seed, values={}, exit_code=1, message="Boom")


def target(*words: str) -> Target:
    return Target(words, words, None, "python")


def luck(run: Run) -> float:
    """Of the seed alone, the same for every variant."""
    return 0.01 * ((run.seed * 7919) % 11)


def wobble(run: Run) -> float:
    """Of seed and variant, small."""
    return 0.0001 * zlib.crc32(f"{run.seed} {run.name}".encode()) / 2**32


def test_compare_stops_once_it_is_decided() -> None:
    runner = Formula(lambda run: 0.5 + luck(run) + wobble(run) + 0.1 * (run.name == "bb"))
    report = compare.of_runs([("a", target("a.py")), ("bb", target("b.py"))], CompareQuestion(seeds=20), runner)
    assert report.numbers["verdict"] == "better"
    assert (len(runner.asked), report.left) == (6, 0)


def test_compare_spends_its_seeds_where_it_stays_undecided() -> None:
    runner = Formula(lambda run: 0.5 + 0.01 * ((run.seed * 7 + len(run.name) * 5) % 9))
    report = compare.of_runs([("a", target("a.py")), ("bb", target("b.py"))], CompareQuestion(seeds=5), runner)
    assert report.numbers["verdict"] == "undecided"
    assert len(runner.asked) == 10


def test_compare_keeps_what_is_done_when_it_is_interrupted() -> None:
    runner = Formula(lambda run: 0.5 + 0.01 * ((run.seed * 7 + len(run.name) * 5) % 9), most=8)
    report = compare.of_runs([("a", target("a.py")), ("bb", target("b.py"))], CompareQuestion(seeds=9), runner)
    assert report.numbers["pairs"] == 4
    assert report.left == 10


def test_a_variant_that_always_crashes_is_given_up_and_its_error_told() -> None:
    runner = Formula(lambda run: 0.5 + luck(run) if run.name == "a" else 0.0)
    with pytest.raises(UsageError, match=r"bb: 3 of 3 runs failed or gave no number: Boom"):
        compare.of_runs([("a", target("a.py")), ("bb", target("b.py"))], CompareQuestion(seeds=20), runner)
    assert len(runner.asked) == 6


def test_a_program_that_crashes_is_told_at_once() -> None:
    with pytest.raises(UsageError, match=r"a\.py did not finish: Boom"):
        seeds.of_runs(target("a.py"), SeedsQuestion(seeds=3), Formula(lambda _: 0.0))


@pytest.mark.parametrize(
    "ask",
    [
        lambda runner: seeds.of_runs(target("a.py"), SeedsQuestion(seeds=8, metric="val_loss"), runner),
        lambda runner: ablate.of_runs(target("a.py"), CompareQuestion(metric="val_loss"), runner, None),
    ],
)
def test_a_metric_that_no_run_tells_is_refused_after_the_first(ask: Callable[[Runner], object]) -> None:
    runner = Formula(lambda run: 0.5 + luck(run))
    with pytest.raises(UsageError, match=r"no run reports `val_loss`.* The runs report `val_acc`"):
        ask(runner)
    assert len(runner.asked) == 1


def test_an_interrupt_before_the_first_run_is_over_is_one() -> None:
    with pytest.raises(KeyboardInterrupt):
        seeds.of_runs(target("a.py"), SeedsQuestion(), Formula(luck, most=0))


def test_seeds_finds_the_source_that_moves_it_and_what_is_left_unexplained() -> None:
    def result(run: Run) -> float:
        varied = dict(word.removeprefix("vary=").split(":") for word in run.orders if word.startswith("vary="))
        return 0.5 + 0.02 * ((int(varied.get("order", 0)) * 5) % 7) + (0.1 * (run.seed % 4) if not run.orders else 0.0)

    report = seeds.of_runs(target("a.py"), SeedsQuestion(seeds=8), Formula(result))
    assert report.numbers["share.order"] == 1.0
    assert float(str(report.numbers["explained"])) < 0.5
    assert any("explain" in limit for limit in report.limits)


@pytest.mark.parametrize(
    ("of_order", "says"),
    [
        (0.05, "initialization changes it most (100%)."),
        (1.0, "initialization (50%) or order and augmentation (50%) changes it most: more runs would tell which"),
    ],
)
def test_seeds_names_one_source_only_where_its_runs_tell_it_from_the_others(of_order: float, says: str) -> None:
    def result(run: Run) -> float:
        varied = dict(word[5:].split(":") for word in run.orders if word.startswith("vary="))
        drawn = {source: 0.01 * ((int(varied.get(source, 0)) * 7919) % 11) for source in ("init", "order")}
        return 0.5 + drawn["init"] + of_order * drawn["order"]

    asked = SeedsQuestion(seeds=8, sources=("init", "order"))
    assert says in seeds.of_runs(target("a.py"), asked, Formula(result)).answer


@pytest.mark.parametrize("differ", [True, False])
def test_seeds_repeats_one_seed_as_often_as_it_varies_a_source_where_that_tells_something(differ: bool) -> None:
    runner = Formula(lambda run: 0.5 + luck(run) + 0.01 * differ * run.again)
    report = seeds.of_runs(target("a.py"), SeedsQuestion(seeds=2, sources=("init",), each=6), runner)
    repeats = [run for run in runner.asked if run.again]
    assert len(repeats) == (6 if differ else 3)
    assert ("the difference arises outside torch" in report.answer) is differ
    assert report.numbers["deterministic"] is not differ
    assert report.numbers["share.nondeterminism"] == (1.0 if differ else 0.0)


def test_a_seed_that_changes_nothing_is_said_with_what_to_do() -> None:
    report = seeds.of_runs(target("a.py"), SeedsQuestion(seeds=3, sources=()), Formula(lambda _: 0.5))
    assert "The seed changes nothing." in report.answer
    assert "--seed-arg" in report.advice[0]


def effect(run: Run) -> float:
    """Dropout helps, clipping hurts, weight decay does nothing."""
    value = 0.5 + luck(run) + wobble(run)
    value -= 0.1 * ("off=dropout" in run.orders)
    return value + 0.1 * ("off=clipping" in run.orders)


def test_ablate_says_what_matters_what_hurts_and_what_shows_nothing() -> None:
    report = ablate.of_runs(target("a.py"), CompareQuestion(seeds=5), Formula(effect), None)
    assert report.answer == "In `val_acc`, matters: dropout; hurts: clipping; no effect seen: weight-decay."
    assert report.numbers["alone.dropout"] == "better"
    assert report.numbers["alone.clipping"] == "worse"
    assert [curve.name for curve in report.plots[0].curves] == ["as it is", *PARTS]


def test_ablate_of_a_part_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match="the program has no `dropuot`; the nearest is `dropout`"):
        ablate.of_runs(target("a.py"), CompareQuestion(), Formula(effect), ("dropuot",))


def space(*names: str) -> bisect.Space:
    return bisect.Space(
        names=names,
        told={name: f"{name}: 1 → 2" for name in names},
        run=lambda chosen: Run(name="trial", target=target("a.py", *chosen)),
        command=("a.py",),
    )


KEYS = tuple(f"k{at}" for at in range(30))


def test_bisect_finds_one_key_of_thirty_with_one_run_a_trial_where_that_is_clear() -> None:
    runner = Formula(lambda run: 0.9 + wobble(run) - 0.4 * ("k17" in run.target.words))
    report = bisect.of_space(space(*KEYS), CompareQuestion(), runner)
    assert report.answer.startswith("k17: 1 → 2 makes it bad (`val_acc`): found among 30 differences in 5 trials.")
    assert report.done <= 6 + 5 + 1
    assert [len(curve.x) for curve in report.plots[0].curves] == [6, 6, 6]  # five, and the one found alone


def test_bisect_says_when_a_key_does_harm_only_with_another() -> None:
    runner = Formula(lambda run: 0.9 + wobble(run) - 0.4 * ({"k2", "k25"} <= set(run.target.words)))
    report = bisect.of_space(space(*KEYS), CompareQuestion(), runner)
    assert report.numbers["culprit"] in ("k2", "k25")
    assert report.numbers["alone"] is False
    assert "alone it is not bad" in report.answer


def test_bisect_takes_a_crash_for_what_is_bad() -> None:
    runner = Formula(lambda run: 0.9 - ("k5" in run.target.words))
    assert bisect.of_space(space(*KEYS), CompareQuestion(), runner).numbers["culprit"] == "k5"


@pytest.mark.parametrize(
    ("result", "says"),
    [
        (lambda run: 0.5 + 0.01 * ((run.seed * 7 + len(run.name) * 5) % 9), "cannot be told apart"),
        (lambda run: 0.5 + wobble(run) + 0.2 * (run.name == "bad"), "the bad one is better"),
        (lambda run: 0.0 if run.name == "good" else 0.5, "the good one does not finish: Boom"),
    ],
)
def test_bisect_refuses_ends_that_are_none(result: Callable[[Run], float], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        bisect.of_space(space(*KEYS), CompareQuestion(seeds=5), Formula(result))


def test_bisect_keeps_its_trials_when_it_is_interrupted() -> None:
    runner = Formula(lambda run: 0.9 + wobble(run) - 0.4 * ("k17" in run.target.words), most=8)
    report = bisect.of_space(space(*KEYS), CompareQuestion(), runner)
    assert report.left == 1
    assert report.answer.startswith("Interrupted")
