"""Turns what the user's pieces raise into a fact that names the piece, the line and the module."""

import contextlib
import sys
import traceback
from collections.abc import Iterator
from types import TracebackType
from typing import Any

import torch

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import Stop
from firstlight.records.declared import Stumble
from firstlight.records.places import Site

MOST_MESSAGE = 300
SIZES = {
    "in_features": "features",
    "in_channels": "channels",
    "num_embeddings": "ids below",
    "input_size": "features",
    "normalized_shape": "the last axes",
    "num_features": "features",
    "embed_dim": "features",
}
"""Attributes of torch's layers that say what they take."""


class Stumbled(Exception):  # noqa: N818  # not an error of ours
    """Ends a probe whose experiment cannot go on; carries the fact."""

    def __init__(self, fact: Stumble) -> None:
        super().__init__(fact.message)
        self.fact = fact


@contextlib.contextmanager
def using(piece: str, doing: str, model: torch.nn.Module | None = None) -> Iterator[None]:
    """While the user's own piece runs."""
    try:
        yield
    except (Stumbled, Stop):
        raise
    except (Exception, SystemExit) as error:  # whatever their code raises is what we came for
        raise Stumbled(_fact(piece, doing, error, model)) from error


def unusable(piece: str, doing: str, message: str) -> Stumbled:
    """Nothing was raised, yet it cannot be used."""
    return Stumbled(Stumble(piece=piece, doing=doing, error="", message=message))


def _fact(piece: str, doing: str, error: Exception | SystemExit, model: torch.nn.Module | None) -> Stumble:
    module, given = _module_of(error.__traceback__, model)
    return Stumble(
        piece=piece,
        doing=doing,
        error=type(error).__name__,
        message=" ".join(str(error).split())[:MOST_MESSAGE],
        site=site_of(error),
        module=module,
        given=given,
        memory=isinstance(error, torch.OutOfMemoryError | MemoryError),
    )


def site_of(error: BaseException) -> Site | None:
    """The innermost line of the user's own code."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        found = sites.site_of(frame.f_code.co_filename, line)
        if found is not None:
            return found
    return None


def _module_of(trace: TracebackType | None, model: torch.nn.Module | None) -> tuple[str | None, str]:
    """The innermost module that was running, with what it takes and what it was given."""
    names = {id(module): name for name, module in model.named_modules()} if model is not None else {}
    for frame, _ in reversed(list(traceback.walk_tb(trace))):
        owner = frame.f_locals.get("self")
        if isinstance(owner, torch.nn.Module) and id(owner) in names:
            return names[id(owner)] or type(owner).__name__, _contract(owner, frame.f_locals)
    return None, ""


def _contract(module: torch.nn.Module, names: dict[str, Any]) -> str:
    takes = [f"{what} {getattr(module, name)}" for name, what in SIZES.items() if hasattr(module, name)]
    given = [reading.card(value) for key, value in names.items() if key != "self" and isinstance(value, torch.Tensor)]
    if not takes or not given:
        return ""
    first = given[0]
    return f"{type(module).__name__} takes {takes[0]} and was given {first.dtype} {first.shape}"


def line_of(function: Any) -> Site | None:
    """Where a function or the class of an object was written."""
    code = getattr(function, "__code__", None) or getattr(getattr(function, "__init__", None), "__code__", None)
    if code is not None:
        return sites.site_of(code.co_filename, code.co_firstlineno)
    module = sys.modules.get(type(function).__module__)
    file = getattr(module, "__file__", None)
    return sites.site_of(file, 1) if file else None
