"""A fault of ours is told once, that part is switched off, and the training goes on."""

import functools
import hashlib
import traceback
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import torch

from firstlight.errors import RedFlagError

P = ParamSpec("P")
T = TypeVar("T")


class Shield:
    def __init__(self) -> None:
        self.broken: dict[str, str] = {}
        """Parts that failed, and how."""
        self.open = True
        """The training goes on, and can be told."""
        self.theirs: BaseException | None = None
        """Raised by a function of the user's: it is meant for the training."""
        self.told: Callable[[str, BaseException, str], None] = lambda part, error, trace: None

    def __call__(self, part: str, function: Callable[P, T]) -> Callable[P, T | None]:
        """The function, unable to raise (but for a stop that was asked for), silent while torch traces a graph.

        None is what it gives where it could not be called, or failed."""

        @functools.wraps(function)
        def call(*arguments: P.args, **keywords: P.kwargs) -> T | None:
            if torch.compiler.is_compiling() or part in self.broken:
                return None
            try:
                with torch.no_grad():
                    return function(*arguments, **keywords)
            except RedFlagError:
                raise
            except Exception as error:  # whatever we got wrong, the training is not ours to end
                if self.open and error is self.theirs:
                    raise
                self.fails(part, error)
                return None

        return call

    def calls(self, function: Callable[P, None], *arguments: P.args, **keywords: P.kwargs) -> None:
        """A function of the user's: what it raises is meant for the training, and is let through."""
        try:
            function(*arguments, **keywords)
        except Exception as error:
            self.theirs = error
            raise

    def fails(self, part: str, error: BaseException) -> None:
        self.broken[part] = f"{type(error).__name__}: {error}"
        trace = hashlib.blake2b("".join(traceback.format_exception(error)).encode(), digest_size=8).hexdigest()
        try:
            self.told(part, error, trace)
        except Exception as second:  # noqa: BLE001  # telling may fail for the same reason: a full disk, a closed stream
            self.broken["telling"] = f"{type(second).__name__}: {second}"
