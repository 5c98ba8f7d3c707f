"""Which attempt comes next, and which errors may come from having been shortened."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.experiments.engines.job import Made
from firstlight.experiments.rehearsal import can_be_shortened, ended, may_be_ours, next_attempt, resuming
from firstlight.observe.target import START, Target
from firstlight.records.places import Site
from firstlight.records.rehearsal import RehearsalEnded
from firstlight.records.resumed import StateKept, TrainingState

CRASH = RehearsalEnded(
    step=0, seconds=3.0, exit_code=1, message="TypeError: bad operand", site=Site(file="train.py", line=9), printed={}
)
FEW = replace(CRASH, message="IndexError: list index out of range")


@pytest.mark.parametrize(
    ("message", "source"),
    [
        ("IndexError: list index out of range", "history[epochs - 1]"),
        ("ZeroDivisionError: division by zero", "total / count"),
        ("ValueError: x and y must have same first dimension, but have shapes (100,) and (3,)", "plt.plot(x, y)"),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'epoch_100.pt'", "torch.load(path)"),
        ("AttributeError: 'NoneType' object has no attribute 'items'", "best.items()"),
        ("RuntimeError: torch.cat(): expected a non-empty list of Tensors", "torch.cat(found)"),
        ("KeyError: 100", "scores[epochs]"),
        ("RuntimeError: selected index k out of range", "history.topk(10)"),
        ("LinAlgError: Singular matrix: at least 3 points are needed", "numpy.linalg.solve(a, b)"),
        ("AssertionError", "assert len(history) == epochs"),
        ("it did not get good enough", "sys.exit(1)"),
        ("RuntimeError: training did not converge", 'raise RuntimeError("training did not converge")'),
        ("RuntimeError: too high", 'if loss > 1: raise RuntimeError("too high")'),
    ],
)
def test_too_little_was_gathered_or_something_was_never_done(message: str, source: str) -> None:
    assert may_be_ours(replace(CRASH, message=message, source=source))


@pytest.mark.parametrize(
    ("message", "source"),
    [
        ("TypeError: evaluate() missing 1 required positional argument: 'loader'", "evaluate(model)"),
        ("AttributeError: 'Net' object has no attribute 'predict'", "model.predict(x)"),
        ("NameError: name 'plt' is not defined", "plt.plot(x)"),
        ("ModuleNotFoundError: No module named 'seaborn'", "import seaborn"),
        ("RuntimeError: Error(s) in loading state_dict for Net", "model.load_state_dict(state)"),
        ("KeyError: 'model'", 'model.load_state_dict(state["model"])'),
        ("ValueError: too many values to unpack (expected 2)", "loss, score = evaluate()"),
        ("torch.OutOfMemoryError: CUDA out of memory", "model(x)"),
        ("TypeError: save() takes at least 2 arguments", "torch.save(model)"),
        ("AssertionError", "torch.distributed.destroy_process_group()"),
        ("NotImplementedError", "raise NotImplementedError"),
    ],
)
def test_other_errors_have_nothing_to_do_with_rounds(message: str, source: str) -> None:
    assert not may_be_ours(replace(CRASH, message=message, source=source))


@pytest.mark.parametrize(
    ("message", "text", "ours"),
    [
        ("NameError: name 'kept' is not defined", "if epoch > 50:\n    kept = model\nprint(kept)\n", True),
        ("NameError: name 'kept' is not defined", "if kept == 3:\n    pass\n", False),
        ("NameError: name 'plt' is not defined", "plt.plot(x)\n", False),
        ("AttributeError: 'Run' object has no attribute 'best'", "if late:\n    self.best = score\n", True),
        ("AttributeError: 'Net' object has no attribute 'predict'", "self.predicted = model.predict(x)\n", False),
    ],
)
def test_a_name_that_a_later_round_may_have_set(tmp_path: Path, message: str, text: str, ours: bool) -> None:
    file = tmp_path / "train.py"
    file.write_text(text)
    trace = f'Traceback (most recent call last):\n  File "{file}", line 1, in <module>\n    {text}\n{message}'
    made = Made(b"", 1.0, 1, message, tuple(trace.splitlines()))

    assert may_be_ours(ended(made)) is ours


@pytest.mark.parametrize(
    ("so_far", "wanted"),
    [
        ([], "rehearsal"),
        ([replace(CRASH, exit_code=0)], None),
        ([CRASH], "rehearsal-longer"),
        ([CRASH, CRASH], None),
        ([FEW, FEW], "rehearsal-whole"),
        ([FEW, replace(FEW, exit_code=0)], None),
        ([FEW, replace(FEW, site=None)], None),
        ([FEW, FEW, FEW], None),
        ([replace(CRASH, message="EOFError: EOF when reading a line")], None),
    ],
)
def test_an_attempt_is_made_while_it_would_tell(so_far: list[RehearsalEnded], wanted: str | None) -> None:
    assert next_attempt(so_far) == wanted


@pytest.mark.parametrize(
    ("words", "can"),
    [
        (("python", *START, "train.py"), True),
        (("python", *START, "-m", "torch.distributed.run", "train.py"), False),
        (("torchrun", "train.py"), False),
    ],
)
def test_what_a_launcher_starts_cannot_be_read_first(words: tuple[str, ...], can: bool) -> None:
    target: Any = Target(words, words, None, "python")
    assert can_be_shortened(target) is can


KEPT = StateKept(
    step=3,
    state=TrainingState(weights="w", optimizer="o", rates=(0.1,), round=1, random="r"),
    site=None,
    paths=("/p/last.pt",),
    holds_optimizer=True,
    loads=(),
)


@pytest.mark.parametrize(
    ("option", "given", "more"),
    [
        ('parser.add_argument("--resume", action="store_true")', (), ("--resume",)),
        ('parser.add_argument("--resume-from", default=None)', (), ("--resume-from", "/p/last.pt")),
        ('parser.add_argument("--resume", action="store_true")', ("--resume",), ()),
        ('parser.add_argument("--epochs", type=int)', (), ()),
    ],
)
def test_a_script_is_asked_to_resume_by_its_own_option(
    tmp_path: Path, option: str, given: tuple[str, ...], more: tuple[str, ...]
) -> None:
    file = tmp_path / "train.py"
    file.write_text(option)
    words = ("train.py", *given)
    target: Any = Target(words, ("python", *words), str(file), "python")

    assert resuming(target, KEPT).command == ("python", *words, *more)
