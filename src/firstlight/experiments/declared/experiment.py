"""A training experiment as its author declares it: the pieces, and nothing that runs yet.

The smallest is a model and a batch. Every further piece unlocks the checks that need it.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

from firstlight.errors import UsageError
from firstlight.experiments.declared.invariants import Invariant
from firstlight.observe.inside import sites
from firstlight.observe.keywords import nearest_keyword
from firstlight.records.places import Site

Precision = Literal["bf16", "fp16"]
Task = Literal["classification", "binary", "regression", "language", "other"]


@nearest_keyword
@dataclass(frozen=True, kw_only=True, eq=False)
class Experiment:
    """The pieces of a training run, as the script itself would use them.

    Anything unusual goes into `step`: a function from the model and a batch to the loss.
    """

    model: Any
    """A function that builds the model, or the module itself; a function lets checks start afresh."""
    train: Iterable[Any] | None = None
    """The training loader, or any other iterable of batches that can be read again."""
    val: Iterable[Any] | None = None
    batch: Any = None
    """One batch, where there is no loader: `(inputs, target)`, a tensor or a mapping of arguments."""
    loss: Callable[..., Any] | None = None
    """From the model's output and the target to one number."""
    step: Callable[[Any, Any], Any] | None = None
    """From the model and a batch to the loss, in place of `loss`."""
    metric: Callable[[Any, Any], Any] | None = None
    """From the model's output and the target to how good the answers are."""
    optimizer: Any = None
    """A function from the model to its optimizer, or an optimizer's class (`functools.partial` for its settings)."""
    penalty: Callable[[Any], Any] | None = None
    """The regulariser that `loss` or `step` adds, by itself: a function of the model."""
    scheduler: Callable[[Any], Any] | None = None
    """A function from the optimizer to its learning-rate schedule."""
    schedule_every: Literal["step", "epoch"] = "step"
    total_steps: int | None = None
    """Of the long run, for the schedule's sake."""
    task: Task | None = None
    """Inferred from the targets where it is left out."""
    causal: bool | None = None
    """Position t of the output may depend on inputs up to t alone; inferred for next-token tasks."""
    pretrained: bool = False
    """The weights come from an earlier training: a low first loss is no surprise."""
    frame: Any = None
    """The table the features are made from."""
    features: Callable[[Any], Any] | None = None
    """From `frame` to what is fed to the model."""
    fresh: Callable[[int], Any] | None = None
    """Makes example i of the training set anew from its raw data, past any cache."""
    tokenizer: Any = None
    """The one the data was encoded with, or the number of its ids."""
    precision: Precision | None = None
    """Of the long run, where it is trained under autocast: compared with full precision."""
    checkpoint: Any = None
    """A file written by an earlier run, or a pair of functions `(save(path, model, …), load(path, model, …))`; each is
    given as many of model, optimizer, scheduler and training loader as it takes."""
    selector: Any = None
    """Chooses the epoch to keep: has `record(epoch, **metrics)` and `select()`, or is a function that makes one."""
    invariants: Sequence[Any] = ()
    """What must hold: `firstlight.Invariant`, or the same as a mapping."""
    log: str | os.PathLike[str] | None = None
    """Where the run will write its events."""
    name: str = "experiment"
    declared_at: Site | None = field(init=False, default=None)
    """The line that declares it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "declared_at", sites.caller())
        for problem in _problems(self):
            raise UsageError(f"Experiment: {problem}")

    @property
    def declared(self) -> frozenset[str]:
        """Names of the pieces that were given."""
        pieces = [piece for piece in fields(self) if piece.init]
        given = {piece.name for piece in pieces if getattr(self, piece.name) is not piece.default}
        return frozenset(given | ({"data"} if self.train is not None or self.batch is not None else set()))


def _problems(given: Experiment) -> Iterator[str]:
    """What is wrong with the declaration, before anything of it is used."""
    if given.model is None or not (callable(given.model) or hasattr(given.model, "state_dict")):
        yield f"`model` is {_told(given.model)}; it takes a function that builds the model, or the module itself."
    for name in ("train", "val"):
        yield from _loader_problems(name, getattr(given, name))
    for name in ("loss", "step", "metric", "optimizer", "penalty", "scheduler", "features", "fresh"):
        piece = getattr(given, name)
        if piece is not None and not callable(piece) and not (name == "optimizer" and hasattr(piece, "param_groups")):
            yield f"`{name}` is {_told(piece)}; it takes {TAKES[name]}."
    yield from _lonely(given)
    yield from _unknown_words(given)
    if given.total_steps is not None and given.total_steps < 1:
        yield f"`total_steps` is {given.total_steps}; it takes a whole number from 1 on."
    if given.tokenizer is not None and not (isinstance(given.tokenizer, int) or hasattr(given.tokenizer, "__len__")):
        yield f"`tokenizer` is {_told(given.tokenizer)}; it takes a tokenizer or the number of its ids."
    if given.selector is not None and not (callable(given.selector) or _selects(given.selector)):
        yield f"`selector` is {_told(given.selector)}; it takes what has `record(epoch, **metrics)` and `select()`."
    yield from _checkpoint_problems(given.checkpoint)
    for invariant in given.invariants:
        Invariant.of(invariant)


def _unknown_words(given: Experiment) -> Iterator[str]:
    if given.task is not None and given.task not in get_args(Task):
        yield f"`task` is {given.task!r}; it takes {', '.join(get_args(Task))}."
    if given.schedule_every not in ("step", "epoch"):
        yield f"`schedule_every` is {given.schedule_every!r}; it takes step or epoch."
    if given.precision is not None and given.precision not in get_args(Precision):
        yield f"`precision` is {given.precision!r}; it takes bf16 or fp16, or nothing for full precision."


def _lonely(given: Experiment) -> Iterator[str]:
    """Pieces that cannot be together, or not without another."""
    if given.loss is not None and given.step is not None:
        yield "`loss` and `step` are both given. Keep `step` if it computes the loss itself, else `loss`."
    if given.scheduler is not None and given.optimizer is None:
        yield "`scheduler` is given without `optimizer`, which it schedules."
    if given.features is not None and given.frame is None:
        yield "`features` is given without `frame`, which they are made from."


TAKES = {
    "loss": "a function of the model's output and the target",
    "step": "a function of the model and a batch that gives the loss",
    "metric": "a function of the model's output and the target",
    "optimizer": "a function of the model, such as `lambda m: torch.optim.AdamW(m.parameters(), lr=3e-4)`",
    "penalty": "a function of the model that gives one number",
    "scheduler": "a function of the optimizer, such as `lambda o: CosineAnnealingLR(o, 1000)`",
    "features": "a function of `frame`",
    "fresh": "a function from an index to that example of the training set",
}


def _loader_problems(name: str, given: Any) -> Iterator[str]:
    if given is None:
        return
    if isinstance(given, Iterator):
        yield (
            f"`{name}` is {_told(given)}, which can be read only once: preflight would use up its batches. "
            "Pass the loader itself, or a list of batches."
        )
    elif hasattr(given, "__getitem__") and any(kind.__name__ == "Dataset" for kind in type(given).__mro__):
        yield (
            f"`{name}` is {_told(given)}, a data set of single examples; it takes a loader of batches: "
            f"DataLoader({name}, batch_size=32)."
        )
    elif isinstance(given, str | bytes | dict) or hasattr(given, "requires_grad"):
        yield f"`{name}` is {_told(given)}; it takes a loader. One single batch goes into `batch=`."
    elif not hasattr(given, "__iter__") and not hasattr(given, "__getitem__"):
        yield f"`{name}` is {_told(given)}; it takes a DataLoader or another iterable of batches."


def _checkpoint_problems(given: Any) -> Iterator[str]:
    if given is None or isinstance(given, str | os.PathLike):
        if given is not None and not Path(given).is_file():
            yield f"`checkpoint` names {os.fspath(given)}, which is no file. Leave it out, or name one that exists."
        return
    if not (isinstance(given, tuple) and len(given) == 2 and all(map(callable, given))):
        yield f"`checkpoint` is {_told(given)}; it takes a file, or a pair of functions (save, load)."


def _selects(given: Any) -> bool:
    return hasattr(given, "record") and hasattr(given, "select")


def _told(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"
