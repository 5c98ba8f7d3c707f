"""Parts of a training that can be switched off without touching its source: which it has, and how each goes off."""

import functools
import random
import zlib
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch.utils.data._utils.fetch import _MapDatasetFetcher

from firstlight.experiments.inside import loss_steering, model_steering, optimizer_steering, seeding
from firstlight.observe.inside.observer import Observer

MOST_TERMS = 6
MOST_LAYERS = 6
MOST_FETCHES = 4
"""After so many, a loader that has drawn no random number draws none."""
TERM, LAYER = "loss-term-", "layer-"


class PartSurvey:
    """Which parts the program has, noted while it runs as it is."""

    def __init__(self, observer: Observer) -> None:
        self._found: dict[str, None] = {}
        self._rates: dict[int, float] = {}
        self._fetches = 0
        moments = observer.moments
        moments.step_begins.append(observer.shielded("ablation", self._step))
        moments.backward_begins.append(observer.shielded("ablation", self._backward))
        moments.training_begins.append(observer.shielded("ablation", lambda: self._models(observer.entering)))
        self._wrap(F, "cross_entropy", lambda given: given.get("label_smoothing"), "label-smoothing")
        self._wrap(F, "dropout", lambda given: given.get("training", True) and given.get("p", 0.5), "dropout")
        self._wrap(torch.nn.utils, "clip_grad_norm_", lambda _: True, "clipping")
        self._watch_fetching()

    def parts(self) -> tuple[str, ...]:
        return tuple(self._found)

    def note(self, name: str) -> None:
        self._found[name] = None

    def _wrap(self, owner: Any, name: str, applies: Callable[[dict[str, Any]], Any], part: str) -> None:
        original = getattr(owner, name)

        @functools.wraps(original)
        def noted(*arguments: Any, **options: Any) -> Any:
            if applies(options):
                self.note(part)
            return original(*arguments, **options)

        setattr(owner, name, noted)

    def _step(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        for group in optimizer.param_groups:
            if group.get("weight_decay"):
                self.note("weight-decay")
            if "initial_lr" in group and self._rates.setdefault(id(group), group["lr"]) != group["lr"]:
                self.note("schedule")

    def _backward(self, root: torch.Tensor, *_: Any) -> None:
        count = len(terms(root))
        for at in range(count if 1 < count <= MOST_TERMS else 0):
            self.note(f"{TERM}{at + 1}")

    def _models(self, model: torch.nn.Module | None) -> None:
        if model is None:
            return
        if any(_is_norm(part) for part in model.modules()):
            self.note("normalisation")
        if any(isinstance(part, torch.nn.modules.dropout._DropoutNd) and part.p > 0 for part in model.modules()):
            self.note("dropout")
        _Shapes(model, self.note)

    def _watch_fetching(self) -> None:
        original: Any = _MapDatasetFetcher.fetch

        def fetch(fetcher: Any, index: Any) -> Any:
            self._fetches += 1
            if self._fetches > MOST_FETCHES:
                return original(fetcher, index)
            before = random.getstate(), torch.get_rng_state()
            found = original(fetcher, index)
            if random.getstate() != before[0] or not torch.equal(torch.get_rng_state(), before[1]):
                self.note("augmentation")
            return found

        _MapDatasetFetcher.fetch = fetch  # type: ignore[method-assign]


class _Shapes:
    """Finds, in the first call of a model, the layers that give back what they are given in the same shape."""

    def __init__(self, model: torch.nn.Module, tell: Callable[[str], None]) -> None:
        self._model, self._tell = model, tell
        self._alike: set[str] = set()
        self._handles = [
            part.register_forward_hook(functools.partial(self._returned, name))
            for name, part in model.named_modules()
            if name and not _is_norm(part) and not isinstance(part, torch.nn.Sequential | torch.nn.ModuleList)
        ]
        self._handles.append(model.register_forward_hook(self._over))

    def _returned(self, name: str, part: torch.nn.Module, given: tuple[Any, ...], output: Any) -> None:
        first = given[0] if given else None
        if isinstance(first, torch.Tensor) and isinstance(output, torch.Tensor) and first.shape == output.shape:
            self._alike |= {name} if next(part.parameters(), None) is not None else set()

    def _over(self, *_: Any) -> None:
        for handle in self._handles:
            handle.remove()
        outermost = [name for name in self._alike if not any(name.startswith(f"{other}.") for other in self._alike)]
        order = [name for name, _ in self._model.named_modules() if name in outermost]
        every = max(1, -(-len(order) // MOST_LAYERS))
        for name in order[::every]:
            self._tell(f"{LAYER}{name}")


def _is_norm(part: torch.nn.Module) -> bool:
    return "norm" in type(part).__name__.lower()


def terms(root: torch.Tensor) -> list[Any]:
    """The nodes of the graph whose values are added up to the loss."""
    return [] if root.grad_fn is None else _terms(root.grad_fn)


def _terms(node: Any) -> list[Any]:
    below = [behind for behind, _ in node.next_functions if behind is not None]
    name = type(node).__name__
    if name in ("AddBackward0", "SubBackward0") and len(below) == 2:
        return [*_terms(below[0]), *_terms(below[1])]
    if name in ("MulBackward0", "DivBackward0") and len(below) == 1 and len(inner := _terms(below[0])) > 1:
        return inner
    return [node]


def switch_off(observer: Observer, name: str) -> None:
    if name.startswith(TERM):
        _term_off(observer, int(name.removeprefix(TERM)) - 1)
    elif name.startswith(LAYER):
        _layer_off(observer, name.removeprefix(LAYER))
    else:
        OFF[name](observer, "")


def _term_off(observer: Observer, at: int) -> None:
    """Its value stays in the loss; no gradient comes from it."""

    def silence(root: torch.Tensor, *_: Any) -> None:
        found = terms(root)
        if at < len(found):
            found[at].register_prehook(
                lambda gradients: tuple(None if one is None else torch.zeros_like(one) for one in gradients)
            )

    observer.moments.backward_begins.append(observer.shielded("ablation", silence))


def _layer_off(observer: Observer, name: str) -> None:
    """It gives back what it is given."""

    def pass_by() -> None:
        found = dict(observer.entering.named_modules()).get(name) if observer.entering is not None else None
        if found is not None:
            found.register_forward_hook(lambda _module, given, _output: given[0])

    observer.moments.training_begins.append(observer.shielded("ablation", pass_by))


def no_norms(observer: Observer, _value: str) -> None:
    def pass_by() -> None:
        for part in observer.entering.modules() if observer.entering is not None else ():
            if _is_norm(part):
                part.register_forward_hook(lambda _module, given, _output: given[0])

    observer.moments.training_begins.append(observer.shielded("ablation", pass_by))


def one_draw(_observer: Observer, _value: str) -> None:
    """Every example looks the same each time it is fetched: whatever is drawn for it is drawn from its own place."""
    original: Any = _MapDatasetFetcher.fetch

    def fetch(fetcher: Any, index: Any) -> Any:
        if not fetcher.auto_collation:
            return original(fetcher, index)
        before = seeding.random_state()
        try:
            return fetcher.collate_fn([_same_each_time(fetcher.dataset, at) for at in index])
        finally:
            seeding.restore(before)

    _MapDatasetFetcher.fetch = fetch  # type: ignore[method-assign]


def _same_each_time(dataset: Any, at: Any) -> Any:
    seeding.seed_all(zlib.crc32(repr(at).encode()))
    return dataset[at]


def no_clip(observer: Observer, _value: str) -> None:
    observer.clips = False


OFF: dict[str, Callable[[Observer, str], None]] = {
    "weight-decay": optimizer_steering.no_decay,
    "dropout": model_steering.no_dropout,
    "label-smoothing": loss_steering.no_smoothing,
    "augmentation": one_draw,
    "schedule": optimizer_steering.constant_lr,
    "clipping": no_clip,
    "normalisation": no_norms,
}
