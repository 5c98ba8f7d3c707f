"""What a tap on single operations offers: handlers by the operation's name."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Handler = Callable[[str, tuple[Any, ...], dict[str, Any], Any], None]


@dataclass
class Handlers:
    after: dict[str, Handler] = field(default_factory=dict)
    before: dict[str, Handler] = field(default_factory=dict)
    """Ahead of the operation, for those that raise on the very thing worth telling."""
    every: Handler | None = None
    """After any operation, once those by name have been called."""


def argument(args: tuple[Any, ...], kwargs: dict[str, Any], position: int, name: str, default: Any = None) -> Any:
    return args[position] if len(args) > position else kwargs.get(name, default)
