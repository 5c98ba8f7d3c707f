"""Which parameters of a model train, and why the others do not."""

import functools
import inspect
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import torch

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.identity import ByIdentity
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps.backward import Walked
from firstlight.observe.inside.taps.cuts import FLAT
from firstlight.observe.inside.taps.flags import assigned_at
from firstlight.observe.inside.taps.flags import flagged as flagged_in
from firstlight.observe.inside.taps.handed_on import BACKWARD
from firstlight.observe.inside.taps.models import Models, Root
from firstlight.observe.inside.taps.optimizers import Optimizers, left_behind
from firstlight.records.census import Census, HiddenModules, RepeatedModule
from firstlight.records.places import Site
from firstlight.records.sighting import Some

Named = tuple[str, torch.nn.Parameter]
Held = tuple[str, torch.Tensor]
"""As an optimizer holds it, under the name it has there."""
NONE: Mapping[int, Any] = MappingProxyType({})
ZERO_LOOKS = 3
"""So many looks, the last ones, must all find exact zeros: a zero-initialised neighbour clears after one step."""
MOST_HIDDEN = 6
PLACES = re.compile(r"(?:^|[._])(?:w?pe|pos|place)", re.IGNORECASE)
LEAST_PLACES = 2


@dataclass
class Gradient:
    looks: int = 0
    arrived: int = 0
    zeros_in_a_row: int = 0
    last: tuple[int, float] | None = None
    """How often it was written to, and its size, at the last look."""
    held: bool = False
    """By an optimizer, at the last look."""
    idle: int = 0
    """Looks at which a new one arrived, and no optimizer held the parameter, since one last did. The first of them
    shows what the last step of that optimizer left behind, which nobody may have looked at."""


@dataclass
class Tally:
    """Gradients of one root model, by parameter name."""

    gradients: dict[str, Gradient] = field(default_factory=dict)

    def look(
        self,
        parameters: list[Named],
        held: Container[int] = (),
        taken: Mapping[int, Any] = NONE,
        ever: Container[int] = (),
    ) -> None:
        """`held` are the parameters that optimizers hold now, `ever` those that one had held before this model was met,
        `taken` gradients that are in no `grad`. What an earlier stage of training left in `grad`, and nobody cleared,
        is no gradient of this one."""
        given = ((name, taken.get(id(p), p.grad)) for name, p in parameters)
        present = [(name, gradient) for name, gradient in given if gradient is not None and reading.readable(gradient)]
        found = dict(zip((name for name, _ in present), reading.norms([g for _, g in present]), strict=True))
        versions = {name: gradient._version for name, gradient in present}
        for name, parameter in parameters:
            gradient = self.gradients.setdefault(name, Gradient(held=id(parameter) in ever))
            gradient.looks += 1
            was, gradient.last = gradient.last, (versions[name], found[name]) if name in found else None
            was_held, gradient.held = gradient.held, id(parameter) in held
            is_new = not was_held and gradient.last not in (was, None)
            gradient.idle = 0 if gradient.held else gradient.idle + is_new
            if name in found:
                gradient.arrived += 1
                gradient.zeros_in_a_row = gradient.zeros_in_a_row + 1 if found[name] == 0.0 else 0

    def of(self, name: str) -> Gradient:
        return self.gradients.get(name, Gradient())


@dataclass(frozen=True)
class Asked:
    """How a table is looked up: for a sequence of so many, from which line, and whether by counting."""

    length: int
    site: Site | None
    counts: bool


class Counting:
    def __init__(self, observer: Observer, models: Models, optimizers: Optimizers, walked: Walked) -> None:
        self.observer, self.models, self.optimizers, self.walked = observer, models, optimizers, walked
        self._tallies: dict[int, Tally] = {}
        self._ever: set[int] = set()
        self._loaded: set[int] = set()
        self._asked: ByIdentity[Asked] = ByIdentity()
        """Tables that were looked up."""

    def module_returned(self, module: torch.nn.Module, given: list[torch.Tensor], _made: Any) -> None:
        if isinstance(module, torch.nn.Embedding) and module not in self._asked and given and given[0].ndim:
            ids = given[0]
            first = ids.reshape(-1, ids.shape[-1])[0] if ids.numel() and reading.readable(ids) else ids[:0]
            counts = len(first) >= LEAST_PLACES and torch.equal(first, torch.arange(len(first)).to(first))
            self._asked[module] = Asked(ids.shape[-1], sites.caller(), counts)

    def state_loaded(self, module: torch.nn.Module) -> None:
        self._loaded |= {id(p) for p in module.parameters()}

    def backward_ended(self, _root: torch.Tensor) -> None:
        if not self.observer.full:
            return
        optimized = {id(p) for held in self.optimizers.held.values() for p in held.parameters}
        for root in self.models.live():
            tally = self._tallies.setdefault(root.index, Tally())
            tally.look(root.parameters, optimized, self.observer.taken, self._ever)
        for held in self.optimizers.held.values():
            self._ever |= {id(p) for p in held.parameters if p.grad is not None}

    def count(self) -> None:
        """Models that share parameters (a model and its wrapper) are counted once, the largest first."""
        if self.observer.functional:
            return
        counted: set[int] = set()
        for root in sorted(self.models.live(), key=lambda seen: -len(seen.parameters)):
            identities = {id(p) for _, p in root.parameters}
            if root.backwards and not identities <= counted:
                counted |= identities
                self.observer.emit(self._census(root))

    def _census(self, root: Root) -> Census:
        module = root.ref()
        assert module is not None
        tally = self._tallies.get(root.index, Tally())
        held = {id(p) for entry in self.optimizers.held.values() for p in entry.parameters}
        held = held or self._ever  # a function that trains takes its optimizer with it
        trainable = [(name, p) for name, p in root.parameters if p.requires_grad]
        counts = [(name, p) for name, p in trainable if id(p) in held or not held]
        silent = [(name, p) for name, p in counts if tally.of(name).looks and not tally.of(name).arrived]
        zero = [(name, p) for name, p in counts if tally.of(name).zeros_in_a_row >= ZERO_LOOKS]
        groups = self._why_silent(module, silent)
        tokens = [
            (table, asked)
            for table in module.modules()
            if isinstance(table, torch.nn.Embedding) and (asked := self._asked.get(table, None)) and not asked.counts
        ]
        places = [
            pair for kind in ("wasted", "uncalled") for pair in groups[kind] if self._is_of(module, *pair, tokens)
        ]
        for kind in ("wasted", "uncalled"):
            groups[kind] = [pair for pair in groups[kind] if not any(pair[1] is other for _, other in places)]
        groups["cut_off"] += [(name, p) for name, p in zero if _hands_on_nothing(self.walked.cuts.get(id(p)))]
        cut = next((self.walked.cuts[id(p)] for _, p in groups["cut_off"] if id(p) in self.walked.cuts), None)
        blamed = [*groups["cut_off"], *groups["wasted"], *places]
        flagged = list(flagged_in(module))
        behind = left_behind(self.optimizers.held.values())
        return Census(
            model=root.index,
            name=root.name,
            site=root.site,
            steps=self.observer.step,
            backwards=root.backwards,
            trainable=_some(trainable),
            frozen=_some((name, p) for name, p in root.parameters if not p.requires_grad),
            left_random=_some(self._left_random(module, tally)),
            optimized=_some((name, p) for name, p in trainable if id(p) in held),
            unoptimized=_some(
                left := [(n, p) for n, p in trainable if id(p) not in held and self._learns(tally.of(n))]
            ),
            unoptimized_drawn=_some((name, p) for name, p in left if self._as_drawn(module, name, p)),
            built=_built((entry.site, entry.steps) for entry in self.optimizers.held.values()),
            uncalled=_some(groups["uncalled"]),
            cut_off=_some(groups["cut_off"]),
            wasted=_some(groups["wasted"]),
            places=_some(places),
            tokens_site=tokens[0][1].site if places else None,
            zero=_some(zero),
            cut_by=cut[0] if cut else None,
            cut_site=cut[1] if cut else None,
            own_code=any(_owner_is_users(module, name) for name, _ in blamed),
            own_uncalled=any(_owner_is_users(module, name) for name, _ in groups["uncalled"]),
            hidden=tuple(self._hidden(module, held))[:MOST_HIDDEN],
            repeated=tuple(_repeated(module))[:MOST_HIDDEN],
            strangers=_some(strangers := self._strangers()),
            left=_some(pair for entry in behind for pair in entry.named()),
            left_steps=max((entry.idle for entry in behind), default=0),
            blind=_some(self._that_ran_blind(strangers)),
            flagged=tuple(_name(path) or type(one).__name__ for path, one in flagged),
            flag_site=assigned_at(flagged[0][0]) if flagged else None,
        )

    def _left_random(self, root: torch.nn.Module, tally: Tally) -> Iterator[Named]:
        for name, p in root.named_parameters():
            if not p.requires_grad and not tally.of(name).arrived and self._as_drawn(root, name, p):
                yield name, p

    def _as_drawn(self, root: torch.nn.Module, name: str, p: torch.Tensor) -> bool:
        """A weight matrix that is what its initialisation made it: not loaded, not copied from anywhere, not trained.

        Embeddings may well be given from elsewhere, and so may what belongs to a library, unless seen to be drawn.
        """
        owner = root.get_submodule(name.rpartition(".")[0])
        if p.ndim < 2 or isinstance(owner, torch.nn.Embedding):
            return False
        if not (_owner_is_users(root, name) or self.walked.drawn.holds(p)):
            return False
        return not (id(p) in self._loaded or id(p) in self._ever or reading.place(p) in self.walked.copied_to)

    def _is_of(
        self, root: torch.nn.Module, name: str, parameter: torch.Tensor, tokens: list[tuple[torch.nn.Embedding, Asked]]
    ) -> bool:
        """A table with a row for each place of tokens, as wide as theirs: counted up, or called so and never asked."""
        owner = root.get_submodule(name.rpartition(".")[0])
        asked = self._asked.get(owner, None)
        if asked is not None and not asked.counts:
            return False
        rows = parameter.numel() // max(1, parameter.shape[-1]) if parameter.ndim >= LEAST_PLACES else 0
        fits = any(table.embedding_dim == parameter.shape[-1] and rows >= one.length for table, one in tokens if rows)
        return fits and (asked is not None or PLACES.search(name) is not None)

    def _learns(self, gradient: Gradient) -> bool:
        """And nobody applies it."""
        return gradient.idle > 0 and gradient.arrived > gradient.zeros_in_a_row

    def _why_silent(self, module: torch.nn.Module, silent: list[Named]) -> dict[str, list[Named]]:
        groups: dict[str, list[Named]] = {"uncalled": [], "cut_off": [], "wasted": []}
        for name, parameter in silent:
            owner = module.get_submodule(name.rpartition(".")[0])
            ran, ran_blind = owner in self.models.called_with_grad, owner in self.models.called_without_grad
            if not ran and not ran_blind:
                groups["uncalled"].append((name, parameter))
            elif id(parameter) in self.walked.cuts or not ran:
                groups["cut_off"].append((name, parameter))
            else:
                groups["wasted"].append((name, parameter))
        return groups

    def _strangers(self) -> list[Held]:
        known = {id(p) for root in self.models.live() for _, p in root.parameters}
        return [
            (name, p)
            for entry in self.optimizers.held.values()
            if entry.steps
            for name, p in entry.named()
            if id(p) not in known and id(p) not in self._ever and p.requires_grad
        ]

    def _that_ran_blind(self, strangers: list[Held]) -> list[Held]:
        """Of modules that were called, and never with gradients on: no model is seen in such a call."""
        blind = [module for module in self.models.called_without_grad if module not in self.models.called_with_grad]
        ran = {id(p) for module in blind for p in module.parameters(recurse=False)}
        return [(name, p) for name, p in strangers if id(p) in ran]

    def _hidden(self, root: torch.nn.Module, held: set[int]) -> Iterator[HiddenModules]:
        registered = {id(p) for p in root.parameters()}
        for path, module in root.named_modules():
            for attribute, value in vars(module).items():
                if attribute.startswith("_") or not isinstance(value, list | tuple | dict):
                    continue
                found = [
                    (f"{attribute}[{key}]{name}", p)
                    for key, name, p in _parameters_in(value)
                    if id(p) not in registered and id(p) not in held and id(p) in self.walked.reached
                ]
                if found:
                    yield HiddenModules(
                        owner=_name(path) or type(module).__name__,
                        attribute=attribute,
                        container=type(value).__name__,
                        parameters=_some(found),
                        site=_assignment(type(module), attribute),  # type: ignore[arg-type]
                    )


def _hands_on_nothing(cut: tuple[str, Site] | None) -> bool:
    return cut is not None and (cut[0] in FLAT or cut[0].endswith(BACKWARD))


def _built(optimizers: Iterable[tuple[Site | None, int]]) -> Site | None:
    """The line of all that step, with the steps of each."""
    lines = {site for site, steps in optimizers if steps}
    return lines.pop() if len(lines) == 1 else None


def _parameters_in(container: Any) -> Iterator[tuple[Any, str, torch.nn.Parameter]]:
    pairs = container.items() if isinstance(container, dict) else enumerate(container)
    for key, item in pairs:
        if isinstance(item, torch.nn.Parameter):
            yield key, "", item
        elif isinstance(item, torch.nn.Module):
            yield from ((key, f".{name}", p) for name, p in item.named_parameters())
        elif isinstance(item, list | tuple):
            yield from ((key, f"[{inner}]{name}", p) for inner, name, p in _parameters_in(item))


def _repeated(root: torch.nn.Module) -> Iterator[RepeatedModule]:
    """Only in the user's own classes: a library that shares a layer means to."""
    for path, container in root.named_modules():
        if not isinstance(container, torch.nn.ModuleList | torch.nn.Sequential):
            continue
        if not _owner_is_users(root, f"{path}.0" if path else "0"):
            continue
        parent, _, attribute = path.rpartition(".")
        places: dict[str, Any] = container._modules
        children = [(key, child) for key, child in places.items() if child is not None]
        for key, child in {id(child): (key, child) for key, child in reversed(children)}.values():
            times = sum(other is child for _, other in children)
            trained = [(f"{key}.{name}", p) for name, p in child.named_parameters() if p.requires_grad]
            if times > 1 and trained:
                yield RepeatedModule(
                    container=_name(path) or type(container).__name__,
                    kind=type(container).__name__,
                    module=type(child).__name__,
                    times=times,
                    parameters=_some(trained),
                    site=_assignment(type(root.get_submodule(parent)), attribute),  # type: ignore[arg-type]
                )


def _some(parameters: Iterable[tuple[str, torch.Tensor]]) -> Some:
    found = list(parameters)
    names = tuple(_name(name) for name, _ in found[: Some.MOST_NAMES])
    return Some(tensors=len(found), elements=sum(p.numel() for _, p in found), names=names)


def _name(path: str) -> str:
    """Without the prefixes that wrappers put in front (DDP, torch.compile)."""
    return re.sub(r"^(?:module\.|_orig_mod\.|_forward_module\.)+", "", path)


def _owner_is_users(root: torch.nn.Module, name: str) -> bool:
    """The nearest module above the parameter that is not torch's own is written in the user's files."""
    parts = name.split(".")[:-1]
    for depth in range(len(parts), -1, -1):
        kind = type(root.get_submodule(".".join(parts[:depth])))
        if not kind.__module__.startswith("torch."):
            return _is_users_class(kind)  # type: ignore[arg-type]  # a class is hashable
    return True


@functools.cache
def _is_users_class(kind: type) -> bool:
    try:
        return sites.is_users(inspect.getfile(kind))
    except (TypeError, OSError):
        return False


@functools.cache
def _assignment(kind: type, attribute: str) -> Site | None:
    """The line of the class that assigns `self.<attribute>`."""
    try:
        lines, first = inspect.getsourcelines(kind)
        file = inspect.getfile(kind)
    except (TypeError, OSError):
        return None
    pattern = re.compile(rf"\bself\.{re.escape(attribute)}\s*(?::[^=]+)?=(?!=)")
    for offset, line in enumerate(lines):
        if pattern.search(line):
            return sites.site_of(file, first + offset)
    return None


def install(observer: Observer, models: Models, optimizers: Optimizers, walked: Walked) -> None:
    counting = Counting(observer, models, optimizers, walked)
    observer.moments.backward_ended.append(observer.shielded("census", counting.backward_ended))
    observer.moments.module_returned.append(observer.shielded("census", counting.module_returned))
    observer.moments.milestone.append(observer.shielded("census", counting.count))
    observer.moments.state_loaded.append(observer.shielded("census", counting.state_loaded))
